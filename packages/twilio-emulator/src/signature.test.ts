import { createHash } from 'node:crypto';
import twilio from 'twilio';
import { expect, it } from 'vitest';
import { twilioSignature } from './signature.ts';

const token = 'emulator-auth-token-0001';

it('signs a form POST as in the example of the documentation', () => {
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const parameters = {
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  };
  expect(twilioSignature('12345', url, parameters)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=');
});

it('signs a status callback', () => {
  const url = 'https://calls.example.test/twilio/status?callId=42';
  const parameters = {
    CallSid: `CA${'1'.padStart(32, '0')}`,
    CallStatus: 'completed',
    SequenceNumber: '3',
    CallDuration: '17',
    To: '+15005550006',
    From: '+15005550001',
  };
  expect(twilioSignature(token, url, parameters)).toBe('wVTSdrloT87En6SprURrRUsD/2I=');
});

it('signs a JSON body by its hash in the URL', () => {
  const hash = createHash('sha256').update('{"a":1,"b":"x"}').digest('hex');
  const url = `https://calls.example.test/twilio/json?bodySHA256=${hash}`;
  expect(twilioSignature(token, url)).toBe('TzMv/wE2ZoW1C+Qz2NmCgva/bRQ=');
});

it('signs a socket by its exact URL', () => {
  expect(twilioSignature(token, 'wss://calls.example.test/relay/abc')).toBe('mDcPwEyll7aXDPx+rxaQhG2EAu4=');
});

it('agrees with the validator of the client on repeated and empty parameters', () => {
  const url = 'https://calls.example.test/twilio/status';
  const parameters = { Event: ['ringing', 'answered', 'ringing'], Empty: '', To: '+12025550100' };
  const signature = twilioSignature(token, url, parameters);
  expect(twilio.validateRequest(token, signature, url, parameters)).toBe(true);
});
