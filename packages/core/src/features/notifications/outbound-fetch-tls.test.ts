import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutboundFetch } from '../../kernel/outbound/outbound-fetch.ts';

/** Made for these tests, for the name hooks.example.com; it protects nothing. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbrjFO7Mn6y8Pi2Wk
1JCa1iQF+bSjQbD+5uQJ8omZPxyhRANCAATfMh3AQtUF3pJFoM7b/y7c6DQwZkMM
Y0nVrrst5OIrJocS0f+fqxit1NBZL+d0nTOM6yQJHYntrOQL8S+aA92K
-----END PRIVATE KEY-----`;
const certificate = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUaxpX3kld9HmMIf68dGFCJa3zIJUwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wIBcNMjAwMTAxMDAwMDAwWhgP
MjEyMDAxMDEwMDAwMDBaMBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3zIdwELVBd6SRaDO2/8u3Og0MGZDDGNJ
1a67LeTiKyaHEtH/n6sYrdTQWS/ndJ0zjOskCR2J7azkC/EvmgPdiqNNMEswHAYD
VR0RBBUwE4IRaG9va3MuZXhhbXBsZS5jb20wDAYDVR0TBAUwAwEB/zAdBgNVHQ4E
FgQUbJRCQltVNRoxC+t5rMOVGneNYc0wCgYIKoZIzj0EAwIDRwAwRAIgT8cVZYuT
aNxqZFp2kFXoCloTJx/NVSTq/nGOcpeeFO8CIBlZjZ8GKEKsJAZLc1iK6z73AHS7
2m1Qm+v4LloNVYux
-----END CERTIFICATE-----`;

/** Where programs of tests find what they import. */
const testFolder = fileURLToPath(new URL('../../../../../test/', import.meta.url));

let server: Server;
let port: number;
let names: unknown[];
let resumed: boolean[];

beforeEach(async () => {
  names = [];
  resumed = [];
  server = createServer({ key, cert: certificate }, (socket: TLSSocket) => {
    names.push(socket.servername);
    resumed.push(socket.isSessionReused());
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterEach(() => void server.close());

const request = (name: string) => ({ url: `https://${name}:${port}/`, headers: {}, body: '{}' });
const lookup = () => Promise.resolve(['127.0.0.1']);

describe('post over TLS', () => {
  it('verifies the certificate against the name, not the address, and resumes no session', async () => {
    const outbound = createOutboundFetch({
      lookup,
      allowRanges: ['127.0.0.0/8'],
      certificateAuthorities: certificate,
    });
    for (let time = 0; time < 2; time += 1) {
      expect(await outbound.post(request('hooks.example.com'))).toMatchObject({ status: 200, error: null });
    }
    expect(names).toEqual(['hooks.example.com', 'hooks.example.com']);
    expect(resumed).toEqual([false, false]);
    expect(await outbound.post(request('other.example.com'))).toMatchObject({ error: 'TLS failed' });
    expect(await outbound.post(request('127.0.0.1'))).toMatchObject({ error: 'TLS failed' });
  });

  it('refuses a certificate nobody vouches for', async () => {
    const outbound = createOutboundFetch({ lookup, allowRanges: ['127.0.0.0/8'] });
    expect(await outbound.post(request('hooks.example.com'))).toMatchObject({ error: 'TLS failed' });
  });

  it('refuses it also where the environment of the process switches verification off', async () => {
    const program = `
      import { createOutboundFetch } from '@callkite/core/node';
      const lookup = async () => ['127.0.0.1'];
      const outbound = createOutboundFetch({ lookup, allowRanges: ['127.0.0.0/8'] });
      const request = ${JSON.stringify(request('hooks.example.com'))};
      console.log(JSON.stringify([await outbound.post(request), await outbound.ask(request)]));`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--conditions=callkite-source', '--import', 'tsx', '--input-type=module', '--eval', program],
      { cwd: testFolder, env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
    );
    expect(JSON.parse(stdout), stderr).toEqual([
      { status: null, retryAfterSeconds: null, error: 'TLS failed' },
      null,
    ]);
  });

  it('ends at its deadline when the handshake hangs', async () => {
    server.removeAllListeners('connection');
    const outbound = createOutboundFetch({ lookup, allowRanges: ['127.0.0.0/8'], timeoutMs: 300 });
    expect(await outbound.post(request('hooks.example.com'))).toMatchObject({ error: 'timeout' });
  });
});
