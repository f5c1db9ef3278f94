/** Lower case, without accents; a bar wherever a sentence begins or ends. */
export function plainWords(text: string): string {
  const words = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’‘`´]/gu, "'")
    .replace(/[.,!?;:…¡¿]+/gu, ' | ')
    .replace(/[^\p{L}\p{N}'|-]+/gu, ' ');
  return `| ${words} |`.replace(/\s+/gu, ' ');
}
