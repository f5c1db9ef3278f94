import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { CallkiteError } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { type ScriptedAnswer, ScriptedModel } from '../../testing/scripted-model.ts';
import type { TurnPart } from '../ports/language-model.ts';
import { runModelTurn } from '../relay/model-turn.ts';
import { withFallbackLanguageModel } from './fallback-language-model.ts';

const outage = new CallkiteError('provider_unavailable', 'the model server is failing', { retryable: true });
const refusedKey = new CallkiteError('provider_rejected', 'the model server refused the API key');
const hello: ScriptedAnswer = { turn: ['Hello.'] };
const hang: ScriptedAnswer = { turn: [{ hang: true }] };
const down: ScriptedAnswer = { turn: [{ error: outage }] };
const schema = z.object({ summary: z.string() });

let models: ScriptedModel[] = [];
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => rejections.push(reason);

beforeEach(() => {
  vi.useFakeTimers();
  process.on('unhandledRejection', onRejection);
});
afterEach(async () => {
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  // Node tells of rejections nobody handles once the promises of this turn of the loop have run.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', onRejection);
  expect(rejections.splice(0)).toEqual([]);
  for (const model of models) model.assertFinished();
});

function two(firstScript: ScriptedAnswer[], secondScript: ScriptedAnswer[]) {
  const first = new ScriptedModel(firstScript);
  const second = new ScriptedModel(secondScript);
  models = [first, second];
  const log: object[] = [];
  const logger = {
    ...silentLogger,
    info: (fields: object) => log.push(fields),
    warn: (fields: object) => log.push(fields),
  };
  return { first, second, log, model: withFallbackLanguageModel(first, second, { logger }) };
}

const request = (signal = new AbortController().signal) => ({
  instructions: 'You are on the phone.',
  messages: [{ role: 'user' as const, content: 'Who is this?' }],
  tools: [],
  maximumTokens: 500,
  signal,
});
const objectRequest = (signal = new AbortController().signal) => ({
  schema,
  name: 'summary',
  instructions: 'Summarize.',
  input: 'A call.',
  signal,
});

/** Reads a turn in the background. */
function read(turn: AsyncIterable<TurnPart>) {
  const texts: string[] = [];
  const end = (async () => {
    for await (const part of turn) if (part.type === 'text') texts.push(part.text);
  })();
  end.catch(() => {});
  return { texts, end };
}

async function heard(turn: AsyncIterable<TurnPart>): Promise<string[]> {
  const { texts, end } = read(turn);
  await end;
  return texts;
}

