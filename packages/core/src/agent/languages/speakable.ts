const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&nbsp;': ' ',
  '&quot;': '"',
  '&#39;': "'",
  '&apos;': "'",
  '&lt;': '',
  '&gt;': '',
};

/**
 * Text without what is written but not said: markup, braces, emoji. Everything that goes to a voice passes here. Works on
 * parts that end at white space, so a mark and the word it clings to are always seen together.
 */
export function speakable(text: string): string {
  return (
    text
      .replace(/&(?:amp|nbsp|quot|#39|apos|lt|gt);/g, (entity) => entities[entity] ?? '')
      .replace(/<\/?[a-z][^<>]*>/gi, '')
      .replace(/\]\([^)\s]*\)/g, '')
      // Arrows and rules between words.
      .replace(/[-=]+>|<[-=]+|={2,}|~{2,}|\|{2,}|-{3,}/g, ' ')
      .replace(/[*`~#|[\]<>{}\\^]+/g, '')
      .replace(
        / ?(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u200d\ufe0e\ufe0f\u20e3])+/gu,
        '',
      )
      // Within a word, as in an e-mail address, it is no mark.
      .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
      .replace(/\s+/g, ' ')
  );
}
