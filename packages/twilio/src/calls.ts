import { CallkiteError, type CarrierCall } from '@callkite/core';
import type { CallPage } from 'twilio/lib/rest/api/v2010/account/call.js';
import * as z from 'zod';
import { answeredByOf, callStatus, wholeNumberOf } from './call-facts.ts';
import type { RestClient } from './rest-client.ts';
import { restFailureOf, toCallkiteError } from './rest-failure.ts';

const CALL_IS_OVER = 21220;
const PAGE_SIZE = 100;

/** The fields of the SDK's call that we read. */
const callResource = z.object({
  sid: z.string(),
  status: callStatus,
  from: z.string(),
  to: z.string(),
  dateCreated: z.date().nullish().catch(null),
  answeredBy: z.string().nullish(),
  duration: z.union([z.string(), z.number()]).nullish(),
  queueTime: z.union([z.string(), z.number()]).nullish(),
});

export async function endCall(client: RestClient, providerCallId: string): Promise<void> {
  // `completed` ends a call in any live state; `canceled` would leave an answered one alone.
  await updateUnlessOver(() => client.calls(providerCallId).update({ status: 'completed' }));
}

export async function redirectCall(client: RestClient, providerCallId: string, twiml: string): Promise<void> {
  await updateUnlessOver(() => client.calls(providerCallId).update({ twiml }));
}

export async function fetchCall(client: RestClient, providerCallId: string): Promise<CarrierCall | null> {
  try {
    return carrierCall(await client.calls(providerCallId).fetch());
  } catch (error) {
    if (restFailureOf(error)?.status === 404) return null;
    throw toCallkiteError(error);
  }
}

/**
 * Reads listings newest first until they are older than asked for. No filter by time: `StartTime` is empty while a
 * call waits in Twilio's queue, so that such a call would be missed.
 */
export async function findCalls(
  client: RestClient,
  query: { readonly from: string; readonly to: string; readonly sinceMs: number },
): Promise<readonly CarrierCall[]> {
  // Twilio's dates have whole seconds: a call created in the same second looks older than it is.
  const sinceMs = Math.floor(query.sinceMs / 1000) * 1000;
  const found: CarrierCall[] = [];
  try {
    let page: Pick<CallPage, 'instances' | 'nextPage'> | undefined;
    page = await client.calls.page({ from: query.from, to: query.to, pageSize: PAGE_SIZE });
    while (page !== undefined) {
      const calls: CarrierCall[] = page.instances.map(carrierCall);
      const recent = calls.filter(({ createdAtMs }) => createdAtMs === null || createdAtMs >= sinceMs);
      found.push(...recent);
      page = recent.length < calls.length ? undefined : await page.nextPage();
    }
    return found;
  } catch (error) {
    throw toCallkiteError(error);
  }
}

async function updateUnlessOver(update: () => Promise<unknown>): Promise<void> {
  try {
    await update();
  } catch (error) {
    const failure = restFailureOf(error);
    if (failure?.code === CALL_IS_OVER || failure?.status === 404) return;
    throw toCallkiteError(error);
  }
}

function carrierCall(resource: unknown): CarrierCall {
  const { data } = callResource.safeParse(resource);
  if (data === undefined) {
    throw new CallkiteError('provider_unavailable', 'Twilio returned a call record that cannot be parsed', {
      retryable: true,
    });
  }
  return {
    providerCallId: data.sid,
    status: data.status,
    from: data.from,
    to: data.to,
    createdAtMs: data.dateCreated?.getTime() ?? null,
    answeredBy: answeredByOf(data.answeredBy),
    durationSeconds: wholeNumberOf(data.duration),
    queueMs: wholeNumberOf(data.queueTime),
  };
}
