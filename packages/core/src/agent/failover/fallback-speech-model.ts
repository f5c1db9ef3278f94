import { CallkiteError } from '../../kernel/errors.ts';
import { type Logger, silentLogger } from '../../kernel/logger.ts';
import { safeLogger } from '../../kernel/safe-logger.ts';
import type { ModelMessage } from '../ports/language-model.ts';
import type {
  SpeechModel,
  SpeechModelEvent,
  SpeechSession,
  SpeechSessionRequest,
} from '../ports/speech-model.ts';
import { commandBuffer } from './command-buffer.ts';
import { betterFailure, defaultRestMs, type FallbackOptions } from './fallback-options.ts';
import { type Preference, preferFirst } from './preference.ts';

export interface FallbackSpeechModelOptions extends FallbackOptions {
  /**
   * How long a session may take to be ready before the second is asked for one as well, in milliseconds. A callee who
   * has picked up waits meanwhile, and hears the carrier's voice after 4 s. @default 2000
   */
  slowAfterMs?: number | undefined;
}

/**
 * Two speech models as one: a session is opened at the second where the first refuses it, cannot be reached or is slow
 * to be ready. The first session that is ready is used, with all that it was told until then, and the other one closed.
 * A session that is lost later is closed, always with an error that may pass: the next one is opened at the other model.
 */
export function withFallbackSpeechModel(
  first: SpeechModel,
  second: SpeechModel,
  options: FallbackSpeechModelOptions = {},
): SpeechModel {
  const settings: EitherSettings = {
    preference: preferFirst(first, second, options.restMs ?? defaultRestMs),
    slowAfterMs: options.slowAfterMs ?? 2000,
    logger: safeLogger(options.logger ?? silentLogger),
    first,
  };
  return { open: (request) => new EitherSession(settings, request) };
}

interface EitherSettings {
  readonly preference: Preference<SpeechModel>;
  readonly slowAfterMs: number;
  readonly logger: Logger;
  readonly first: SpeechModel;
}

type Command = (session: SpeechSession) => void;

/** A session at whichever model is ready first. */
class EitherSession implements SpeechSession {
  readonly #settings: EitherSettings;
  readonly #request: SpeechSessionRequest;
  /** Where sessions are open, or about to be. */
  readonly #sessions = new Map<SpeechModel, SpeechSession>();
  readonly #patience: NodeJS.Timeout;
  readonly #held = commandBuffer();
  readonly #failures: CallkiteError[] = [];
  #listener: ((event: SpeechModelEvent) => void) | null = null;
  /** Not asked for a session yet. */
  #other: SpeechModel | null;
  #chosen: SpeechSession | null = null;
  /** Why it is being closed. */
  #closing: CallkiteError | null | undefined;

  constructor(settings: EitherSettings, request: SpeechSessionRequest) {
    this.#settings = settings;
    this.#request = request;
    const [preferred, other] = settings.preference.order();
    this.#other = other;
    this.#patience = setTimeout(() => this.#tooSlow(preferred), settings.slowAfterMs);
    this.#open(preferred);
  }

  /** The sessions keep their events until then. */
  listen(listener: (event: SpeechModelEvent) => void): void {
    this.#listener = listener;
    for (const [model, session] of [...this.#sessions]) this.#follow(model, session);
  }

  hear(audio: string): void {
    if (this.#chosen !== null) this.#chosen.hear(audio);
    else this.#held.hear(audio);
  }

  say(text: string): void {
    if (this.#chosen !== null) this.#chosen.say(text);
    else this.#held.request((session) => session.say(text));
  }

  respond(): void {
    if (this.#chosen !== null) this.#chosen.respond();
    else this.#held.request((session) => session.respond());
  }

  stop(): void {
    if (this.#chosen !== null) this.#chosen.stop();
    else this.#held.stop();
  }

  tell(message: ModelMessage): void {
    this.#command((session) => session.tell(message));
  }

  answerTool(toolCallId: string, output: string): void {
    this.#command((session) => session.answerTool(toolCallId, output));
  }

  heardOnly(utteranceId: string, heardMs: number): void {
    this.#command((session) => session.heardOnly(utteranceId, heardMs));
  }

  instruct(instructions: string): void {
    this.#command((session) => session.instruct(instructions));
  }

  close(error?: CallkiteError): void {
    this.#closing = error ?? null;
    this.#giveUp();
    for (const session of this.#sessions.values()) session.close(error);
  }

  #command(command: Command): void {
    if (this.#chosen !== null) command(this.#chosen);
    else this.#held.add(command);
  }

  #open(model: SpeechModel): void {
    const session = model.open(this.#request);
    this.#sessions.set(model, session);
    if (this.#listener !== null) this.#follow(model, session);
  }

  #openOther(): void {
    const other = this.#other;
    if (other === null) return;
    this.#other = null;
    clearTimeout(this.#patience);
    this.#open(other);
  }

  #tooSlow(model: SpeechModel): void {
    this.#settings.preference.failed(model);
    this.#settings.logger.warn(this.#describe(model), 'model is slow');
    this.#openOther();
  }

  #follow(model: SpeechModel, session: SpeechSession): void {
    session.listen((event) => {
      // Of one that was closed because another is used nothing is told.
      if (this.#sessions.get(model) !== session) return;
      if (event.type === 'closed') this.#closed(model, session, event.error);
      else if (session === this.#chosen) this.#listener?.(event);
      else if (event.type === 'ready' && this.#closing === undefined) this.#choose(model, session);
    });
  }

  #choose(model: SpeechModel, session: SpeechSession): void {
    const { preference, logger, first } = this.#settings;
    for (const [other, slower] of [...this.#sessions]) {
      if (slower === session) continue;
      this.#sessions.delete(other);
      slower.close();
    }
    clearTimeout(this.#patience);
    this.#other = null;
    this.#chosen = session;
    preference.answered(model);
    if (model !== first) logger.info(this.#describe(model), 'the second model answered');
    this.#held.giveTo(session);
    this.#listener?.({ type: 'ready' });
  }

  #closed(model: SpeechModel, session: SpeechSession, error: CallkiteError | null): void {
    this.#sessions.delete(model);
    if (error !== null) {
      this.#settings.preference.failed(model);
      this.#settings.logger.warn({ ...this.#describe(model), error }, 'model failed');
    }
    if (error === null || this.#closing !== undefined) {
      if (this.#sessions.size === 0) this.#end(this.#closing ?? null);
      return;
    }
    if (session === this.#chosen) {
      this.#end(passing(error));
      return;
    }
    this.#failures.push(error);
    this.#openOther();
    if (this.#sessions.size === 0) this.#end(betterFailure(this.#failures) ?? error);
  }

  #end(error: CallkiteError | null): void {
    this.#giveUp();
    this.#listener?.({ type: 'closed', error });
  }

  /** No other session is opened any more. */
  #giveUp(): void {
    clearTimeout(this.#patience);
    this.#other = null;
    this.#held.drop();
  }

  #describe(model: SpeechModel): object {
    return { request: 'session', model: model === this.#settings.first ? 'first' : 'second' };
  }
}

/** Whatever ended a session, the other model may be had. */
function passing(error: CallkiteError): CallkiteError {
  if (error.retryable) return error;
  return new CallkiteError('provider_unavailable', error.message, { retryable: true, cause: error });
}
