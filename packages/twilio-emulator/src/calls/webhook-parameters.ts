import type { Call } from './call.ts';

/** The form parameters that every webhook about a call carries. */
export function callParameters(call: Call): Record<string, string> {
  const { to, from } = call.request;
  return {
    CallSid: call.sid,
    AccountSid: call.account.sid,
    From: from,
    To: to,
    Caller: from,
    Called: to,
    CallStatus: call.shownStatus,
    ApiVersion: '2010-04-01',
    Direction: call.direction,
    ...(call.parent ? { ParentCallSid: call.parent.sid } : {}),
    ...geography('From', from),
    ...geography('To', to),
    ...geography('Caller', from),
    ...geography('Called', to),
  };
}

function geography(prefix: string, number: string): Record<string, string> {
  return {
    [`${prefix}City`]: '',
    [`${prefix}State`]: '',
    [`${prefix}Zip`]: '',
    [`${prefix}Country`]: number.startsWith('+1') ? 'US' : '',
  };
}
