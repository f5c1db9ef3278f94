import { createHmac } from 'node:crypto';

/** Form parameters of a webhook. A parameter sent several times has several values. */
export type WebhookParameters = Readonly<Record<string, string | readonly string[]>>;

/**
 * The value of `X-Twilio-Signature`: base64 of HMAC-SHA1 over the exact URL followed by every form parameter, sorted by
 * name, each as name then value. Repeated values are de-duplicated and sorted.
 *
 * @param authToken the primary auth token of the account that owns the call
 * @param url scheme, host, port, path and query exactly as configured; without the fragment
 * @param parameters form parameters of a POST; leave out for a GET and for a WebSocket upgrade
 */
export function twilioSignature(authToken: string, url: string, parameters: WebhookParameters = {}): string {
  const signed = Object.keys(parameters)
    .sort()
    .reduce((text, name) => text + signedParameter(name, parameters[name] ?? ''), url);
  return createHmac('sha1', authToken).update(signed, 'utf8').digest('base64');
}

function signedParameter(name: string, value: string | readonly string[]): string {
  if (typeof value === 'string') return name + value;
  return [...new Set(value)]
    .sort()
    .map((each) => name + each)
    .join('');
}
