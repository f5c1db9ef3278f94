const longest = 200;

/**
 * What a carrier says of an error, as it may stand in a log. Carriers quote what they could not use, which may be words
 * that were said: everything from the first quotation on is left out, and so are long numbers.
 */
export function loggableError(description: string): string {
  const [plain = ''] = description.split(/["“”«`{[<]|(?<!\p{L})['‘]/u);
  // An echo may come without quotation marks, after a colon. A code may stand before one.
  const [said = ''] = /^(?:\s*\d+\s*:)?[^:]*/.exec(plain) ?? [];
  return said
    .replace(/\d(?:[\s().-]*\d){5,}/g, '…')
    .trim()
    .slice(0, longest);
}
