import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CarrierFault, CarrierRequest, SignedCall, TelephonyFixture } from '@callkite/core/testing';
import { builtInAccounts, type Faults, startTwilioEmulator } from '@callkite/twilio-emulator';
import * as z from 'zod';
import { twilio } from '../twilio.ts';

const accountSid = 'AC00000000000000000000000000000042';

/** Never a wait for the line, and one of a minute. */
const fast = { ...builtInAccounts.approved, callsPerSecond: 1000 };
const slow = {
  ...builtInAccounts.upgraded,
  sid: accountSid,
  authToken: 'emulator-auth-token-slow',
  callsPerSecond: 1 / 60,
};

const faults: Record<CarrierFault, Partial<Faults>> = {
  none: {},
  'fails-after-create': { create5xx: 1 },
  'fails-before-create': { createRefused5xx: 1 },
  'resets-after-create': { createReset: 1 },
  'resets-before-create': { createRefusedReset: 1 },
  'hangs-after-create': { createTimeout: 1 },
  'hangs-before-create': { createRefusedTimeout: 1 },
  'trickles-after-create': { createTrickles: 1 },
  'garbles-after-create': { createGarbled: 1 },
  'limits-rate': { rateLimited: 1 },
  'fails-reads': { fetchFails: 1 },
  'lists-late': { listLagMs: 3_600_000 },
};
const noFaults = Object.fromEntries(
  Object.values(faults).flatMap((fault) => Object.keys(fault).map((name) => [name, 0])),
);

export interface TwilioFixture extends TelephonyFixture {
  /** The request with the signature Twilio would give it. */
  sign(request: CarrierRequest, secret: string): CarrierRequest;
}

/** The adapter, an emulated Twilio of its own, and a server that keeps calls on the line. */
export async function twilioFixture(): Promise<TwilioFixture> {
  const application = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end('<Response><Pause length="60"/></Response>');
  });
  application.listen(0, '127.0.0.1');
  await once(application, 'listening');
  const publicUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}/mount`;
  const sign = signer(publicUrl);
  const emulator = await startTwilioEmulator({ allowInsecureLoopback: true, accounts: [fast, slow] });
  const options = { publicUrl, allowInsecure: true };
  return {
    telephony: twilio({ ...options, apiBaseUrl: emulator.url }),
    unreachable: twilio({ ...options, apiBaseUrl: 'http://127.0.0.1:9' }),
    account: { accountId: fast.sid, secret: fast.authToken },
    from: fast.phoneNumbers[0] ?? '',
    slowLine: {
      account: { accountId: slow.sid, secret: slow.authToken },
      from: slow.phoneNumbers[0] ?? '',
    },
    to: '+12025550110',
    answering: '+12025550100',
    invalidNumber: '+15005550001',
    unknownCallId: 'CAffffffffffffffffffffffffffffffff',
    datesToMs: 1000,
    misbehave: (fault) => emulator.configure({ faults: { ...noFaults, ...faults[fault] } }),
    creates: () => emulator.calls().filter(({ direction }) => direction === 'outbound-api').length,
    sign,
    statusWebhook(call, status) {
      const duration = status === 'completed' && { CallDuration: '12' };
      const about = { CallStatus: status, SequenceNumber: '1', ...duration };
      return sign(webhook('status', call, about), call.secret);
    },
    recordingWebhook(call) {
      const about = { RecordingSid: 'RE1', RecordingStatus: 'completed', RecordingDuration: '12' };
      return sign(webhook('recording', call, about), call.secret);
    },
    upgrade(kind, call) {
      const path = `${kind === 'words' ? 'relay' : 'media'}/${call.attemptToken}`;
      const target = `/carriers/twilio/${path}`;
      return sign({ path, method: 'GET', target, headers: {}, body: '' }, call.secret);
    },
    frames: {
      ready: (callSid) => [frame({ type: 'setup', sessionId: 'VX1', callSid, customParameters: {} })],
      said: (voicePrompt) => [frame({ type: 'prompt', voicePrompt, lang: 'en-US', last: true })],
      interrupted: (heardText) => [
        frame({ type: 'interrupt', utteranceUntilInterrupt: heardText, durationUntilInterruptMs: 700 }),
      ],
      pressed: (digit) => [frame({ type: 'dtmf', digit })],
      played: (value) => [frame({ type: 'info', name: 'tokensPlayed', value })],
      failed: (description) => [frame({ type: 'error', description })],
    },
    audioFrames: {
      ready: (callSid) => [
        frame({ event: 'connected', protocol: 'Call', version: '1.0.0' }),
        frame({ event: 'start', sequenceNumber: '1', streamSid, start: { callSid, streamSid } }),
      ],
      heard: (payload, atMs) => [
        frame({
          event: 'media',
          sequenceNumber: '2',
          media: { track: 'inbound', chunk: '1', timestamp: String(atMs), payload },
          streamSid,
        }),
      ],
      pressed: (digit) => [frame({ event: 'dtmf', streamSid, dtmf: { track: 'inbound_track', digit } })],
      read(sent) {
        const command = mediaCommand.parse(JSON.parse(sent));
        if (command.event === 'media') return { type: 'play', audio: command.media.payload };
        if (command.event === 'clear') return { type: 'clear' };
        const { mark } = command;
        return { type: 'mark', played: [frame({ event: 'mark', sequenceNumber: '3', streamSid, mark })] };
      },
    },
    async stop() {
      await emulator.close();
      application.close();
    },
  };
}

const streamSid = 'MZ00000000000000000000000000000042';
const named = z.literal(streamSid);
const mediaCommand = z.discriminatedUnion('event', [
  z.object({ event: z.literal('media'), streamSid: named, media: z.object({ payload: z.base64() }) }),
  z.object({ event: z.literal('mark'), streamSid: named, mark: z.object({ name: z.string() }) }),
  z.object({ event: z.literal('clear'), streamSid: named }),
]);

const frame = (message: object) => JSON.stringify(message);

function webhook(path: string, call: SignedCall, about: Record<string, string>): CarrierRequest {
  const target = `/carriers/twilio/${path}?token=${call.attemptToken}`;
  const body = new URLSearchParams({ CallSid: call.providerCallId, ...about }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
  return { path, method: 'POST', target, headers, body };
}

function signer(publicUrl: string): TwilioFixture['sign'] {
  return (request, secret) => {
    const base = request.method === 'GET' ? publicUrl.replace('http:', 'ws:') : publicUrl;
    const parameters = [...new URLSearchParams(request.body)]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flat()
      .join('');
    const signature = createHmac('sha1', secret)
      .update(`${base}${request.target}${parameters}`)
      .digest('base64');
    return { ...request, headers: { ...request.headers, 'x-twilio-signature': signature } };
  };
}
