import * as z from 'zod';
import { ApiError } from './api-error.ts';

const scriptedCall = z.strictObject({
  name: z.string().min(1),
  /** An object, or the exact text to send when it must not be well-formed JSON. */
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]),
});

export const scriptedReply = z.union([
  z.string(),
  z.strictObject({
    text: z.string().optional(),
    refusal: z.string().optional(),
    toolCalls: z.array(scriptedCall).optional(),
    /** @default 'tool_calls' with tool calls, else 'stop' */
    finishReason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
  }),
]);

/** One exact reply: a text, or text, refusal and tool calls. */
export type ScriptedReply = z.input<typeof scriptedReply>;

/** How a script went: replies nobody asked for, and requests beyond its end. */
export interface ScriptReport {
  /** Replies that were not asked for yet. */
  unconsumed: ScriptedReply[];
  /** Number of requests that came after the last reply. */
  unexpectedRequests: number;
}

export interface Script {
  /** Whether the script, and not the model, answers. */
  active(): boolean;
  /** Replaces the script and its report; undefined gives the answers back to the model. */
  load(replies: ScriptedReply[] | undefined): void;
  /** @throws ApiError 400 `script_exhausted` when no reply is left; a 400 is not retried by clients. */
  next(): Exclude<ScriptedReply, string>;
  report(): ScriptReport;
}

export function script(initial: ScriptedReply[] | undefined): Script {
  let replies: ScriptedReply[] | undefined;
  let position = 0;
  let unexpectedRequests = 0;

  function load(next: ScriptedReply[] | undefined): void {
    replies = next === undefined ? undefined : z.array(scriptedReply).parse(next);
    position = 0;
    unexpectedRequests = 0;
  }

  load(initial);
  return {
    active: () => replies !== undefined,
    load,
    next() {
      const reply = replies?.[position];
      if (reply === undefined) {
        unexpectedRequests += 1;
        throw new ApiError(
          `The emulator's script has only ${replies?.length ?? 0} replies and all are used: add one or send fewer requests.`,
          { code: 'script_exhausted' },
        );
      }
      position += 1;
      return typeof reply === 'string' ? { text: reply } : reply;
    },
    report: () => ({ unconsumed: replies?.slice(position) ?? [], unexpectedRequests }),
  };
}
