import type { HttpRequest } from './http.ts';

/**
 * The address a request came from, behind proxies that each note in `X-Forwarded-For` whom they got it from.
 * @param trustedProxies how many there are
 */
export function clientAddress(
  { headers, remoteAddress }: HttpRequest,
  trustedProxies: number,
): string | null {
  if (trustedProxies === 0) return remoteAddress;
  const noted = (headers['x-forwarded-for'] ?? '').split(',').map((address) => address.trim());
  return noted.at(-trustedProxies) || remoteAddress;
}
