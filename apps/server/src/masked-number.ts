/** What may be shown of a phone number: +1202***0102. What is no number, such as `browser`, stays as it is. */
export function maskedNumber(number: string): string {
  return number.startsWith('+') ? `${number.slice(0, -7)}***${number.slice(-4)}` : number;
}
