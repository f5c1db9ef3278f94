import { timingSafeEqual } from 'node:crypto';

/** Whether a digest that was sent to us is one of these. Takes as long for a near miss as for a match. */
export function isOneOf(given: string, expected: readonly string[]): boolean {
  const bytes = Buffer.from(given);
  return expected
    .map((each) => Buffer.from(each))
    .map((each) => each.length === bytes.length && timingSafeEqual(each, bytes))
    .includes(true);
}
