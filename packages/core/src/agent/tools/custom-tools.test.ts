import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { CallRecord } from '../../calls/call-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { type AgentTool, type AgentToolUse, defineTool } from './agent-tool.ts';
import { customTools } from './custom-tools.ts';
import type { ToolCallRecord, ToolCallStore } from './tool-call-store.ts';

const call = { id: 'call_1', organizationId: 'org_1', to: '+12025550123' } as CallRecord;
const input = z.object({ number: z.string() });

/** Keeps the records of one call, as a store would. */
function memory() {
  const records: ToolCallRecord[] = [];
  const store: Pick<ToolCallStore, 'begin' | 'finish'> = {
    async begin(_callId, use) {
      const found = records.find(({ turn, index }) => turn === use.turn && index === use.index);
      if (found) return { ...found };
      records.push({ ...use, status: 'running', result: null, at: new Date(), durationMs: null });
      return null;
    },
    async finish(_callId, { turn, index }, outcome) {
      const at = records.findIndex((each) => each.turn === turn && each.index === index);
      const found = records[at];
      if (found) records[at] = { ...found, ...outcome };
    },
  };
  return { records, store };
}

function start(handler: AgentTool['handler'], kept = memory(), earlier: readonly ToolCallRecord[] = []) {
  const uses: AgentToolUse<unknown>[] = [];
  const tool = defineTool({
    name: 'find_order',
    description: 'Tells where an order is.',
    input,
    handler(use) {
      uses.push(use);
      return handler(use);
    },
    deadlineMs: 3000,
  });
  const own = customTools({
    call,
    tools: [tool],
    earlier,
    store: kept.store,
    emit: () => undefined,
    logger: silentLogger,
  });
  const use = async (number: string, turn = 1, index = 0) => {
    const outcome = await own.tools[0]?.run({ number }, { turn, index });
    return outcome && 'answer' in outcome ? outcome.answer : null;
  };
  return { own, use, uses, kept };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a tool of an embedder', () => {
  it('gets its input and the facts of the call, and is recorded before it runs', async () => {
    const { own, use, uses, kept } = start(async () => {
      expect(kept.records).toMatchObject([{ turn: 4, index: 1, name: 'find_order', status: 'running' }]);
      return { state: 'sent' };
    });
    expect(await use('7', 4, 1)).toBe('{"state":"sent"}');
    await own.settled();
    expect(uses[0]).toMatchObject({
      input: { number: '7' },
      call: { id: 'call_1', to: '+12025550123' },
      idempotencyKey: 'call_1/4/1',
    });
    expect(kept.records).toMatchObject([
      { status: 'ok', result: '{"state":"sent"}', input: '{"number":"7"}' },
    ]);
    expect(own.describe()).toEqual(['- find_order {"number":"7"}: {"state":"sent"}']);
  });

  it('does not run again after a crash, but tells what it told', async () => {
    const before = start(() => 'sent');
    await before.use('7');
    await before.own.settled();
    const after = start(() => 'sent twice', before.kept, before.kept.records);
    expect(await after.use('7')).toBe('"sent"');
    expect(after.uses).toEqual([]);
    expect(await after.use('8')).toBe('"sent twice"');
    expect(after.uses).toHaveLength(1);
    expect(after.uses[0]?.idempotencyKey).toBe('call_1/1/1');
  });

  it('does not run again when a process died while it was at work', async () => {
    const kept = memory();
    await kept.store.begin('call_1', { turn: 1, index: 0, name: 'find_order', input: '{"number":"7"}' });
    for (const earlier of [[], kept.records]) {
      const { use, uses } = start(() => 'sent', kept, earlier);
      expect(await use('7')).toMatch(/unknown/);
      expect(uses).toEqual([]);
    }
  });

  it('is given up at its deadline, in words', async () => {
    const { own, use, uses, kept } = start(() => new Promise(() => {}));
    const answer = use('7');
    await vi.advanceTimersByTimeAsync(2900);
    expect(own.describe()).toEqual(['- find_order {"number":"7"}: at work']);
    expect(uses[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await answer).toMatch(/did not answer in time/);
    expect(uses[0]?.signal.aborted).toBe(true);
    expect(kept.records[0]?.status).toBe('failed');
  });

  it.each([
    [
      'an error, without its reason',
      new Error('password of the database'),
      'The tool failed. Go on without it.',
    ],
    [
      'our own error, with its message',
      new CallkiteError('conflict', 'The slot is taken'),
      /The slot is taken/,
    ],
  ])('tells %s', async (_what, error, words) => {
    const { use } = start(() => {
      throw error;
    });
    const answer = await use('7');
    if (typeof words === 'string') expect(answer).toBe(words);
    else expect(answer).toMatch(words);
  });

  it('may return nothing, too much, or what cannot be written', async () => {
    expect(await start(() => undefined).use('7')).toBe('null');
    expect((await start(() => 'x'.repeat(20_000)).use('7'))?.length).toBeLessThan(8100);
    const endless: { self?: unknown } = {};
    endless.self = endless;
    expect(await start(() => endless).use('7')).toMatch(/failed/);
  });

  it('does not run when it cannot be recorded, or its input is wrong', async () => {
    const kept = memory();
    kept.store.begin = async () => {
      throw new CallkiteError('storage_unavailable', 'away', { retryable: true });
    };
    const { own, use, uses } = start(() => 'sent', kept);
    const answer = use('7');
    await vi.advanceTimersByTimeAsync(5000);
    expect(await answer).toMatch(/Nothing was done/);
    expect(await own.tools[0]?.run({ number: 7 }, { turn: 1, index: 0 })).toEqual({
      answer: expect.stringContaining('refused'),
    });
    expect(uses).toEqual([]);
  });
});
