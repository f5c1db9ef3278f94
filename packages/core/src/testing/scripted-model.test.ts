import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { TurnPart, TurnRequest } from '../agent/ports/language-model.ts';
import { ScriptedModel } from './scripted-model.ts';

const controller = new AbortController();
const request: TurnRequest = {
  instructions: '',
  messages: [],
  tools: [],
  maximumTokens: 500,
  signal: controller.signal,
};

async function partsOf(model: ScriptedModel, signal = request.signal): Promise<TurnPart[]> {
  const parts: TurnPart[] = [];
  for await (const part of model.streamTurn({ ...request, signal })) parts.push(part);
  return parts;
}

const objectRequest = {
  schema: z.strictObject({ answer: z.string() }),
  name: 'answer',
  instructions: '',
  input: '',
  signal: controller.signal,
};

describe('ScriptedModel', () => {
  it('plays its script', async () => {
    const model = new ScriptedModel([{ turn: ['Hi', { waitMs: 1 }, { tool: 'look', input: { at: 1 } }] }]);
    model.expect({ object: { answer: 'yes' } }, { turn: [{ end: 'length' }] });
    expect(await partsOf(model)).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'tool-call', call: { id: 'tool_1', name: 'look', arguments: '{"at":1}' } },
      { type: 'end', reason: 'tool-calls' },
    ]);
    expect(await model.generateObject(objectRequest)).toEqual({ answer: 'yes' });
    expect(await partsOf(model)).toEqual([{ type: 'end', reason: 'length' }]);
    model.assertFinished();
    expect([model.turns.length, model.objects.length]).toEqual([2, 1]);
  });

  it('rejects with the reason of an abort', async () => {
    const model = new ScriptedModel([{ turn: [{ hang: true }] }]);
    const stop = new AbortController();
    const parts = partsOf(model, stop.signal);
    stop.abort(new Error('enough'));
    await expect(parts).rejects.toThrow('enough');
    model.assertFinished();
  });

  it('complains about what it does not expect, for good', async () => {
    const model = new ScriptedModel([{ object: { answer: 'yes' } }]);
    await expect(partsOf(model)).rejects.toThrow('does not expect a turn');
    await expect(model.generateObject(objectRequest)).rejects.toThrow('does not expect an object');
    expect(() => model.assertFinished()).toThrow();
  });

  it('complains about what was left over or is still open', async () => {
    expect(() => new ScriptedModel([{ object: {} }]).assertFinished()).toThrow('nobody asked for');
    const model = new ScriptedModel([{ turn: ['Hi'] }]);
    const iterator = model.streamTurn(request)[Symbol.asyncIterator]();
    await iterator.next();
    expect(() => model.assertFinished()).toThrow('still open');
    await iterator.return?.();
    model.assertFinished();
  });

  it('holds scripted objects to the schema', async () => {
    const model = new ScriptedModel([{ object: { answer: 1 } }]);
    await expect(model.generateObject(objectRequest)).rejects.toThrow();
  });
});
