const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What is wrong with an address for a webhook or a socket; undefined when nothing is. */
export function addressFault(
  text: string,
  options: { secureProtocol: 'https:' | 'wss:'; allowInsecureLoopback: boolean },
): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'it is not an absolute URL';
  }
  if (url.hostname === '') return 'it has no host';
  if (url.hostname.includes('_')) return 'its host name contains an underscore';
  if (url.protocol === options.secureProtocol) return undefined;
  const insecureProtocol = options.secureProtocol.replace('s:', ':');
  if (options.allowInsecureLoopback && url.protocol === insecureProtocol && loopbackHosts.has(url.hostname)) {
    return undefined;
  }
  return `it must begin with ${options.secureProtocol}//`;
}
