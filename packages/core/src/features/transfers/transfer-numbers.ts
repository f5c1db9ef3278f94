import * as z from 'zod';
import type { CallRecord } from '../../calls/call-store.ts';
import { checkDestination } from '../../calls/destinations.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { OutboundFetch } from '../../kernel/outbound/outbound-fetch.ts';
import type { NewTransfer, TransferIntegration } from './transfer-store.ts';

type TransferredCall = Pick<CallRecord, 'id' | 'organizationId' | 'from' | 'to'>;

/** Which numbers a transfer rings. Nothing that is said on a call decides on them. */
export interface TransferNumbers {
  /** The numbers to ring at this moment, in order. Asks the dynamic address, for 5 s at most. */
  of(integration: TransferIntegration, call: TransferredCall): Promise<NewTransfer['legs']>;
  /** The rules of calls hold for transfers too; and nobody is connected with themselves. */
  rulesFor(call: TransferredCall): Promise<(phone: string) => boolean>;
}

export interface TransferNumbersDeps {
  /** Countries an organization may call, ISO codes. */
  allowedCountries(organizationId: string): Promise<readonly string[]>;
  /** Gives up on a request after 5 s. */
  outbound: Pick<OutboundFetch, 'ask'>;
  logger: Logger;
}

const lookupAnswer = z.object({ transferNumber: z.string() });

export function createTransferNumbers(deps: TransferNumbersDeps): TransferNumbers {
  const { outbound, logger } = deps;

  async function rulesFor({ organizationId, from, to }: TransferredCall) {
    const countries = await deps.allowedCountries(organizationId);
    return (phone: string) => phone !== from && phone !== to && isDestination(phone, countries);
  }

  async function lookUp(url: string, call: TransferredCall): Promise<string | null> {
    const answer = await outbound.ask({
      url,
      headers: { 'content-type': 'application/json', 'user-agent': 'Callkite' },
      body: JSON.stringify({ number: call.to }),
    });
    const number = answer === null ? null : numberIn(answer);
    if (number !== null && (await rulesFor(call))(number)) return number;
    logger.warn(
      { callId: call.id, answered: answer !== null, hasNumber: number !== null },
      'transfer lookup returned no usable number; using the configured one',
    );
    return null;
  }

  return {
    async of({ transferUrl, phoneNumber, fallbackNumbers }, call) {
      const dynamic = transferUrl === null ? null : await lookUp(transferUrl, call);
      const first = dynamic ?? phoneNumber;
      return [
        { id: createId('leg'), to: first, source: dynamic === null ? 'static' : 'dynamic' },
        ...fallbackNumbers
          .filter((to) => to !== first)
          .map((to) => ({ id: createId('leg'), to, source: 'fallback' as const })),
      ];
    },
    rulesFor,
  };
}

function isDestination(phone: string, countries: readonly string[]): boolean {
  try {
    checkDestination(phone, countries);
    return true;
  } catch (error) {
    if (CallkiteError.isInstance(error)) return false;
    throw error;
  }
}

function numberIn(answer: string): string | null {
  try {
    return lookupAnswer.safeParse(JSON.parse(answer)).data?.transferNumber ?? null;
  } catch {
    return null;
  }
}