describe('a turn', () => {
  it('is the first model’s as long as that is well, and costs the second nothing', async () => {
    const { model, second, log } = two([hello, { turn: [{ waitMs: 4900 }, 'Hello.'] }], []);
    expect(await heard(model.streamTurn(request()))).toEqual(['Hello.']);
    const slow = read(model.streamTurn(request()));
    await vi.advanceTimersByTimeAsync(4900);
    await slow.end;
    expect(slow.texts).toEqual(['Hello.']);
    expect(second.turns).toHaveLength(0);
    expect(log).toEqual([]);
  });

  it('is asked for before anything is waited for', () => {
    const { model, first } = two([hello], []);
    void heard(model.streamTurn(request()));
    expect(first.turns).toHaveLength(1);
  });

  it.each([
    ['cannot be had', outage],
    ['is refused for good', refusedKey],
  ])('is asked of the second at once where it %s', async (_, error) => {
    const { model, second, log } = two([{ turn: [{ error }] }], [hello]);
    expect(await heard(model.streamTurn(request()))).toEqual(['Hello.']);
    expect(second.turns[0]).toMatchObject({ messages: request().messages });
    expect(log).toEqual([
      { request: 'turn', model: 'first', error: expect.objectContaining({ code: error.code }) },
      { request: 'turn', model: 'second' },
    ]);
  });

  it('is asked of the second as well where the first is slow, which is canceled when the second begins', async () => {
    const { model, first, second } = two([hang], [{ turn: [{ waitMs: 300 }, 'Hello', ' there.'] }]);
    const turn = read(model.streamTurn(request()));
    await vi.advanceTimersByTimeAsync(4999);
    expect(second.turns).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([first.open, second.open]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(300);
    await turn.end;
    expect(turn.texts).toEqual(['Hello', ' there.']);
    expect(first.turns[0]?.signal.aborted).toBe(true);
    expect(first.open).toBe(0);
  });

  it('is heard from the first where that begins after all', async () => {
    const { model, first, second } = two([{ turn: [{ waitMs: 6000 }, 'Hello.'] }, hello], [hang]);
    const turn = read(model.streamTurn(request()));
    await vi.advanceTimersByTimeAsync(6000);
    await turn.end;
    expect(turn.texts).toEqual(['Hello.']);
    expect(second.turns[0]?.signal.aborted).toBe(true);
    await heard(model.streamTurn(request()));
    expect(first.turns).toHaveLength(2);
  });

  it('is heard from one only where both begin in the same moment', async () => {
    const { model } = two([{ turn: [{ waitMs: 5500 }, 'One.'] }], [{ turn: [{ waitMs: 500 }, 'Two.'] }]);
    const turn = read(model.streamTurn(request()));
    await vi.advanceTimersByTimeAsync(5500);
    await turn.end;
    expect(turn.texts).toHaveLength(1);
  });

  it.each<[string, ScriptedAnswer[], ScriptedAnswer[], CallkiteError]>([
    ['is down, too', [{ turn: [{ error: refusedKey }] }], [down], outage],
    ['refuses it', [down], [{ turn: [{ error: refusedKey }] }], outage],
    [
      'refuses it as the first does',
      [{ turn: [{ error: refusedKey }] }],
      [{ turn: [{ error: refusedKey }] }],
      refusedKey,
    ],
  ])('fails where the second %s, if possible with what may pass', async (_, one, two_, error) => {
    const { model } = two(one, two_);
    await expect(heard(model.streamTurn(request()))).rejects.toBe(error);
  });

  it('waits for the first where the second fails at once', async () => {
    const { model } = two([{ turn: [{ waitMs: 7000 }, 'Hello.'] }], [down]);
    const turn = read(model.streamTurn(request()));
    await vi.advanceTimersByTimeAsync(7000);
    await turn.end;
    expect(turn.texts).toEqual(['Hello.']);
  });

  it('that is aborted is canceled everywhere, and rejects with the reason', async () => {
    const { model, first, second } = two([hang], [hang]);
    const abort = new AbortController();
    const turn = read(model.streamTurn(request(abort.signal)));
    await vi.advanceTimersByTimeAsync(6000);
    expect([first.open, second.open]).toEqual([1, 1]);
    const reason = new Error('the callee speaks');
    abort.abort(reason);
    await expect(turn.end).rejects.toBe(reason);
    await vi.advanceTimersByTimeAsync(0);
    expect([first.open, second.open]).toEqual([0, 0]);
  });

  it('that is aborted before the first was slow is not asked of the second', async () => {
    const { model } = two([hang], []);
    const abort = new AbortController();
    const turn = read(model.streamTurn(request(abort.signal)));
    await vi.advanceTimersByTimeAsync(1000);
    abort.abort(new Error('the callee speaks'));
    await expect(turn.end).rejects.toThrow('the callee speaks');
    await vi.advanceTimersByTimeAsync(10_000);
  });

  it('that is left early is cancelled', async () => {
    const { model, first } = two([{ turn: ['Hello,', ' my', ' name'] }], []);
    for await (const part of model.streamTurn(request())) {
      expect(part).toEqual({ type: 'text', text: 'Hello,' });
      break;
    }
    expect(first.open).toBe(0);
  });
});

describe('an answer that breaks off', () => {
  const turnOf = (model: ReturnType<typeof two>['model']) => {
    const texts: string[] = [];
    const result = runModelTurn({
      ...request(),
      callId: 'call_1',
      languageModel: model,
      turn: 1,
      onText: (text) => texts.push(text),
      onBroken: () => texts.push('(broke off)'),
      onSlow: () => texts.push('(one moment)'),
      logger: silentLogger,
    });
    return { texts, result };
  };

  it('is finished by the second', async () => {
    const { model, second } = two(
      [{ turn: ['We are', { error: outage }] }],
      [{ turn: ['are open until six.'] }],
    );
    const { texts, result } = turnOf(model);
    expect(await result).toBe('answered');
    expect(texts).toEqual(['We are', '(broke off)', 'are open until six.']);
    // The last word may not have been whole.
    expect(second.turns[0]?.messages.at(-2)).toEqual({ role: 'assistant', content: 'We ' });
  });

  it('is finished by the second, too, where the first only falls silent', async () => {
    const { model } = two([{ turn: ['We are', { hang: true }] }], [{ turn: [' open until six.'] }]);
    const { texts, result } = turnOf(model);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await result).toBe('answered');
    expect(texts).toEqual(['We are', '(broke off)', ' open until six.']);
  });

  it('of the second is waited for', async () => {
    const { model } = two([down], [{ turn: ['We are', { waitMs: 8000 }, ' open.'] }]);
    const { texts, result } = turnOf(model);
    await vi.advanceTimersByTimeAsync(8000);
    expect(await result).toBe('answered');
    expect(texts).toEqual(['We are', ' open.']);
  });

  it('is not waited for while whoever listens takes their time', async () => {
    const { model } = two([{ turn: ['One.', 'Two.'] }], []);
    const texts: string[] = [];
    const listening = (async () => {
      for await (const part of model.streamTurn(request())) {
        if (part.type === 'text') texts.push(part.text);
        await new Promise((resolve) => setTimeout(resolve, 20_000));
      }
    })();
    await vi.advanceTimersByTimeAsync(60_000);
    await listening;
    expect(texts).toEqual(['One.', 'Two.']);
  });

  it('ends the turn where both are down, after two requests to each', async () => {
    const { model, first, second } = two([down, down], [down, down]);
    expect(await turnOf(model).result).toBe('failed');
    expect([first.turns.length, second.turns.length]).toEqual([2, 2]);
  });

  it('ends the turn where both are silent', async () => {
    const { model } = two([hang], [hang]);
    const { texts, result } = turnOf(model);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await result).toBe('failed');
    expect(texts).toEqual(['(one moment)']);
  });
});

