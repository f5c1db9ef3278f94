import { type Logger, type SpeechModelEvent, type SpeechSession, silentLogger } from '@callkite/core';
import { listener, silence, speak } from '@callkite/emulated-voice';
import { type OpenAiEmulatorOptions, startOpenAiEmulator } from '@callkite/openai-emulator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endOf, record, sessionRequest } from '../testing/speech-server.ts';
import { openAiRealtime } from './realtime.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const pace = { thinkMs: 0, transcriptionMs: 10 };

async function startCall(options: OpenAiEmulatorOptions, transcriptionTimeoutMs?: number) {
  const emulator = await startOpenAiEmulator({ ...options, speech: { ...pace, ...options.speech } });
  cleanUps.push(() => emulator.close());
  const refusals: object[] = [];
  const logger: Logger = { ...silentLogger, warn: (fields) => refusals.push(fields) };
  const model = openAiRealtime({ apiKey: 'any', baseURL: emulator.url, transcriptionTimeoutMs, logger });
  const session = model.open(sessionRequest);
  cleanUps.push(() => session.close());
  return { session, events: record(session), refusals };
}

/** Somebody says something and is silent then. */
async function talk(session: SpeechSession, text: string): Promise<void> {
  const { audio } = await speak(text, { voice: 'callee' });
  for (const sound of [audio, silence(1000)]) session.hear(Buffer.from(sound).toString('base64'));
}

function first<Type extends SpeechModelEvent['type']>(
  events: readonly SpeechModelEvent[],
  type: Type,
  fits: (event: Extract<SpeechModelEvent, { type: Type }>) => boolean = () => true,
) {
  return vi.waitFor(
    () => {
      const event = events.find(
        (each): each is Extract<SpeechModelEvent, { type: Type }> =>
          each.type === type && fits(each as Extract<SpeechModelEvent, { type: Type }>),
      );
      if (event === undefined) throw new Error(`no ${type} among ${JSON.stringify(events)}`);
      return event;
    },
    { timeout: 15_000, interval: 5 },
  );
}

/** The words of every utterance that has ended, in order. */
function spoken(events: readonly SpeechModelEvent[]): string[] {
  return events
    .filter((event) => event.type === 'speech-ended')
    .map(({ utteranceId }) => {
      const ear = listener();
      for (const event of events) {
        if (event.type === 'speech' && event.utteranceId === utteranceId) {
          ear.hear(Buffer.from(event.audio, 'base64'));
        }
      }
      return ear
        .take()
        .map(({ text }) => text)
        .join(' ');
    });
}

const long = 'Well, that is a long story, and I will tell you all of it, from its very beginning to its end.';

describe('a callee who speaks', () => {
  it('stops the model, which is answered once it knows what was heard', async () => {
    const script = [long, 'Then I will be brief.'];
    const { session, events, refusals } = await startCall({ script, speech: { timesRealTime: 1 } });
    await talk(session, 'What happened?');
    const { utteranceId } = await first(events, 'speech');
    await talk(session, 'Please be brief.');
    await first(events, 'response-ended', ({ how }) => how === 'interrupted');
    session.heardOnly(utteranceId, 50);
    await first(events, 'response-ended', ({ how }) => how === 'completed');
    expect(spoken(events).at(-1)).toBe('Then I will be brief.');
    expect(spoken(events)[0]).not.toBe(long);
    await first(events, 'said', ({ text }) => text === 'What happened?');
    await first(events, 'said', ({ text }) => text === 'Please be brief.');
    expect(refusals).toEqual([]);
  });

  it('does not stop words of ours, and is answered after them', async () => {
    const script = ['I am calling about your order.'];
    const { session, events, refusals } = await startCall({ script, speech: { timesRealTime: 4 } });
    session.say(long);
    await first(events, 'speech');
    await talk(session, 'Who is this?');
    await vi.waitFor(() => expect(spoken(events)).toHaveLength(2), { timeout: 15_000, interval: 5 });
    expect(spoken(events)).toEqual([long, 'I am calling about your order.']);
    const { how } = await first(events, 'response-ended');
    expect(how).toBe('completed');
    expect(refusals).toEqual([]);
  });

  it('may not be understood', async () => {
    const { session, events } = await startCall(
      { script: ['Pardon?'], faults: { transcriptionLost: {} } },
      200,
    );
    await talk(session, 'Mumble.');
    expect((await first(events, 'said')).text).toBe('');
  });
});

describe('stopping', () => {
  it('ends a response in the middle, and a new one can be asked for', async () => {
    const script = [long, 'Something else.'];
    const { session, events, refusals } = await startCall({ script, speech: { timesRealTime: 1 } });
    session.respond();
    const { utteranceId } = await first(events, 'speech');
    session.stop();
    session.heardOnly(utteranceId, 20);
    session.respond();
    await first(events, 'response-ended', ({ how }) => how === 'completed');
    expect(events.filter(({ type }) => type === 'response-ended')).toEqual([
      { type: 'response-ended', how: 'interrupted' },
      { type: 'response-ended', how: 'completed' },
    ]);
    expect(spoken(events).at(-1)).toBe('Something else.');
    expect(refusals).toEqual([]);
  });
});

describe('a model that fails', () => {
  it.each<[string, OpenAiEmulatorOptions, boolean]>([
    ['an empty account', { faults: { insufficientQuota: {} } }, false],
    ['an outage', { faults: { error: { status: 503 } } }, true],
    ['too many sessions', { faults: { rateLimit: {} } }, true],
    ['the longest duration', { speech: { sessionMs: 50 } }, true],
  ])('ends the session: %s', async (_, options, retryable) => {
    const { events } = await startCall(options);
    expect(await endOf(events)).toMatchObject({
      code: retryable ? 'provider_unavailable' : 'provider_rejected',
      retryable,
    });
  });

  it('in the middle of a response may be asked again, or is gone', async () => {
    const failing = await startCall({ faults: { streamError: { times: 1 } } });
    failing.session.respond();
    expect((await first(failing.events, 'response-ended')).how).toBe('failed');
    failing.session.respond();
    await first(failing.events, 'response-ended', ({ how }) => how === 'completed');
    const cut = await startCall({ faults: { socketCut: {} } });
    cut.session.respond();
    expect(await endOf(cut.events)).toMatchObject({ code: 'provider_unavailable', retryable: true });
  });
});
