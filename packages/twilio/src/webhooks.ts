import {
  CallkiteError,
  type CarrierEvent,
  type CarrierRecording,
  type HttpRequest,
  type LegEvent,
  type VerifiedCarrierEvent,
} from '@callkite/core';
import twilio from 'twilio';
import * as z from 'zod';
import { answeredByOf, callStatus, wholeNumberOf } from './call-facts.ts';
import { type PublicAddress, type SocketKind, type WebhookPath, webhookPaths } from './public-address.ts';
import { recordingStatusOf } from './recordings.ts';

const BODY_LIMIT_BYTES = 64 * 1024;

type SecretOf = (attemptToken: string) => Promise<string | null>;
type FormParameters = Record<string, string | string[]>;

/** The parameters that we read; Twilio adds others at any time. */
const webhookForm = z.object({
  CallSid: z.string().min(1),
  CallStatus: z.string().nullish(),
  SequenceNumber: z.string().nullish(),
  CallDuration: z.string().nullish(),
  AnsweredBy: z.string().nullish(),
  SessionStatus: z.string().nullish(),
  RecordingSid: z.string().nullish(),
  RecordingStatus: z.string().nullish(),
  RecordingDuration: z.string().nullish(),
  DialCallStatus: z.string().nullish(),
  DialCallSid: z.string().nullish(),
  DialCallDuration: z.string().nullish(),
  DialBridged: z.string().nullish(),
  Digits: z.string().nullish(),
  SpeechResult: z.string().nullish(),
});
type WebhookForm = z.infer<typeof webhookForm>;

/** Verifies `X-Twilio-Signature` and parses. `null` when signature or token is not genuine. */
export async function receiveWebhook(
  address: PublicAddress,
  path: string,
  request: HttpRequest,
  secretOf: SecretOf,
): Promise<VerifiedCarrierEvent | null> {
  const webhook = webhookPaths.find((known) => known === path);
  if (webhook === undefined || request.method !== 'POST') return null;
  const query = new URLSearchParams(request.target.split('?')[1] ?? '');
  const attemptToken = query.get('token');
  const secret = await secretFor(attemptToken, secretOf);
  if (attemptToken === null || secret === null) return null;

  const body = Buffer.from(await request.readBody(BODY_LIMIT_BYTES)).toString('utf8');
  const parameters = formParameters(body);
  if (!isGenuine(address, request, 'webhook', secret, parameters)) return null;

  const { data: form } = webhookForm.safeParse({ ...parameters });
  if (form === undefined) throw unreadable();
  return { attemptToken, providerCallId: form.CallSid, event: carrierEvent(webhook, form, query) };
}

/** Verifies a WebSocket upgrade. `null` when it is not genuine. */
export async function receiveUpgrade(
  address: PublicAddress,
  path: string,
  request: HttpRequest,
  secretOf: SecretOf,
): Promise<{ readonly attemptToken: string; readonly kind: SocketKind } | null> {
  const [, kind, encodedToken] = /^(relay|media)\/([\w.~%-]+)$/.exec(path) ?? [];
  const attemptToken = encodedToken === undefined ? null : decoded(encodedToken);
  const secret = await secretFor(attemptToken, secretOf);
  if (secret === null || attemptToken === null) return null;
  if (!isGenuine(address, request, 'socket', secret, {})) return null;
  return { attemptToken, kind: kind === 'media' ? 'media' : 'relay' };
}

async function secretFor(attemptToken: string | null, secretOf: SecretOf): Promise<string | null> {
  return attemptToken === null || attemptToken === '' ? null : secretOf(attemptToken);
}

function isGenuine(
  address: PublicAddress,
  request: HttpRequest,
  kind: 'webhook' | 'socket',
  secret: string,
  parameters: FormParameters,
): boolean {
  const signature = request.headers['x-twilio-signature'];
  const url = address.ofRequest(request.target, kind);
  if (signature === undefined || url === null) return false;
  // Given the port written out, the SDK accepts a signature made with it or without it.
  return twilio.validateRequest(secret, signature, url, parameters);
}

