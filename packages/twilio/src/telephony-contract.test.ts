import { createHmac } from 'node:crypto';
import { type CarrierRequest, telephonyContract } from '@callkite/core/testing';
import { builtInAccounts, startTwilioEmulator } from '@callkite/twilio-emulator';
import { it } from 'vitest';
import { twilio } from './twilio.ts';

const publicUrl = 'http://127.0.0.1:9/mount';

telephonyContract({
  it,
  async createFixture() {
    const emulator = await startTwilioEmulator({ allowInsecureLoopback: true });
    const { sid, authToken, phoneNumbers } = builtInAccounts.approved;
    const options = { publicUrl, allowInsecure: true };
    return {
      telephony: twilio({ ...options, apiBaseUrl: emulator.url }),
      unreachable: twilio({ ...options, apiBaseUrl: 'http://127.0.0.1:9' }),
      account: { accountId: sid, secret: authToken },
      from: phoneNumbers[0] ?? '',
      to: '+12025550110',
      answering: '+12025550100',
      invalidNumber: '+15005550001',
      unknownCallId: 'CAffffffffffffffffffffffffffffffff',
      ringingWebhook: (call) => webhook('status', call, { CallStatus: 'ringing', SequenceNumber: '1' }),
      recordingWebhook: (call) =>
        webhook('recording', call, {
          RecordingSid: 'RE1',
          RecordingStatus: 'completed',
          RecordingDuration: '12',
        }),
      upgrade,
      frames: {
        ready: (callSid) => [frame({ type: 'setup', sessionId: 'VX1', callSid, customParameters: {} })],
        said: (voicePrompt) => [frame({ type: 'prompt', voicePrompt, lang: 'en-US', last: true })],
        interrupted: (heardText) => [
          frame({ type: 'interrupt', utteranceUntilInterrupt: heardText, durationUntilInterruptMs: 700 }),
        ],
      },
      stop: () => emulator.close(),
    };
  },
});

const frame = (message: object) => JSON.stringify(message);

function webhook(
  path: string,
  call: { attemptToken: string; providerCallId: string; secret: string },
  about: Record<string, string>,
): CarrierRequest {
  const target = `/carriers/twilio/${path}?token=${call.attemptToken}`;
  const parameters = { CallSid: call.providerCallId, ...about };
  const signed = Object.entries(parameters)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flat()
    .join('');
  return {
    path,
    method: 'POST',
    target,
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      'x-twilio-signature': signature(call.secret, `${publicUrl}${target}${signed}`),
    },
    body: new URLSearchParams(parameters).toString(),
  };
}

function upgrade(call: { attemptToken: string; secret: string }): CarrierRequest {
  const path = `relay/${call.attemptToken}`;
  const target = `/carriers/twilio/${path}`;
  const url = `${publicUrl.replace('http:', 'ws:')}${target}`;
  return {
    path,
    method: 'GET',
    target,
    headers: { 'x-twilio-signature': signature(call.secret, url) },
    body: '',
  };
}

function signature(secret: string, signed: string): string {
  return createHmac('sha1', secret).update(signed).digest('base64');
}
