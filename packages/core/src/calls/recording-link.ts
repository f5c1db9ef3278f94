import { timingSafeEqual } from 'node:crypto';

/** Addresses under which a recording can be fetched for a while, without an API key. */
export interface RecordingLinks {
  /** A fresh address of the recording. */
  urlOf(recordingId: string): string;
  /** Whether `expires` and `signature` are of an address that still holds. */
  check(
    recordingId: string,
    link: { readonly expires: string; readonly signature: string },
  ): 'valid' | 'expired' | 'forged';
}

const lifetimeMs = 15 * 60_000;

export function createRecordingLinks(options: {
  /** Base URL without a trailing slash. */
  publicUrl: string;
  /** Keyed digest of a text, base64url. */
  hmac(text: string): string;
  now(): number;
}): RecordingLinks {
  const signatureOf = (recordingId: string, expires: string) => options.hmac(`${recordingId}.${expires}`);

  return {
    urlOf(recordingId) {
      const expires = String(Math.floor((options.now() + lifetimeMs) / 1000));
      const query = new URLSearchParams({ expires, signature: signatureOf(recordingId, expires) });
      return `${options.publicUrl}/recordings/${recordingId}?${query}`;
    },
    check(recordingId, { expires, signature }) {
      const given = Buffer.from(signature);
      const expected = Buffer.from(signatureOf(recordingId, expires));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
      return Number(expires) * 1000 > options.now() ? 'valid' : 'expired';
    },
  };
}
