import { expect, it } from 'vitest';
import { createOutboundFetch } from './outbound-fetch.ts';

/** A resolver that answers everything with a public address. */
const lookup = () => Promise.resolve(['93.184.215.14']);
const guard = createOutboundFetch({ lookup });
const onLan = createOutboundFetch({ lookup, allowRanges: ['10.0.0.0/8'] });
const label = 'a'.repeat(63);

it.each([
  'localhost.localdomain',
  'db.internal',
  'hooks.test',
  'hooks.invalid',
  'hooks.onion',
  '1.168.192.in-addr.arpa',
  'printer.local',
  'printer.LOCAL.',
  'postgres',
  'metadata.goog',
  'metadata.google.internal',
  `hooks..example.com`,
  `${label}a.example.com`,
  `${`${label}.`.repeat(4)}example.com`,
  'example.com:0',
])('refuses %s, whatever it stands for', async (host) => {
  await expect(guard.checkResolved(`https://${host}/`)).rejects.toMatchObject({ code: 'validation_failed' });
  const request = { url: `https://${host}/`, headers: {}, body: '{}' };
  expect(await guard.post(request)).toMatchObject({ error: 'address refused' });
});

it('refuses no name of the public internet', async () => {
  for (const host of ['example.com', 'example.com.', `${label}.example.com`, 'test.example.com']) {
    await guard.checkResolved(`https://${host}/`);
  }
});

it('takes names of a network that the operator has allowed, and never those of secrets', () => {
  onLan.check('https://crm.internal/');
  for (const host of ['metadata.google.internal', 'metadata.goog', 'a..internal']) {
    expect(() => onLan.check(`https://${host}/`)).toThrow();
  }
});
