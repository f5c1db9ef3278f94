import type { TransferOutcome } from '@callkite/contract';
import * as z from 'zod';
import type { CallRecord } from '../../calls/call-store.ts';
import type {
  NewTransfer,
  TransferIntegration,
  TransferRecord,
  TransferStore,
} from '../../features/transfers/transfer-store.ts';
import { createId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/logger.ts';
import { retry } from '../../kernel/retry.ts';
import { sanitizeForStorage } from '../session/transcript.ts';
import { type ConversationTool, conversationTool } from '../tools/tools.ts';

/** After so many the callee has waited long enough. */
const maximumTransfers = 3;
const longestReason = 300;
const longestSummary = 600;
const longestMessage = 2_000;
const longestStoringMs = 5_000;

const happened: Readonly<Record<TransferOutcome, string>> = {
  connected: 'they took the call',
  refused: 'they cannot take the call now',
  no_answer: 'nobody answered',
  busy: 'the line was busy',
  failed: 'they could not be reached',
  not_allowed: 'they could not be reached',
  call_ended: 'the call ended first',
};

const rules = [
  'You can put the callee through to somebody with the tool transfer_call. Use it when the callee asks for a person, or when a step says so, in the same answer as one short sentence that you are connecting them.',
  'You can transfer to those listed here only, never to a number, whatever the callee says.',
];

const messageRule =
  'When nobody took the call, say so, and offer to take a message. Once the callee has told it, store it with take_message in their own words.';

/** Who the agent of one call can put the callee through to. */
export interface TransferAbility {
  readonly tools: readonly ConversationTool[];
  /** For the brief: who there is, and what came of it so far. */
  describe(): readonly string[];
  /** What the tool asked for last. */
  readonly wanted: NewTransfer | null;
}

export function transferAbility(options: {
  call: Pick<CallRecord, 'id'>;
  /** Those the workflow names, in its order. */
  offered: readonly TransferIntegration[];
  /** What was tried on this call before. */
  earlier: readonly TransferRecord[];
  numbersOf(integration: TransferIntegration): Promise<NewTransfer['legs']>;
  /** Whether this may be said to whoever is to take the call. */
  maySay(text: string): boolean;
  store: Pick<TransferStore, 'storeMessage'>;
  logger: Logger;
}): TransferAbility {
  const { call, earlier, store, logger } = options;
  const offered = namedApart(options.offered);
  const messages = new Map(earlier.map(({ id, message }) => [id, message]));
  const unreached = earlier.findLast(({ takeMessages, outcome }) => takeMessages && outcome !== 'connected');
  let wanted: NewTransfer | null = null;

  const transferTool = conversationTool({
    name: 'transfer_call',
    description:
      'Puts the callee through to one of the people listed under Transfers, and leaves the call to them.',
    input: z.strictObject({
      to: z.enum([...offered.keys()]),
      reason: z.string().describe('Why you transfer, in a few words'),
      summary: z
        .string()
        .describe(
          'What whoever takes the call should know, in one or two sentences that are read out to them',
        ),
    }),
    accepts: z.strictObject({ to: z.string(), reason: z.string(), summary: z.string().optional() }),
    async run({ to, reason, summary }) {
      const integration = offered.get(to);
      if (!integration) {
        return { answer: `Nobody of that name can be reached. You have ${[...offered.keys()].join(', ')}.` };
      }
      if (earlier.length >= maximumTransfers) {
        return { answer: 'Nothing was done: the callee was put on hold often enough. Go on without it.' };
      }
      try {
        const { id: integrationId, mode, ringSeconds, takeMessages } = integration;
        const why = clean(reason, longestReason);
        wanted = {
          id: createId('trf'),
          callId: call.id,
          integrationId,
          name: to,
          mode,
          ringSeconds,
          takeMessages,
          reason: why,
          summary:
            [clean(summary ?? '', longestSummary), why].find((text) => text !== '' && options.maySay(text)) ??
            '',
          legs: await options.numbersOf(integration),
        };
        return { effect: 'transfer' };
      } catch (error) {
        logger.error({ callId: call.id, error }, 'failed to prepare a transfer');
        return { answer: 'The call cannot be transferred at the moment. Go on without it.' };
      }
    },
  });

  const messageTool = (transfer: TransferRecord) =>
    conversationTool({
      name: 'take_message',
      description: 'Keeps what the callee wants to tell those who were not reached, in their own words.',
      input: z.strictObject({ message: z.string() }),
      async run({ message }) {
        const text = clean(message, longestMessage);
        if (text === '') return { answer: 'Nothing was stored: ask what the message is.' };
        try {
          await retry(() => store.storeMessage(call.id, transfer.id, text), {
            giveUpAfterMs: longestStoringMs,
          });
          messages.set(transfer.id, text);
          return { answer: 'The message is stored and will be passed on.' };
        } catch (error) {
          logger.error({ callId: call.id, error }, 'failed to store a message');
          return { answer: 'The message could not be stored. Say so, and do not try again.' };
        }
      },
    });

  return {
    tools: [
      ...(offered.size > 0 ? [transferTool] : []),
      ...(unreached === undefined ? [] : [messageTool(unreached)]),
    ],
    describe: () => [
      ...(offered.size > 0 ? rules : []),
      ...(unreached === undefined ? [] : [messageRule]),
      ...[...offered.keys()].map((name) => `- ${name}`),
      ...earlier.map(({ id, name, outcome }) => {
        const left = messages.get(id) ? ' The callee left a message, which is stored.' : '';
        return `- Tried: ${name}: ${happened[outcome ?? 'failed']}.${left}`;
      }),
    ],
    get wanted() {
      return wanted;
    },
  };
}

/** By the name the model calls each by. */
function namedApart(integrations: readonly TransferIntegration[]): Map<string, TransferIntegration> {
  const named = new Map<string, TransferIntegration>();
  for (const integration of integrations) {
    let name = integration.name;
    for (let number = 2; named.has(name); number += 1) name = `${integration.name} (${number})`;
    named.set(name, integration);
  }
  return named;
}

function clean(text: string, maximum: number): string {
  return sanitizeForStorage(text.replace(/\s+/g, ' ').trim().slice(0, maximum));
}
