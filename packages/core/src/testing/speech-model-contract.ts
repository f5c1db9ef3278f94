import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { ModelTool } from '../agent/ports/language-model.ts';
import type {
  SpeechModel,
  SpeechModelEvent,
  SpeechSession,
  SpeechSessionRequest,
} from '../agent/ports/speech-model.ts';
import { CallkiteError } from '../kernel/errors.ts';
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
  /** The adapter, speaking to a server that never answers. It may give up earlier than it does by default. */
  readonly silent: SpeechModel;
  /**
   * Whether the model can be stopped in the middle of a response, and told how much of it was heard. One that cannot
   * stops by itself when the callee speaks, and knows by itself what it has said until then.
   */
  readonly canBeCut: boolean;
  /** Makes the model do this, in order, in its next turns. Words it is given to say are no turn. */
  replyWith(...replies: ModelReply[]): void;
  /** All that the model was sent so far, sound left out, as text. */
  sent(): string;
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
 * @param options.patienceMs how long a test waits for what the model is to do @default 15000, which the port allows
 */
export function speechModelContract(options: {
  it: TestFunction;
  createFixture(): Promise<SpeechModelFixture>;
  patienceMs?: number;
}): void {
  const { patienceMs = 15_000 } = options;
  const test = (
    name: string,
    run: (fixture: SpeechModelFixture, open: (over?: Partial<SpeechSessionRequest>) => Call) => Promise<void>,
  ) =>
    options.it(name, async () => {
      const fixture = await options.createFixture();
      const calls: Call[] = [];
      try {
        await run(fixture, (over = {}) => {
          const call = new Call(fixture.model.open({ ...request, ...over }), patienceMs);
          calls.push(call);
          return call;
        });
        for (const call of calls) await call.hangUp();
      } catch (error) {
        for (const call of calls) call.session.close();
        // A fixture may complain about what a failed test left undone, which is not what failed.
        await fixture.stop().catch(() => undefined);
        throw error;
      }
      await fixture.stop();
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

  test('keeps what it tells until somebody listens', async (fixture) => {
    const session = fixture.model.open(request);
    session.say('Good morning.');
    // Long enough for what there is to lose: a session that does nothing until then loses nothing.
    await delay(1_000);
    const call = new Call(session, patienceMs);
    try {
      assert.equal((await call.utterance(fixture)).heard, 'Good morning.');
    } finally {
      await call.hangUp();
    }
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
    await call.hangUp();
    assert.equal(call.count('response-ended'), 2, 'each is done once');
  });

  test('drops what waits when it is stopped, and says what it is given afterwards', async (fixture, open) => {
    const call = open();
    call.session.say('This is not said.');
    call.session.stop();
    call.session.say('This is said.');
    assert.equal((await call.utterance(fixture)).heard, 'This is said.');
    assert.equal((await call.until('response-ended')).how, 'completed');
    await call.hangUp();
    assert.equal(call.count('response-ended'), 1);
  });

  test('falls silent when it is stopped, and may be told what was heard', async (fixture, open) => {
    if (!fixture.canBeCut) return;
    fixture.replyWith({ text: 'There is a lot to say about this, and it takes its time. '.repeat(10) });
    const call = open();
    call.session.respond();
    const { utteranceId } = await call.until('speech');
    call.session.stop();
    call.session.heardOnly(utteranceId, 40);
    const told = call.count('speech');
    assert.equal((await call.until('response-ended')).how, 'interrupted');
    await eventually(() => fixture.sent().includes(utteranceId), patienceMs);
    call.session.say('Goodbye.');
    await call.until('response-ended');
    const later = call.events.filter((event) => event.type === 'speech').slice(told);
    assert.ok(later.length > 0, 'it can speak again');
    assert.ok(
      later.every((event) => event.utteranceId !== utteranceId),
      'nothing more of what was stopped',
    );
  });

  test('shows the model all that it is to know', async (fixture, open) => {
    const call = open({
      instructions: 'You answer the phone of the bakery.',
      tools: [findOrder],
      history: [{ role: 'user', content: 'I called before.' }],
    });
    await call.until('ready');
    call.session.tell({ role: 'user', content: '(The line is bad.)' });
    call.session.instruct('You answer the phone of the butcher.');
    for (const known of [
      'You answer the phone of the bakery.',
      findOrder.description,
      'I called before.',
      '(The line is bad.)',
      'You answer the phone of the butcher.',
    ]) {
      await eventually(() => fixture.sent().includes(known), patienceMs, `the model does not know: ${known}`);
    }
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
    await call.hangUp();
    assert.equal(call.count('response-ended'), 1, 'it is done once');
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
    const types = call.events.map(({ type }) => type);
    assert.ok(types.indexOf('tool-call') < types.lastIndexOf('response-ended'), 'done before it was');
    call.session.answerTool(used.call.id, '{"arrives":"Monday"}');
    call.session.respond();
    // A model may say at first that it is looking, in the same breath or in another.
    let heard = '';
    while (!heard.endsWith('It comes on Monday.')) heard = (await call.utterance(fixture)).heard;
    assert.ok(fixture.sent().includes('arrives'), 'the model never got the result');
    await call.hangUp();
    assert.equal(call.count('tool-call'), 1);
  });

  test('tells of a model that cannot be reached that it may be tried again', async ({ unreachable }) => {
    const call = new Call(unreachable.open(request), patienceMs);
    const { error } = await call.until('closed');
    assert.ok(CallkiteError.isInstance(error));
    assert.equal(error.code, 'provider_unavailable');
    assert.equal(error.retryable, true);
    assert.equal(call.events.length, 1);
  });

  test('gives up a model that never answers', async ({ silent }) => {
    const call = new Call(silent.open(request), patienceMs);
    const { error } = await call.until('closed');
    assert.ok(CallkiteError.isInstance(error));
    assert.equal(error.code, 'provider_unavailable');
    assert.equal(error.retryable, true);
    assert.equal(call.events.length, 1);
  });

  test('tells of a key that is refused that there is no use in trying', async ({ refused }) => {
    const call = new Call(refused.open(request), patienceMs);
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
  readonly #patienceMs: number;

  constructor(session: SpeechSession, patienceMs: number) {
    this.session = session;
    this.#patienceMs = patienceMs;
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
    const deadline = Date.now() + this.#patienceMs;
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
    if (this.count('closed') === 0) await this.until('closed');
    // Nothing comes after the end, not even late.
    await delay(20);
    if (this.#disorder) throw this.#disorder;
  }

  /** How many events of the type there were. */
  count(type: SpeechModelEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }
}

async function eventually(
  isSo: () => boolean,
  patienceMs: number,
  otherwise = 'the model was not sent what it is to know',
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!isSo()) {
    assert.ok(Date.now() < deadline, otherwise);
    await delay(5);
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
    case 'callee-speaking':
      assert.equal(
        told('callee-speaking', event.turnId),
        !event.speaking,
        'a turn ends once, and after its beginning',
      );
      break;
    case 'response-ended': {
      const begun = before.flatMap((each) => (each.type === 'speech' ? [each.utteranceId] : []));
      assert.ok(
        begun.every((id) => told('speech-ended', id)),
        'a response that ended before its speech',
      );
      break;
    }
  }
  if (event?.type !== 'closed') assert.equal(events[0]?.type, 'ready', 'an event before ready');
}
