/** White space to single spaces, cut at a word; `undefined` when nothing is left. */
export function clamp(text: string | null, maximum: number): string | undefined {
  const clean = (text ?? '')
    .replaceAll('\0', '')
    .replace(/\p{Cs}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (clean === '') return undefined;
  if (clean.length <= maximum) return clean;
  const cut = clean.slice(0, maximum - 1);
  const word = cut.lastIndexOf(' ');
  return `${cut.slice(0, word > maximum / 2 ? word : cut.length).replace(/\p{Cs}$/u, '')}…`;
}
