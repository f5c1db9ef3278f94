const VERBATIM =
  /\b(?:say|speak|read|repeat)\b[^"“«]*\b(?:exactly|verbatim|word for word)\b[^"“«]*["“«](?<words>[\s\S]+)["”»]/i;

/**
 * The words that instructions ask to be said as they stand, such as
 * `Say exactly the following and nothing else: "Hello there."`. The quotation ends with the last quotation mark.
 */
export function verbatimWords(instructions: string): string | undefined {
  return VERBATIM.exec(instructions)?.groups?.words;
}
