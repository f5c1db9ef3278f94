/**
 * Names below which there are no public hosts, whatever a resolver answers: special-use names (RFC 6761, 6762, 7686, 8375,
 * 9476 and the registry of IANA), the one reserved for private networks (`internal`), and those that routers and systems
 * have made up for theirs.
 */
const notPublic = new Set([
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'mail',
  'onion',
  'private',
  'test',
]);

/** Under which clouds tell their machines secrets. */
const metadataNames = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
]);

const longestName = 253;
const longestLabel = 63;

const withoutDot = (host: string) => host.toLowerCase().replace(/\.$/, '');

/** Whether the domain name system can hold this name (RFC 1035, 2.3.4); one dot at its end is part of it. */
export function isHostName(host: string): boolean {
  const name = withoutDot(host);
  return (
    name.length <= longestName &&
    name.split('.').every((label) => label.length > 0 && label.length <= longestLabel)
  );
}

/** Names that lead to the secrets of a machine in a cloud. */
export function isMetadataName(host: string): boolean {
  return metadataNames.has(withoutDot(host));
}

/** Whether a name may belong to a host of the public internet, going by the name alone. */
export function isPublicName(host: string): boolean {
  const labels = withoutDot(host).split('.');
  return labels.length > 1 && !notPublic.has(labels.at(-1) ?? '') && !isMetadataName(host);
}
