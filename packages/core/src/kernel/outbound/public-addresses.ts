import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CallkiteError } from '../errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/**
 * IPv4 networks that are not public hosts: the special-purpose registry of IANA (RFC 6890 and later), multicast,
 * the AS112 anycast nodes (RFC 7534, 7535), AMT relays (RFC 7450), and the address under which a large cloud serves
 * its virtual machines.
 */
const refusedIpv4 = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** Global unicast; loopback, mapped, translated, local and multicast addresses all lie outside. */
const globalIpv6 = ranges(['2000::/3']);

/** Inside global unicast: protocol assignments with Teredo, documentation, 6to4, AS112. */
const refusedIpv6 = ranges(['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

export interface AddressRule {
  /** @param address as the resolver or the socket writes it; anything but a plain IP address is refused */
  allows(address: string): boolean;
}

/**
 * Tells addresses of the public internet from those that lead into somebody's network.
 * @param options.allowRanges in CIDR notation; opened although they are not public
 * @param options.refuseRanges in CIDR notation; closed although they look public, such as a NAT64 prefix of the operator
 */
export function createAddressRule(options: {
  allowRanges: readonly string[];
  refuseRanges: readonly string[];
}): AddressRule {
  const allowed = ranges(options.allowRanges);
  const refused = ranges(options.refuseRanges);
  return {
    allows(text) {
      if (isIP(text) === 0 || text.includes('%')) return false;
      const address = ipaddr.parse(text);
      const inner = ipaddr.process(text);
      if (isWithin(address, refused) || isWithin(inner, refused)) return false;
      return isPublic(address) || isWithin(address, allowed) || isWithin(inner, allowed);
    },
  };
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !isWithin(address, refusedIpv4);
  return isWithin(address, globalIpv6) && !isWithin(address, refusedIpv6) && !isTunnelInterface(address);
}

/** ISATAP (RFC 5214) hides an IPv4 address behind the interface identifier `[02]00:5efe`. */
function isTunnelInterface(address: ipaddr.IPv6): boolean {
  const [high = 0, low = 0] = address.parts.slice(4, 6);
  return (high & ~0x0200) === 0 && low === 0x5efe;
}

function isWithin(address: Address, list: readonly Range[]): boolean {
  return list.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}

/** Whether this is a network in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

function ranges(list: readonly string[]): readonly Range[] {
  return list.map((text) => {
    if (!isNetwork(text)) {
      throw new CallkiteError('validation_failed', 'write address ranges like 10.0.0.0/8 or fd00::/8');
    }
    return ipaddr.parseCIDR(text);
  });
}
