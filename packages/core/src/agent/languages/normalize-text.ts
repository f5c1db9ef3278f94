/** Lower case, without accents; a bar wherever a sentence begins or ends. */
export function normalizeText(text: string): string {
  const words = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’‘`´]/gu, "'")
    .replace(/[.,!?;:…¡¿]+/gu, ' | ')
    .replace(/[^\p{L}\p{N}'|-]+/gu, ' ');
  return `| ${words} |`.replace(/\s+/gu, ' ');
}

/**
 * Patterns over plain words that match whole words only. Letters are named one by one: a pattern with Unicode's classes
 * takes milliseconds to compile, on its first use, while a callee waits.
 */
export function compilePatterns(patterns: readonly string[]): readonly RegExp[] {
  return patterns.map((pattern) => new RegExp(`(?<![a-zßæøœ0-9])(?:${pattern})(?![a-zßæøœ0-9])`));
}
