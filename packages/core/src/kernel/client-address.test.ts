import { expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';

const request = (forwarded?: string) => ({
  method: 'GET',
  target: '/',
  headers: { 'x-forwarded-for': forwarded },
  remoteAddress: '10.0.0.1',
  readBody: async () => new Uint8Array(),
});

it('goes by the connection unless there are proxies', () => {
  expect(clientAddress(request('192.0.2.1'), 0)).toBe('10.0.0.1');
  expect(clientAddress(request(), 1)).toBe('10.0.0.1');
});

it('goes by what the outermost trusted proxy noted, whatever clients write before it', () => {
  expect(clientAddress(request('192.0.2.1'), 1)).toBe('192.0.2.1');
  expect(clientAddress(request('6.6.6.6, 192.0.2.1'), 1)).toBe('192.0.2.1');
  expect(clientAddress(request('6.6.6.6, 192.0.2.1, 10.0.0.2'), 2)).toBe('192.0.2.1');
  expect(clientAddress(request('192.0.2.1'), 2)).toBe('10.0.0.1');
});
