export { type Account, type AccountOptions, builtInAccounts } from './accounts.ts';
export { builtInCallees } from './callees/built-in-callees.ts';
export { type Callee, type CalleeLine, defineCallee } from './callees/callee.ts';
export { startTwilioEmulator, type TwilioEmulator } from './emulator.ts';
export type { Faults } from './faults.ts';
export type {
  CallRecord,
  MediaStreamRecord,
  RelaySessionRecord,
  SentCallback,
  TranscriptLine,
} from './ledger.ts';
export type { CallEvent, EmulatorOptions } from './options.ts';
export { twilioSignature, type WebhookParameters } from './signature.ts';