function formParameters(body: string): FormParameters {
  const parameters: FormParameters = Object.create(null);
  for (const [name, value] of new URLSearchParams(body)) {
    const earlier = parameters[name];
    parameters[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return parameters;
}

function decoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function carrierEvent(webhook: WebhookPath, form: WebhookForm, query: URLSearchParams): CarrierEvent {
  const leg = (event: LegEvent): CarrierEvent => ({ type: 'leg', legId: legOf(query), event });
  switch (webhook) {
    case 'answer':
    // Twilio asks the fallback when an earlier answer failed, so that a healthy process can give it after all.
    case 'fallback':
      return { type: 'instructions-wanted', answeredBy: answeredByOf(form.AnsweredBy) };
    case 'status':
      return {
        type: 'status',
        status: statusOf(form),
        sequence: wholeNumberOf(form.SequenceNumber),
        durationSeconds: wholeNumberOf(form.CallDuration),
        answeredBy: answeredByOf(form.AnsweredBy),
      };
    case 'amd':
      return {
        type: 'answered-by',
        answeredBy: answeredByOf(form.AnsweredBy) ?? 'unknown',
        greetingEnded: form.AnsweredBy?.startsWith('machine_end') ?? false,
        beeped: form.AnsweredBy === 'machine_end_beep',
      };
    case 'relay-ended':
      return { type: 'channel-ended', how: howChannelEnded(form) };
    case 'media-ended':
      // Asked for after the stream, however it ended, while the callee is there.
      return { type: 'channel-ended', how: 'unknown' };
    case 'recording':
      return { type: 'recording', recording: recordingOf(form) };
    case 'dial-ended':
      return {
        type: 'dial-ended',
        legId: legOf(query),
        status: dialStatusOf(form),
        connected: connectedOf(form.DialBridged),
        durationSeconds: wholeNumberOf(form.DialCallDuration),
        providerLegId: form.DialCallSid ?? null,
        calleeLeft: form.CallStatus !== 'in-progress',
      };
    case 'leg-status':
      return leg({
        type: 'status',
        status: statusOf(form),
        durationSeconds: wholeNumberOf(form.CallDuration),
      });
    case 'leg-answered':
      return leg({ type: 'picked-up' });
    case 'leg-reply':
      return leg({
        type: 'replied',
        digit: form.Digits?.at(0) ?? null,
        words: form.SpeechResult ?? null,
        round: wholeNumberOf(query.get('round')) ?? 1,
      });
  }
}

function legOf(query: URLSearchParams): string {
  const leg = query.get('leg');
  if (leg === null || leg === '') throw unreadable();
  return leg;
}

function statusOf(form: WebhookForm): z.infer<typeof callStatus> {
  const { data } = callStatus.safeParse(form.CallStatus);
  if (data === undefined) throw unreadable();
  return data;
}

function recordingOf(form: WebhookForm): CarrierRecording {
  const status = recordingStatusOf(form.RecordingStatus);
  if (!form.RecordingSid || status === null) throw unreadable();
  return {
    providerRecordingId: form.RecordingSid,
    status,
    durationSeconds: wholeNumberOf(form.RecordingDuration),
  };
}

/** Twilio has `answered` besides, of conferences, which means as much as `completed`. */
function dialStatusOf({ DialCallStatus: status }: WebhookForm): z.infer<typeof callStatus> {
  const { data } = callStatus.safeParse(status === 'answered' ? 'completed' : status);
  if (data === undefined) throw unreadable();
  return data;
}

function connectedOf(bridged: string | null | undefined): boolean | null {
  return bridged === 'true' ? true : bridged === 'false' ? false : null;
}

function howChannelEnded(form: WebhookForm): 'callee-left' | 'we-ended' | 'lost' {
  if (form.SessionStatus === 'ended') return 'we-ended';
  const calleeIsThere = form.CallStatus === 'in-progress';
  return form.SessionStatus === 'completed' || !calleeIsThere ? 'callee-left' : 'lost';
}

function unreadable(): CallkiteError {
  return new CallkiteError('malformed_request', 'the webhook is signed by Twilio but lacks required fields');
}
