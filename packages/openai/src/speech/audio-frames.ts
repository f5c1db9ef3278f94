/** µ-law at 8 kHz. */
export const BYTES_PER_MS = 8;

/** A command that carries sound. The sound is put in as it is: it may be nothing but base64. */
export function audioFrame(type: string): (audio: string) => string {
  const head = `{"type":"${type}","audio":"`;
  return (audio) => `${head}${audio}"}`;
}

/** Whether text may stand in a JSON string as it is, as base64 does. */
export function isPlain(text: string): boolean {
  return !text.includes('"') && !text.includes('\\');
}

/**
 * Reads events that carry sound without parsing them, which costs more than all the rest of a call. Quotes within JSON
 * strings are escaped, so that in a frame without a backslash `"key":"` can only be that key.
 *
 * @returns the values of the keys, or `null` for a frame that is not plainly such an event and has to be parsed
 */
export function audioReader<Key extends string>(
  type: string,
  keys: readonly Key[],
): (frame: Buffer) => Record<Key, string> | null {
  const mark = Buffer.from(`"type":"${type}"`);
  const heads = keys.map((key) => ({ key, head: `"${key}":"` }));
  return (frame) => {
    if (!frame.includes(mark)) return null;
    const text = frame.toString('latin1');
    if (text.includes('\\')) return null;
    const values: Partial<Record<Key, string>> = {};
    for (const { key, head } of heads) {
      const at = text.indexOf(head);
      if (at === -1) return null;
      const start = at + head.length;
      values[key] = text.slice(start, text.indexOf('"', start));
    }
    return values as Record<Key, string>;
  };
}
