import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { CallkiteError } from '../errors.ts';
import type { ModelTool } from '../ports/language-model.ts';
import type {
  SpeechModel,
  SpeechModelEvent,
  SpeechSession,
  SpeechSessionRequest,
} from '../ports/speech-model.ts';
import type { TestFunction } from './telephony-contract.ts';

/** What a model is to do when it is its turn. */
export type ModelReply =
  | { readonly text: string }
  | { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };

/** A speech model to test an adapter against: an emulator, or a server of the test's own. */
export interface SpeechModelFixture {
  /** The adapter, speaking to the model. */
  readonly model: SpeechModel;
  /** The adapter, with a key that the model refuses. */
  readonly refused: SpeechModel;
  /** The adapter, speaking to an address where nobody listens. */
  readonly unreachable: SpeechModel;
  /** Makes the model do this, in order, in its next turns. Words it is given to say are no turn. */
  replyWith(...replies: ModelReply[]): void;
  /** µ-law sound of somebody who says these words. */
  voice(text: string): Promise<Uint8Array>;
  /** The words that are heard in µ-law sound of the model. */
  wordsIn(audio: Uint8Array): string;
  stop(): Promise<void>;
}

/**
 * What every adapter of a speech model must do, as tests.
 *
 * @param options.it registers a test
 * @param options.createFixture called for each test; its `stop` is called at the test's end
 */
export function speechModelContract(options: {
  it: TestFunction;
  createFixture(): Promise<SpeechModelFixture>;
}): void {
  const test = (
    name: string,
    run: (fixture: SpeechModelFixture, open: (over?: Partial<SpeechSessionRequest>) => Call) => Promise<void>,
  ) =>
    options.it(name, async () => {
      const fixture = await options.createFixture();
      const calls: Call[] = [];
      try {
        await run(fixture, (over = {}) => {
          const call = new Call(fixture.model.open({ ...request, ...over }));
          calls.push(call);
          return call;
        });
        for (const call of calls) await call.hangUp();
      } finally {
        for (const call of calls) call.session.close();
        await fixture.stop();
      }
    });

  test('is ready before anything else, and closed after everything', async (_, open) => {
    const call = open();
    await call.until('ready');
    assert.deepEqual(call.events, [{ type: 'ready' }]);
    await call.hangUp();
    assert.deepEqual(call.events.at(-1), { type: 'closed', error: null });
  });

  test('may be closed before it is ready', async (_, open) => {
    const call = open();
    await call.hangUp();
    assert.deepEqual(call.events.at(-1), { type: 'closed', error: null });
  });

  test('tells why it was given up', async (_, open) => {
    const error = new CallkiteError('provider_unavailable', 'it is silent', { retryable: true });
    for (const isReady of [false, true]) {
      const call = open();
      if (isReady) await call.until('ready');
      call.session.close(error);
      assert.equal((await call.until('closed')).error, error);
      call.session.close();
    }
  });

  test('takes commands at any time, and has no use for them after the end', async (_, open) => {
    const call = open();
    const commands = () => {
      call.session.tell({ role: 'user', content: '(The line is bad.)' });
      call.session.instruct('Be brief.');
      call.session.stop();
      call.session.heardOnly('nothing-was-said', 100);
      call.session.answerTool('never-asked', '{}');
    };
    commands();
    await call.until('ready');
    commands();
    await call.hangUp();
    commands();
    call.session.hear('/////w==');
    call.session.say('Hello?');
    call.session.respond();
    await delay(20);
  });

  test('says the words it is given, in order, also those given before it was ready', async (fixture, open) => {
    const call = open();
    call.session.say('This call is recorded.');
    call.session.say('The table is booked for eight.');
    const first = await call.utterance(fixture);
    const second = await call.utterance(fixture);
    assert.equal(first.heard, 'This call is recorded.');
    assert.equal(first.told, 'This call is recorded.');
    assert.equal(second.heard, 'The table is booked for eight.');
    assert.notEqual(first.utteranceId, second.utteranceId);
    assert.equal((await call.until('response-ended')).how, 'completed');
    assert.equal((await call.until('response-ended')).how, 'completed');
  });

  test('hears what is said, and answers', async (fixture, open) => {
    fixture.replyWith({ text: 'We are open until six.' });
    const call = open();
    await call.until('ready');
    await call.speak(fixture, 'When do you close?');
    assert.equal((await call.until('said')).text, 'When do you close?');
    const answer = await call.utterance(fixture);
    assert.equal(answer.heard, 'We are open until six.');
    assert.equal(answer.told, answer.heard);
    assert.equal((await call.until('response-ended')).how, 'completed');
  });

  test('knows what was said before, and speaks first when it is asked to', async (fixture, open) => {
    fixture.replyWith({ text: 'Are you still there?' });
    const call = open({
      history: [
        { role: 'assistant', content: 'Good morning.' },
        { role: 'user', content: 'Hello?' },
      ],
    });
    call.session.respond();
    assert.equal((await call.utterance(fixture)).heard, 'Are you still there?');
  });

  test('uses tools, and goes on from what they give', async (fixture, open) => {
    fixture.replyWith({ tool: 'find_order', arguments: { number: '12' } }, { text: 'It comes on Monday.' });
    const call = open({ tools: [findOrder] });
    await call.until('ready');
    await call.speak(fixture, 'Where is my order?');
    const used = await call.until('tool-call');
    assert.equal(used.call.name, 'find_order');
    assert.deepEqual(JSON.parse(used.call.arguments), { number: '12' });
    await call.until('response-ended');
    call.session.answerTool(used.call.id, '{"arrives":"Monday"}');
    call.session.respond();
    // A model may say at first that it is looking, in the same breath or in another.
    let heard = '';
    while (!heard.endsWith('It comes on Monday.')) heard = (await call.utterance(fixture)).heard;
  });

  test('tells of a model that cannot be reached that it may be tried again', async ({ unreachable }) => {
    const call = new Call(unreachable.open(request));
    const { error } = await call.until('closed');
    assert.ok(CallkiteError.isInstance(error));
    assert.equal(error.code, 'provider_unavailable');
    assert.equal(error.retryable, true);
    assert.equal(call.events.length, 1);
  });

  test('tells of a key that is refused that there is no use in trying', async ({ refused }) => {
    const call = new Call(refused.open(request));
    const { error } = await call.until('closed');
    assert.ok(CallkiteError.isInstance(error));
    assert.equal(error.code, 'provider_rejected');
    assert.equal(error.retryable, false);
    assert.equal(call.events.length, 1);
  });
}

