import { type WorkflowDefinitionInput, workflowDefinition } from '@callkite/contract';
import { vi } from 'vitest';
import type { AudioEvent } from '../../calls/speech.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/logger.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { SpeechModelEvent, SpeechSession } from '../ports/speech-model.ts';
import { type AgentSessionOptions, startAgentSession } from '../session/agent-session.ts';
import { disclosureLine } from '../session/disclosure.ts';
import { call } from './stage.ts';

const soundOf = (ms: number, sample: number) => Buffer.alloc(ms * 8, sample).toString('base64');

const notUsed = () => {
  throw new Error('is not used here');
};

/** One conversation in sound whose model, callee and carrier are the test. Its clock is vitest's. */
export async function startInSound(
  options: {
    definition?: Partial<WorkflowDefinitionInput>;
    isWebCall?: boolean;
    /** On an earlier channel of this call. */
    wasDisclosed?: boolean;
  } = {},
) {
  const definition = workflowDefinition.parse({ objective: 'Confirm the visit', ...options.definition });
  const disclosure = disclosureLine(definition, 'Example Dental', 'phone');
  /** What the model was asked for and the callee was given, in order; sound by its samples. */
  const log: string[] = [];
  const decisions: string[] = [];
  const optOuts: string[] = [];
  const reasons: string[] = [];
  const transcript: string[] = [];
  const marks: string[] = [];
  const listeners: ((event: SpeechModelEvent) => void)[] = [];
  let onChannel: (event: AudioEvent) => void = notUsed;
  let closedWith: CallkiteError | null = null;

  function open(): SpeechSession {
    const number = listeners.length + 1;
    const note = (what: string) => log.push(number === 1 ? what : `${number}: ${what}`);
    let isClosed = false;
    return {
      listen: (listener) => listeners.push(listener),
      hear() {},
      say: (text) => note(`say ${text}`),
      respond: () => note('respond'),
      stop() {},
      tell() {},
      answerTool() {},
      heardOnly() {},
      instruct() {},
      close(error) {
        if (isClosed) return;
        isClosed = true;
        closedWith = error ?? null;
        queueMicrotask(() => listeners[number - 1]?.({ type: 'closed', error: error ?? null }));
      },
    };
  }

  const storage: Pick<AgentSessionOptions['storage'], 'calls' | 'organizations'> = {
    calls: {
      appendTranscript: async (_callId, { role, content }) => transcript.push(`${role}: ${content}`),
      transcript: async () => [],
      noteReason: async (_callId, reason) => {
        reasons.push(reason);
      },
      noteAgentFailed: async () => {
        reasons.push('agent_unavailable, failed');
      },
      noteHeard: async () => {},
      noteConversationOver: async () => {},
    },
    organizations: {
      addDoNotCall: async (_call, { phoneNumber }) => {
        optOuts.push(phoneNumber);
      },
    },
  };
  const conversation = startAgentSession({
    call,
    definition,
    organizationName: 'Example Dental',
    earlier: options.wasDisclosed
      ? [{ role: 'assistant', content: disclosure, interrupted: false, at: new Date() }]
      : [],
    detected: async () => null,
    forms: [],
    tools: [],
    toolCalls: [],
    transfers: { offered: [], earlier: [], isBack: false, numbersOf: async () => [] },
    channel: {
      kind: 'audio',
      channel: {
        listen(listener) {
          onChannel = listener;
        },
        play: (audio) => log.push(`play ${Buffer.from(audio, 'base64')[0]}`),
        mark: (name) => marks.push(name),
        clear() {
          marks.length = 0;
          log.push('clear');
        },
        end: () => log.push('end'),
        close() {},
      },
    },
    languageModel: { streamTurn: notUsed, generateObject: notUsed } satisfies LanguageModel,
    speechModel: { open },
    line: options.isWebCall
      ? null
      : {
          say: async (text) => {
            log.push(`carrier ${text}`);
          },
        },
    recording: {
      consent: null,
      agree: async () => {
        decisions.push('agreed');
      },
      refuse: async () => {
        decisions.push('refused');
      },
      forgo: async () => {
        decisions.push('missing');
      },
    },
    storage: {
      ...storage,
      forms: { storeAnswer: notUsed, removeAnswer: notUsed },
      toolCalls: { begin: notUsed, finish: notUsed },
      transfers: { request: notUsed, storeMessage: notUsed },
    },
    emit() {},
    logger: silentLogger,
    clock: { now: () => Date.now() },
  });

  const tell = (event: SpeechModelEvent) => listeners.at(-1)?.(event);
  const tick = () => vi.advanceTimersByTimeAsync(0);
  const stage = {
    conversation,
    log,
    decisions,
    optOuts,
    reasons,
    transcript,
    disclosure,
    tell,
    onChannel: (event: AudioEvent) => onChannel(event),
    /** The error that the last session was given up for. */
    closedWith: () => closedWith,
    /** Sound with these samples, and nothing yet of its end. */
    begins: (utteranceId: string, sample: number, ms = 400) =>
      tell({ type: 'speech', utteranceId, audio: soundOf(ms, sample) }),
    ends: (utteranceId: string) => tell({ type: 'speech-ended', utteranceId }),
    utters(utteranceId: string, text: string, sample: number, ms = 400) {
      stage.begins(utteranceId, sample, ms);
      tell({ type: 'speech-text', utteranceId, text });
      stage.ends(utteranceId);
    },
    responded: (how: 'completed' | 'interrupted' = 'completed') => tell({ type: 'response-ended', how }),
    /** The callee spoke, and what they said is not known yet. */
    spoke(turnId: string) {
      tell({ type: 'callee-speaking', speaking: true, turnId });
      tell({ type: 'callee-speaking', speaking: false, turnId });
    },
    async said(turnId: string, text: string) {
      tell({ type: 'said', turnId, text });
      await tick();
    },
    /** Everything that was sent is played to its end. */
    async heardAll() {
      for (const mark of marks.splice(0)) onChannel({ type: 'played', mark });
      await tick();
    },
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    /** The connection to the model breaks. */
    async loseSession() {
      tell({
        type: 'closed',
        error: new CallkiteError('provider_unavailable', 'it broke', { retryable: true }),
      });
      await tick();
      tell({ type: 'ready' });
    },
  };
  onChannel({ type: 'ready', providerCallId: 'CA1', sessionId: 'MZ1' });
  await tick();
  tell({ type: 'ready' });
  return stage;
}

/** The same, once the disclosure and the agent's first words were heard. */
export async function greetInSound(...options: Parameters<typeof startInSound>) {
  const stage = await startInSound(...options);
  stage.utters('u1', stage.disclosure, 1);
  stage.responded();
  await stage.heardAll();
  stage.utters('u2', 'Hi there.', 2);
  stage.responded();
  await stage.heardAll();
  stage.log.length = 0;
  return stage;
}
