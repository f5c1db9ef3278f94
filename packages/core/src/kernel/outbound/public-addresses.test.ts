import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAddressRule } from './public-addresses.ts';

const rule = createAddressRule({ allowRanges: [], refuseRanges: [] });

/** First and last address of every refused IPv4 network, and the neighbours that are public. */
const ipv4Edges: readonly [network: string, refused: readonly string[], allowed: readonly string[]][] = [
  ['0/8', ['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  ['10/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['100.64/10', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  ['127/8', ['127.0.0.0', '127.0.0.1', '127.255.255.255'], ['126.255.255.255', '128.0.0.0']],
  ['168.63.129.16', ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  ['169.254/16', ['169.254.0.0', '169.254.169.254', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['172.16/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['192.0.0/24', ['192.0.0.0', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['192.0.2/24', ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['192.31.196/24', ['192.31.196.0', '192.31.196.255'], ['192.31.195.255', '192.31.197.0']],
  ['192.52.193/24', ['192.52.193.0', '192.52.193.255'], ['192.52.192.255', '192.52.194.0']],
  ['192.88.99/24', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
  ['192.168/16', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['192.175.48/24', ['192.175.48.0', '192.175.48.255'], ['192.175.47.255', '192.175.49.0']],
  ['198.18/15', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['198.51.100/24', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['203.0.113/24', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['224/4', ['224.0.0.0', '239.255.255.255'], ['223.255.255.255']],
  ['240/4', ['240.0.0.0', '255.255.255.254'], []],
  ['broadcast', ['255.255.255.255'], []],
];

const ipv6Edges: readonly [network: string, refused: readonly string[], allowed: readonly string[]][] = [
  ['unspecified and loopback', ['::', '::1'], []],
  ['::/96, IPv4-compatible', ['::7f00:1', '::8.8.8.8', '::ffff'], []],
  ['::ffff:0:0/96, IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a00:1'], []],
  ['::ffff:0:0:0/96, IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:808:808'], []],
  ['64:ff9b::/96, NAT64', ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8'], []],
  ['64:ff9b:1::/48', ['64:ff9b:1::1'], []],
  ['100::/64, discard', ['100::', '100::ffff'], []],
  ['100:0:0:1::/64', ['100:0:0:1::1'], []],
  ['below global unicast', ['1fff:ffff::1'], []],
  ['2001::/23', ['2001::', '2001:0:4136:e378::1', '2001:1ff:ffff::1'], ['2001:200::1']],
  ['2001:db8::/32', ['2001:db8::', '2001:db8:ffff::1'], ['2001:db7:ffff::1', '2001:db9::1']],
  ['2002::/16', ['2002::', '2002:7f00:1::1', '2002:ffff::1'], ['2003::1']],
  ['2620:4f:8000::/48', ['2620:4f:8000::1', '2620:4f:8000:ffff::1'], ['2620:4f:7fff::1', '2620:4f:8001::1']],
  ['3fff::/20', ['3fff::', '3fff:fff:ffff::1'], ['3ffe:ffff::1', '3fff:1000::1']],
  ['above global unicast', ['4000::1'], []],
  ['5f00::/16', ['5f00::1'], []],
  ['fc00::/7', ['fc00::1', 'fdff:ffff::1'], []],
  ['fe80::/10', ['fe80::1', 'febf::1', 'fe80::1%eth0'], []],
  ['fec0::/10', ['fec0::1'], []],
  ['ff00::/8', ['ff00::1', 'ff02::1', 'ffff::1'], []],
  [
    'ISATAP',
    ['2a00:1450:4001:80e:0:5efe:192.168.0.1', '2a00:1450:4001:80e:200:5efe:c0a8:1'],
    ['2a00:1450:4001:80e:100:5efe::1'],
  ],
  ['public hosts', [], ['2a00:1450:4001:80e::200e', '2606:4700:4700::1111', '2001:4860:4860::8888']],
];

describe('the address rule', () => {
  it.each([...ipv4Edges, ...ipv6Edges])('holds at the edges of %s', (_network, refused, allowed) => {
    expect(refused.filter((address) => rule.allows(address))).toEqual([]);
    expect(allowed.filter((address) => !rule.allows(address))).toEqual([]);
  });

  it.each([
    '',
    'localhost',
    '0x7f000001',
    '2130706433',
    '127.1',
    '0177.0.0.1',
    '8.8.8',
    '[::1]',
    '2606:4700::1%1',
  ])('refuses %j, which no resolver writes', (text) => expect(rule.allows(text)).toBe(false));

  it('refuses each address of a network, not only its edges', () => {
    const networks = [
      [0x0a000000, 8],
      [0x64400000, 10],
      [0x7f000000, 8],
      [0xa9fe0000, 16],
      [0xac100000, 12],
      [0xc0a80000, 16],
      [0xc6120000, 15],
      [0xe0000000, 3],
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...networks), fc.nat(0xffffffff), ([network, bits], host) => {
        const address = network + (host % 2 ** (32 - bits));
        const bytes = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256);
        expect(rule.allows(bytes.join('.'))).toBe(false);
        expect(rule.allows(`::ffff:${bytes.join('.')}`)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('opens and closes networks as told, mapped addresses included', () => {
    const custom = createAddressRule({
      allowRanges: ['10.1.0.0/16', 'fd00:1::/32'],
      refuseRanges: ['2a00:64::/96', '10.1.9.0/24'],
    });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5', '8.8.8.8']) {
      expect(custom.allows(address)).toBe(true);
    }
    for (const address of ['10.2.0.1', '10.1.9.1', '::ffff:10.1.9.1', 'fd00:2::5', '2a00:64::a01:203']) {
      expect(custom.allows(address)).toBe(false);
    }
    expect(() => createAddressRule({ allowRanges: ['10.1.0.0'], refuseRanges: [] })).toThrow(
      /10\.0\.0\.0\/8/,
    );
  });
});