describe('a first model that failed', () => {
  it('is left alone for half a minute, and then asked first again', async () => {
    const { model, first, second } = two([down, hello, hello], [hello, hello]);
    await heard(model.streamTurn(request()));
    await vi.advanceTimersByTimeAsync(29_000);
    await heard(model.streamTurn(request()));
    expect([first.turns.length, second.turns.length]).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(1000);
    await heard(model.streamTurn(request()));
    await heard(model.streamTurn(request()));
    expect([first.turns.length, second.turns.length]).toEqual([3, 2]);
  });

  it('is tried by one request only, while others keep to the second', async () => {
    const { model, first, second } = two([down, hang], [hello, hello, hello]);
    await heard(model.streamTurn(request()));
    await vi.advanceTimersByTimeAsync(30_000);
    const trying = read(model.streamTurn(request()));
    await heard(model.streamTurn(request()));
    expect([first.turns.length, second.turns.length]).toEqual([2, 2]);
    await vi.advanceTimersByTimeAsync(5000);
    await trying.end;
  });

  it('is asked where the second fails, and then first again', async () => {
    const { model, first } = two([down, hello, hello], [hello, down]);
    for (let turn = 1; turn <= 3; turn += 1) {
      expect(await heard(model.streamTurn(request()))).toEqual(['Hello.']);
    }
    expect(first.turns).toHaveLength(3);
  });
});

describe('an object', () => {
  const summary: ScriptedAnswer = { object: { summary: 'All is well.' } };

  it('is the first model’s as long as that is well', async () => {
    const { model } = two([summary], []);
    expect(await model.generateObject(objectRequest())).toEqual({ summary: 'All is well.' });
  });

  it.each([
    ['fails', { objectError: outage }, 0],
    ['refuses', { objectError: refusedKey }, 0],
    ['is slow', { objectHang: true }, 10_000],
  ] as const)('is the second’s where the first %s', async (_, answer, afterMs) => {
    const { model } = two([answer], [summary]);
    const generated = model.generateObject(objectRequest());
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(await generated).toEqual({ summary: 'All is well.' });
  });

  it('that is not wanted any more is asked of nobody else', async () => {
    const { model } = two([{ objectHang: true }], []);
    const abort = new AbortController();
    const generated = model.generateObject(objectRequest(abort.signal));
    const reason = new Error('shutting down');
    abort.abort(reason);
    await expect(generated).rejects.toBe(reason);
  });
});
