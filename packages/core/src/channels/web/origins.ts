/** As browsers write it in the `Origin` header: without the port that goes without saying. */
export function normalizedOrigin(origin: string): string {
  return origin.replace(/^(https:.*):443$/, '$1').replace(/^(http:.*):80$/, '$1');
}

/** @param allowed origins, or such with `*.` that stand for all names below a host */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    const [scheme, host] = pattern.split('*.');
    if (host === undefined) return origin === pattern;
    const below = `.${host}`;
    if (scheme === undefined || !origin.startsWith(scheme) || !origin.endsWith(below)) return false;
    return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(origin.slice(scheme.length, -below.length));
  });
}
