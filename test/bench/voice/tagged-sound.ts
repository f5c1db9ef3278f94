/** Sound whose first bytes tell which piece it is, so that its way through a bridge can be timed. */
const tagLength = 12;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function tagOf(piece: number): string {
  let tag = '';
  for (let rest = piece; tag.length < tagLength; rest = Math.floor(rest / 64)) tag += alphabet[rest % 64];
  return tag;
}

/** @param ms length, a multiple of 3: base64 without padding */
export function taggedSound(piece: number, ms: number): string {
  return tagOf(piece) + '/'.repeat((ms * 8 * 4) / 3 - tagLength);
}

/** Which piece a text holds, right after this key. `null` when it holds none. */
export function pieceIn(text: string, key: string): number | null {
  const at = text.indexOf(key);
  if (at < 0) return null;
  let piece = 0;
  for (let index = tagLength - 1; index >= 0; index -= 1) {
    piece = piece * 64 + alphabet.indexOf(text.charAt(at + key.length + index));
  }
  return piece;
}

/** When pieces were sent, by number, and how long each took to arrive. */
export function stopwatch() {
  const sentAtMs = new Map<number, number>();
  let delays: number[] = [];
  let next = 0;
  return {
    sent(): number {
      next += 1;
      sentAtMs.set(next, performance.now());
      return next;
    },
    arrived(piece: number | null): void {
      if (piece === null) return;
      const sent = sentAtMs.get(piece);
      sentAtMs.delete(piece);
      if (sent !== undefined) delays.push(performance.now() - sent);
    },
    take(): number[] {
      const taken = delays;
      delays = [];
      return taken;
    },
  };
}

export type Stopwatch = ReturnType<typeof stopwatch>;