const findOrder: ModelTool = {
  name: 'find_order',
  description: 'Tells where an order is.',
  input: z.strictObject({ number: z.string() }),
};

const request: SpeechSessionRequest = {
  instructions: 'You are on the phone with somebody.',
  tools: [],
  language: 'en-US',
  hints: ['Jordan Avery'],
  voice: null,
  history: [],
};

type EventOf<Type extends SpeechModelEvent['type']> = Extract<SpeechModelEvent, { type: Type }>;

const patienceMs = 15_000;
const pieceMs = 100;
const bytesPerMs = 8;

/** One session, with a callee who hears everything and is silent unless told to speak. */
class Call {
  readonly session: SpeechSession;
  readonly events: SpeechModelEvent[] = [];
  readonly #taken = new Set<SpeechModelEvent>();
  readonly #unheard: Uint8Array[] = [];
  #disorder: unknown;
  readonly #clock: NodeJS.Timeout;

  constructor(session: SpeechSession) {
    this.session = session;
    session.listen((event) => {
      this.events.push(event);
      try {
        assertInOrder(this.events);
      } catch (error) {
        this.#disorder ??= error;
      }
    });
    const silence = Buffer.alloc(pieceMs * bytesPerMs, 0xff);
    // Faster than life: a model counts the time by what it hears.
    this.#clock = setInterval(() => {
      const piece = this.#unheard.shift() ?? silence;
      session.hear(Buffer.from(piece).toString('base64'));
    }, pieceMs / 4);
  }

  async speak(fixture: SpeechModelFixture, text: string): Promise<void> {
    const audio = await fixture.voice(text);
    const pieceBytes = pieceMs * bytesPerMs;
    for (let at = 0; at < audio.length; at += pieceBytes) {
      this.#unheard.push(audio.subarray(at, at + pieceBytes));
    }
  }

  /** The first event of the type that was not given before. */
  async until<Type extends SpeechModelEvent['type']>(type: Type): Promise<EventOf<Type>> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      if (this.#disorder) throw this.#disorder;
      const event = this.events.find(
        (each): each is EventOf<Type> => each.type === type && !this.#taken.has(each),
      );
      if (event !== undefined) {
        this.#taken.add(event);
        return event;
      }
      const types = this.events.map((each) => each.type).join(', ');
      assert.ok(Date.now() < deadline && this.events.at(-1)?.type !== 'closed', `no ${type} among ${types}`);
      await delay(5);
    }
  }

  /** The next utterance, once it has ended: as it sounds, and as it was told in words. */
  async utterance(fixture: SpeechModelFixture) {
    const { utteranceId } = await this.until('speech-ended');
    const audio: Uint8Array[] = [];
    let words = '';
    for (const event of this.events) {
      if (!('utteranceId' in event) || event.utteranceId !== utteranceId) continue;
      if (event.type === 'speech') audio.push(Buffer.from(event.audio, 'base64'));
      if (event.type === 'speech-text') words += event.text;
    }
    return { utteranceId, heard: fixture.wordsIn(Buffer.concat(audio)), told: words.trim() };
  }

  async hangUp(): Promise<void> {
    clearInterval(this.#clock);
    this.session.close();
    if (!this.events.some(({ type }) => type === 'closed')) await this.until('closed');
  }
}

/** What holds after every event. */
function assertInOrder(events: readonly SpeechModelEvent[]): void {
  const event = events.at(-1);
  const before = events.slice(0, -1);
  const told = (type: SpeechModelEvent['type'], id: string) =>
    before.some((each) => each.type === type && Object.values(each).includes(id));
  assert.ok(!before.some(({ type }) => type === 'closed'), 'an event after the end');
  switch (event?.type) {
    case 'ready':
      assert.equal(before.length, 0, 'ready is not the first event');
      break;
    case 'speech':
      assert.ok(!told('speech-ended', event.utteranceId), 'sound after the end of its utterance');
      break;
    case 'speech-text':
    case 'speech-ended':
      assert.ok(told('speech', event.utteranceId), `${event.type} without sound`);
      assert.ok(!told('speech-ended', event.utteranceId), `${event.type} after the end of its utterance`);
      break;
    case 'said':
      assert.ok(!told('said', event.turnId), 'a turn told twice');
      break;
  }
  if (event?.type !== 'closed') assert.equal(events[0]?.type, 'ready', 'an event before ready');
}
