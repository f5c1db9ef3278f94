export { type RelayOptions, type TwilioOptions, twilio } from './twilio.ts';
