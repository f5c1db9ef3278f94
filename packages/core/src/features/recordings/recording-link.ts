import { isOneOf } from '../../kernel/digests.ts';

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
  /** Keyed digests of a text, base64url: the first one signs, all of them are accepted. */
  hmacs(text: string): readonly string[];
  now(): number;
}): RecordingLinks {
  const signatures = (recordingId: string, expires: string) => options.hmacs(`${recordingId}.${expires}`);

  return {
    urlOf(recordingId) {
      const expires = String(Math.floor((options.now() + lifetimeMs) / 1000));
      const query = new URLSearchParams({ expires, signature: signatures(recordingId, expires)[0] ?? '' });
      return `${options.publicUrl}/recordings/${recordingId}?${query}`;
    },
    check(recordingId, { expires, signature }) {
      if (!isOneOf(signature, signatures(recordingId, expires))) return 'forged';
      return Number(expires) * 1000 > options.now() ? 'valid' : 'expired';
    },
  };
}
