import type { CallRecord } from '../../calls/call-store.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import type { Logger } from '../../kernel/logger.ts';
import { retry } from '../../kernel/retry.ts';
import { sanitizeForStorage } from '../session/transcript.ts';
import type { AgentTool } from './agent-tool.ts';
import type { ToolCallRecord, ToolCallStore } from './tool-call-store.ts';
import { type ConversationTool, conversationTool, type ToolUse } from './tools.ts';

const defaultDeadlineMs = 8_000;
/** How long a use may wait to be recorded. */
const longestRecordingMs = 2_000;
const longestResult = 8_000;
/** What the brief repeats of earlier uses. */
const resultsRepeated = 10;
const longestRepeated = 1_000;

/** The tools of embedders on one call. */
export interface CustomTools {
  readonly tools: readonly ConversationTool[];
  /** What came of earlier uses, for the brief: messages of one turn are gone in the next. */
  describe(): readonly string[];
  /** Resolves when no tool is at work and everything is stored or given up. Never rejects. */
  settled(): Promise<void>;
}

interface Outcome {
  readonly status: 'ok' | 'failed';
  readonly result: string;
}

type ToolInput = Readonly<Record<string, unknown>>;

/** A use as this process knows it. */
interface KnownUse {
  readonly name: string;
  readonly input: string;
  outcome: Outcome | null;
  /** Settles when there is an outcome; `null` for a use of an earlier process. */
  readonly atWork: Promise<Outcome> | null;
}

export function customTools(options: {
  call: CallRecord;
  /** Those the workflow names. */
  tools: readonly AgentTool[];
  /** What earlier processes did. */
  earlier: readonly ToolCallRecord[];
  store: Pick<ToolCallStore, 'begin' | 'finish'>;
  emit: EmitEvent;
  logger: Logger;
}): CustomTools {
  const { call, store, emit, logger } = options;
  const known = new Map<string, KnownUse>();
  const writes: Promise<void>[] = [];
  for (const { turn, index, name, input, status, result } of options.earlier) {
    const outcome = status === 'running' ? null : { status, result: result ?? '' };
    known.set(`${turn}/${index}`, { name, input, outcome, atWork: null });
  }

  async function work(tool: AgentTool, input: unknown, idempotencyKey: string): Promise<Outcome> {
    const deadline = new AbortController();
    const { deadlineMs = defaultDeadlineMs } = tool;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => {
        deadline.abort(new Error(`the tool ${tool.name} took longer than ${deadlineMs} ms`));
        logger.warn({ callId: call.id, tool: tool.name, deadlineMs }, 'tool timed out');
        const result =
          'The tool did not answer in time; whether it did its work is unknown. Tell the callee, and do not try again.';
        resolve({ status: 'failed', result });
      }, deadlineMs);
    });
    try {
      return await Promise.race([answerOf(tool, input, idempotencyKey, deadline.signal), tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function answerOf(
    tool: AgentTool,
    input: unknown,
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { id, organizationId, mode, workflowId, from, to } = call;
    const { recipientName, recipientEmail, recipientContext } = call;
    const facts = { id, organizationId, mode, workflowId, from, to, recipientName, recipientEmail };
    try {
      const value = await tool.handler({
        input,
        call: { ...facts, recipientContext },
        idempotencyKey,
        signal,
      });
      const result = sanitizeForStorage(JSON.stringify(value) ?? 'null');
      if (result.length <= longestResult) return { status: 'ok', result };
      return { status: 'ok', result: `${result.slice(0, longestResult)} … (cut: too long)` };
    } catch (error) {
      logger.warn({ callId: call.id, tool: tool.name, error }, 'tool failed');
      const reason = CallkiteError.isInstance(error) ? ` ${sanitizeForStorage(error.message)}.` : '';
      return { status: 'failed', result: `The tool failed.${reason} Go on without it.` };
    }
  }

  /** Runs the tool unless this very use was recorded before. */
  async function use(tool: AgentTool, input: ToolInput, { turn, index }: ToolUse): Promise<string> {
    const text = JSON.stringify(input);
    for (let slot = index; ; slot += 1) {
      const key = { turn, index: slot };
      const name = `${turn}/${slot}`;
      let recorded = known.get(name);
      if (!recorded) {
        const found = await retry(() => store.begin(call.id, { ...key, name: tool.name, input: text }), {
          giveUpAfterMs: longestRecordingMs,
        });
        if (!found) return run(tool, input, text, key);
        const outcome =
          found.status === 'running' ? null : { status: found.status, result: found.result ?? '' };
        recorded = { name: found.name, input: found.input, outcome, atWork: null };
        known.set(name, recorded);
      }
      if (recorded.name !== tool.name || recorded.input !== text) continue;
      if (recorded.atWork) return (await recorded.atWork).result;
      return (
        recorded.outcome?.result ??
        'This was begun before, and whether it was done is unknown. Tell the callee, and do not try again.'
      );
    }
  }

  async function run(
    tool: AgentTool,
    input: ToolInput,
    text: string,
    key: { turn: number; index: number },
  ): Promise<string> {
    emit({ type: 'call.tool', callId: call.id, name: tool.name, args: input });
    const atWork = work(tool, input, `${call.id}/${key.turn}/${key.index}`);
    const entry: KnownUse = { name: tool.name, input: text, outcome: null, atWork };
    known.set(`${key.turn}/${key.index}`, entry);
    const stored = atWork.then(async (outcome) => {
      entry.outcome = outcome;
      await retry(() => store.finish(call.id, key, outcome));
    });
    writes.push(
      stored.catch((error: unknown) =>
        logger.error({ callId: call.id, tool: tool.name, error }, 'failed to store a tool result'),
      ),
    );
    return (await atWork).result;
  }

  return {
    tools: options.tools.map((tool) =>
      conversationTool({
        name: tool.name,
        description: tool.description,
        input: tool.input,
        async run(input, toolUse) {
          try {
            return { answer: await use(tool, input, toolUse) };
          } catch (error) {
            logger.error({ callId: call.id, tool: tool.name, error }, 'failed to record a tool call');
            return { answer: 'The tool cannot be used at the moment. Nothing was done. Go on without it.' };
          }
        },
      }),
    ),
    describe: () =>
      [...known.values()].slice(-resultsRepeated).map(({ name, input, outcome, atWork }) => {
        const unknown = atWork ? 'at work' : 'begun, whether it was done is unknown';
        return `- ${name} ${input}: ${outcome?.result ?? unknown}`.slice(0, longestRepeated);
      }),
    async settled() {
      await Promise.all(writes);
    },
  };
}
