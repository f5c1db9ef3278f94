import {
  CallkiteError,
  type CarrierAccount,
  type CarrierRecording,
  type RecordingFile,
} from '@callkite/core';
import { wholeNumberOf } from './call-facts.ts';
import type { RestClient } from './rest-client.ts';
import { restFailureOf, toCallkiteError } from './rest-failure.ts';

const CALL_IS_OVER = 21220;
const MAXIMUM_RECORDINGS = 100;
const FETCH_TIMEOUT_MS = 60_000;
/** An hour of two channels, the longest call there is. */
const MAXIMUM_SOUND_BYTES = 128 * 1024 * 1024;

/** What a recording that we ask for is like, over REST and in TwiML. */
export const recordingEvents = ['in-progress', 'completed', 'absent'];

export async function startRecording(
  client: RestClient,
  providerCallId: string,
  statusCallback: string,
): Promise<void> {
  try {
    await client.calls(providerCallId).recordings.create({
      recordingStatusCallback: statusCallback,
      recordingStatusCallbackEvent: recordingEvents,
      recordingChannels: 'dual',
      trim: 'do-not-trim',
    });
  } catch (error) {
    const failure = restFailureOf(error);
    if (failure?.code === CALL_IS_OVER || failure?.status === 404) return;
    throw toCallkiteError(error);
  }
}

export async function findRecordings(
  client: RestClient,
  providerCallId: string,
): Promise<readonly CarrierRecording[]> {
  try {
    const found = await client.calls(providerCallId).recordings.list({ limit: MAXIMUM_RECORDINGS });
    return found.map(({ sid, status, duration }) => ({
      providerRecordingId: sid,
      status: recordingStatusOf(status) ?? 'processing',
      durationSeconds: wholeNumberOf(duration),
    }));
  } catch (error) {
    if (restFailureOf(error)?.status === 404) return [];
    throw toCallkiteError(error);
  }
}

export async function stopRecording(
  client: RestClient,
  providerCallId: string,
  providerRecordingId: string,
): Promise<void> {
  try {
    await client.calls(providerCallId).recordings(providerRecordingId).update({ status: 'stopped' });
  } catch (error) {
    // Twilio refuses to stop what is over or gone.
    const status = restFailureOf(error)?.status;
    if (status !== 400 && status !== 404) throw toCallkiteError(error);
  }
}

export async function deleteRecording(
  client: RestClient,
  providerCallId: string,
  providerRecordingId: string,
): Promise<void> {
  await stopRecording(client, providerCallId, providerRecordingId);
  try {
    await client.recordings(providerRecordingId).remove();
  } catch (error) {
    if (restFailureOf(error)?.status !== 404) throw toCallkiteError(error);
  }
}

/** Fetched without the SDK, which takes every answer for text. */
export async function fetchRecording(
  origin: string,
  account: CarrierAccount,
  providerRecordingId: string,
): Promise<RecordingFile | null> {
  const path = `/2010-04-01/Accounts/${account.accountId}/Recordings/${encodeURIComponent(providerRecordingId)}.wav`;
  const credentials = Buffer.from(`${account.accountId}:${account.secret}`).toString('base64');
  let response: Response;
  try {
    response = await fetch(`${origin}${path}?RequestedChannels=2`, {
      headers: { authorization: `Basic ${credentials}` },
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    });
    if (response.ok) {
      const contentType = response.headers.get('content-type') ?? '';
      if (!contentType.startsWith('audio/')) throw unavailable('no audio');
      return { contentType, bytes: await readAll(response) };
    }
    await response.body?.cancel();
  } catch (error) {
    if (CallkiteError.isInstance(error)) throw error;
    throw unavailable('no readable answer');
  }
  if (response.status === 404) return null;
  throw unavailable(`HTTP ${response.status}`);
}

async function readAll(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAXIMUM_SOUND_BYTES) throw unavailable('more than any call can hold');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function unavailable(answer: string): CallkiteError {
  return new CallkiteError('provider_unavailable', `Twilio did not return the recording (${answer})`, {
    retryable: true,
  });
}

const statuses: Readonly<Record<string, CarrierRecording['status']>> = {
  'in-progress': 'recording',
  paused: 'recording',
  stopped: 'processing',
  processing: 'processing',
  completed: 'completed',
  absent: 'absent',
  failed: 'absent',
};

/** Twilio's word for the state of a recording; `null` for one we do not know. */
export function recordingStatusOf(text: string | null | undefined): CarrierRecording['status'] | null {
  return statuses[text ?? ''] ?? null;
}
