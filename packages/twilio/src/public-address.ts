const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Webhooks of one call, as path segments below `/carriers/{name}/`. */
export const webhookPaths = [
  'answer',
  'fallback',
  'status',
  'amd',
  'relay-ended',
  'media-ended',
  'recording',
  'dial-ended',
  'leg-status',
  'leg-answered',
  'leg-reply',
] as const;
export type WebhookPath = (typeof webhookPaths)[number];
/** Sockets of one call: ConversationRelay and Media Streams. */
export type SocketKind = 'relay' | 'media';
/** What Twilio asks when `answer` failed. If this fails too, it ends the call without a word. */
export const lastResort: WebhookPath = 'fallback';

/**
 * Connection overrides, in the fragment that Twilio reads, neither sends nor signs. A voice webhook has 15 s in
 * all. One that the callee waits for gives up early on an instance that hangs, so that another can answer.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
 */
const connectionOverrides: Record<WebhookPath, string> = {
  answer: 'ct=2000&rt=4000&rc=2&rp=ct,rt,5xx',
  fallback: 'ct=2000&rt=4000&rc=2&rp=ct,rt,5xx',
  status: 'rc=5&rp=ct,rt,5xx',
  amd: 'rc=5&rp=ct,rt,5xx',
  'relay-ended': 'ct=2000&rt=4000&rc=2&rp=ct,rt,5xx',
  'media-ended': 'ct=2000&rt=4000&rc=2&rp=ct,rt,5xx',
  recording: 'rc=5&rp=ct,rt,5xx',
  'dial-ended': 'ct=2000&rt=4000&rc=2&rp=ct,rt,5xx',
  'leg-status': 'rc=5&rp=ct,rt,5xx',
  'leg-answered': 'ct=2000&rt=4000&rc=2&rp=ct,rt,5xx',
  'leg-reply': 'ct=2000&rt=4000&rc=2&rp=ct,rt,5xx',
};

/** Where Twilio reaches us, and what it signs when it does. */
export interface PublicAddress {
  /** @param more further parameters, which come back with the request and are signed with it */
  webhook(path: WebhookPath, attemptToken: string, more?: Readonly<Record<string, string>>): string;
  /** The token is part of the path: Twilio takes no query strings on media URLs and documents none on relay URLs. */
  socket(kind: SocketKind, attemptToken: string): string;
  /** The URL of a received request as Twilio knew it, its port written out. `null` when the target is no path. */
  ofRequest(target: string, kind: 'webhook' | 'socket'): string | null;
}

/** @throws TypeError when the URL is not one that Twilio could reach */
export function publicAddress(publicUrl: string, name: string, allowInsecure: boolean): PublicAddress {
  const url = parse(publicUrl, allowInsecure);
  const insecure = url.protocol === 'http:';
  const socketProtocol = insecure ? 'ws:' : 'wss:';
  const port = url.port === '' ? (insecure ? '80' : '443') : url.port;
  const prefix = url.pathname.replace(/\/+$/, '');
  const carrierPath = `${url.host}${prefix}/carriers/${encodeURIComponent(name)}`;

  return {
    webhook(path, attemptToken, more = {}) {
      const query = new URLSearchParams({ token: attemptToken, ...more });
      return `${url.protocol}//${carrierPath}/${path}?${query}#${connectionOverrides[path]}`;
    },
    socket: (kind, attemptToken) =>
      `${socketProtocol}//${carrierPath}/${kind}/${encodeURIComponent(attemptToken)}`,
    ofRequest(target, kind) {
      if (!target.startsWith('/')) return null;
      const protocol = kind === 'socket' ? socketProtocol : url.protocol;
      return `${protocol}//${url.hostname}:${port}${prefix}${target}`;
    },
  };
}

function parse(publicUrl: string, allowInsecure: boolean): URL {
  if (!URL.canParse(publicUrl)) {
    throw new TypeError('publicUrl must be an absolute URL such as https://calls.example.com');
  }
  const url = new URL(publicUrl);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new TypeError('publicUrl must not have a query, a fragment or a user name');
  }
  const insecureHere = url.protocol === 'http:' && allowInsecure && LOOPBACK.has(url.hostname);
  if (url.protocol !== 'https:' && !insecureHere) {
    throw new TypeError(
      'publicUrl must begin with https:// (or be http:// on this machine with allowInsecure)',
    );
  }
  return url;
}
