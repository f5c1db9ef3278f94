import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutboundFetch, type OutboundFetchOptions } from './outbound-fetch.ts';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function httpServer(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** A receiver that ignores HTTP: it talks as told to whoever connects. */
async function rawServer(talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    talk(socket);
    socket.resume();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

const post = (options: OutboundFetchOptions, url: string, signal?: AbortSignal) =>
  createOutboundFetch(options).post({
    url,
    headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
    body: '{"name":"späß"}',
    ...(signal ? { signal } : {}),
  });

const failed = (error: string) => ({ status: null, retryAfterSeconds: null, error });
const publicOnly = createOutboundFetch({
  lookup: () => Promise.reject(new Error('no look-up in check')),
});

describe('check', () => {
  it.each([
    'https://example.com',
    'https://example.com/hook?call=1#part',
    'https://example.com:8443/hook',
    'https://EXAMPLE.com./hook',
    'https://8.8.8.8/hook',
    'https://[2606:4700:4700::1111]:444/hook',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/',
  ])('accepts %s', (url) => {
    expect(() => publicOnly.check(url)).not.toThrow();
  });

  it.each([
    ['plain HTTP', 'http://example.com/'],
    ['other protocols', 'ftp://example.com/'],
    ['other protocols', 'file:///etc/passwd'],
    ['other protocols', 'gopher://example.com/'],
    ['no host', 'https://'],
    ['no URL', 'example.com/hook'],
    ['user', 'https://user@example.com/'],
    ['user and password', 'https://user:password@example.com/'],
    ['a public name as user', 'https://example.com@127.0.0.1/'],
    ['backslash', 'https://example.com\\@127.0.0.1/'],
    ['backslash', 'https:\\\\127.0.0.1/'],
    ['tab', 'https://exam\tple.com/'],
    ['newline', 'https://example.com/\r\nHost: other'],
    ['NUL', 'https://example.com/\u0000'],
    ['leading space', ' https://example.com/'],
    ['lone surrogate', 'https://example.com/\ud800'],
    ['localhost', 'https://localhost/'],
    ['localhost', 'https://LOCALHOST:3000/'],
    ['localhost with a dot', 'https://localhost./'],
    ['below localhost', 'https://api.localhost/'],
    ['name without a dot', 'https://metadata/'],
    ['internal name', 'https://metadata.google.internal/'],
    ['local name', 'https://printer.local/'],
    ['home name', 'https://router.home.arpa/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback, short', 'https://127.1/'],
    ['loopback, decimal', 'https://2130706433/'],
    ['loopback, hexadecimal', 'https://0x7f000001/'],
    ['loopback, hexadecimal parts', 'https://0x7f.0x0.0x0.0x1/'],
    ['loopback, octal', 'https://017700000001/'],
    ['loopback, octal parts', 'https://0177.0.0.01/'],
    ['loopback, mixed', 'https://0x7f.1/'],
    ['loopback, trailing dot', 'https://127.0.0.1./'],
    ['loopback, percent-encoded', 'https://%31%32%37.0.0.1/'],
    ['loopback, full-width digits', 'https://１２７.０.０.１/'],
    ['loopback, ideographic dots', 'https://127。0。0。1/'],
    ['loopback, circled digits', 'https://①②⑦.0.0.1/'],
    ['zero', 'https://0/'],
    ['cloud metadata', 'https://169.254.169.254/latest/'],
    ['loopback, IPv6', 'https://[::1]/'],
    ['loopback, IPv6 written out', 'https://[0:0:0:0:0:0:0:1]/'],
    ['unspecified, IPv6', 'https://[::]/'],
    ['mapped', 'https://[::ffff:127.0.0.1]/'],
    ['mapped, hexadecimal', 'https://[::FFFF:7f00:1]/'],
    ['compatible', 'https://[::127.0.0.1]/'],
    ['NAT64', 'https://[64:ff9b::127.0.0.1]/'],
    ['6to4', 'https://[2002:7f00:1::]/'],
    ['zone id', 'https://[fe80::1%25eth0]/'],
    ['zone id', 'https://[fe80::1%eth0]/'],
    ['unique local', 'https://[fd00::1]/'],
    ['too long', `https://example.com/${'a'.repeat(2100)}`],
  ])('refuses %s: %j', (_what, url) => {
    expect(() => publicOnly.check(url)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });

  it('lets no private IPv4 address pass in any notation', () => {
    const privateAddress = fc
      .tuple(
        fc.constantFrom([0, 8], [10, 8], [0x7f, 8], [0xa9fe, 16], [0xac1, 12], [0xc0a8, 16], [0xe, 4]),
        fc.nat(0xffffffff),
      )
      .map(([[prefix = 0, bits = 0], host]) => prefix * 2 ** (32 - bits) + (host % 2 ** (32 - bits)));
    const radix = fc.constantFrom<(part: number) => string>(
      (part) => String(part),
      (part) => `0x${part.toString(16)}`,
      (part) => `0X${part.toString(16).toUpperCase()}`,
      (part) => `0${part.toString(8)}`,
      (part) => `0x000${part.toString(16)}`,
    );
    const spelling = fc.constantFrom<(host: string) => string>(
      (host) => host,
      (host) => `${host}.`,
      (host) => host.replace(/[0-9]/g, (digit) => `%3${digit}`),
      (host) => host.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      (host) => host.replaceAll('.', '。'),
    );
    fc.assert(
      fc.property(
        privateAddress,
        fc.integer({ min: 1, max: 4 }),
        fc.array(radix, { minLength: 4, maxLength: 4 }),
        spelling,
        (address, parts, radices, spell) => {
          const texts = partsOf(address, parts).map((part, index) => radices[index]?.(part) ?? String(part));
          expect(() => publicOnly.check(`https://${spell(texts.join('.'))}/`)).toThrow(
            /private or reserved|not on the public/,
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('lets no IPv4 address pass inside an IPv6 one', () => {
    const prefix = fc.constantFrom(
      '::ffff:',
      '::',
      '64:ff9b::',
      '::ffff:0:',
      '64:ff9b:1::',
      '2002:',
      '2001:0:',
    );
    fc.assert(
      fc.property(prefix, fc.nat(0xffff), fc.nat(0xffff), fc.boolean(), (before, high, low, upper) => {
        const after = before.startsWith('200') ? '::1' : '';
        const host = `${before}${high.toString(16)}:${low.toString(16)}${after}`;
        expect(() => publicOnly.check(`https://[${upper ? host.toUpperCase() : host}]/`)).toThrow(
          /private or reserved/,
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The address as 1-4 numbers, the last of which takes the rest, as `inet_aton` reads them. */
function partsOf(address: number, count: number): number[] {
  const leading = Array.from(
    { length: count - 1 },
    (_, index) => Math.floor(address / 2 ** (24 - 8 * index)) % 256,
  );
  return [...leading, address % 2 ** (32 - 8 * (count - 1))];
}

describe('checkResolved', () => {
  const resolving = (addresses: readonly string[]) =>
    createOutboundFetch({ lookup: () => Promise.resolve(addresses) }).checkResolved(
      'https://hooks.example.com/',
    );

  it('accepts a name whose addresses are all public', async () => {
    await resolving(['8.8.8.8', '2606:4700:4700::1111']);
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['2606:4700:4700::1111', 'fd00::1']],
    [['8.8.8.8', '::ffff:169.254.169.254']],
  ])('refuses a name with any other address: %j', async (addresses) => {
    await expect(resolving(addresses)).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('refuses a name that does not exist, and not one that cannot be resolved now', async () => {
    const failing = (code: string) =>
      createOutboundFetch({
        lookup: () => Promise.reject(Object.assign(new Error('resolver'), { code })),
      }).checkResolved('https://hooks.example.com/');
    await expect(failing('ENOTFOUND')).rejects.toThrow(/does not exist/);
    await expect(resolving([])).rejects.toThrow(/does not exist/);
    await failing('EAI_AGAIN');
  });
});

describe('post', () => {
  it('sends the exact bytes and headers, and tells the status', async () => {
    const received: object[] = [];
    const port = await httpServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, url, headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
    expect(await post({ allowPrivate: true }, `http://127.0.0.1:${port}/hook?a=1#b`)).toEqual({
      status: 204,
      retryAfterSeconds: null,
      error: null,
    });
    expect(received).toEqual([
      {
        method: 'POST',
        url: '/hook?a=1',
        body: '{"name":"späß"}',
        headers: {
          host: `127.0.0.1:${port}`,
          connection: 'close',
          'content-type': 'application/json',
          'content-length': '17',
          authorization: 'Bearer token',
        },
      },
    ]);
  });

  it('reads Retry-After in seconds and as a date', async () => {
    let header = '120';
    const port = await httpServer((_request, response) => {
      response.writeHead(503, { 'retry-after': header }).end();
    });
    const url = `http://127.0.0.1:${port}/`;
    expect(await post({ allowPrivate: true }, url)).toMatchObject({ status: 503, retryAfterSeconds: 120 });
    header = new Date(Date.now() + 60_000).toUTCString();
    const { retryAfterSeconds } = await post({ allowPrivate: true }, url);
    expect(retryAfterSeconds).toBeGreaterThan(50);
    expect(retryAfterSeconds).toBeLessThanOrEqual(61);
    for (header of ['soon', '-5', '', 'never GMT']) {
      expect(await post({ allowPrivate: true }, url)).toMatchObject({ retryAfterSeconds: null });
    }
  });

  it('refuses a name that turned private after it was checked', async () => {
    let connections = 0;
    const port = await httpServer(() => {
      connections += 1;
    });
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const options = { lookup: () => Promise.resolve(answers.shift() ?? []) };
    const outbound = createOutboundFetch(options);
    const url = `https://hooks.example.com:${port}/`;
    await outbound.checkResolved(url);
    expect(await outbound.post({ url, headers: {}, body: '' })).toEqual(failed('address refused'));
    expect(connections).toBe(0);
  });

  it('refuses when any of several addresses is private, and dials none', async () => {
    const dialed: unknown[] = [];
    const options: OutboundFetchOptions = {
      lookup: () => Promise.resolve(['8.8.8.8', '127.0.0.1']),
      connect: (to) => {
        dialed.push(to);
        return connect(to);
      },
    };
    expect(await post(options, 'https://hooks.example.com/')).toEqual(failed('address refused'));
    expect(await post(options, 'https://127.0.0.1/')).toEqual(failed('address refused'));
    expect(await post(options, 'http://hooks.example.com/')).toEqual(failed('address refused'));
    expect(dialed).toEqual([]);
  });

  it('looks up once, dials what it looked up, and asks for the original name', async () => {
    const hosts: unknown[] = [];
    const port = await httpServer((request, response) => {
      hosts.push(request.headers.host);
      response.end();
    });
    let lookUps = 0;
    const options = {
      allowPrivate: true,
      lookup: () => {
        lookUps += 1;
        return Promise.resolve(['127.0.0.1']);
      },
    };
    expect(await post(options, `http://hooks.example.com:${port}/`)).toMatchObject({ status: 200 });
    expect(hosts).toEqual([`hooks.example.com:${port}`]);
    expect(lookUps).toBe(1);
  });

  it('sends nothing when the connection ends up somewhere else', async () => {
    let bytes = 0;
    const { port } = await rawServer((socket) => {
      socket.on('data', (chunk) => {
        bytes += chunk.length;
      });
    });
    const options: OutboundFetchOptions = {
      lookup: () => Promise.resolve(['8.8.8.8']),
      connect: () => connect({ host: '127.0.0.1', port }),
    };
    expect(await post(options, 'https://hooks.example.com/')).toEqual(failed('address refused'));
    expect(bytes).toBe(0);
  });

  it('tries the next address when one does not answer', async () => {
    const port = await httpServer((_request, response) => void response.end());
    const options = { allowPrivate: true, lookup: () => Promise.resolve(['::1', '127.0.0.1']) };
    expect(await post(options, `http://hooks.example.com:${port}/`)).toMatchObject({ status: 200 });
  });

  it('takes a redirect for an answer', async () => {
    const paths: unknown[] = [];
    const port = await httpServer((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await post({ allowPrivate: true }, `http://127.0.0.1:${port}/hook`)).toMatchObject({
      status: 307,
    });
    expect(paths).toEqual(['/hook']);
  });

  it('shares no connection and no cookie between requests', async () => {
    const ports = new Set<unknown>();
    const cookies: unknown[] = [];
    const port = await httpServer((request, response) => {
      ports.add(request.socket.remotePort);
      cookies.push(request.headers.cookie);
      response.writeHead(200, { 'set-cookie': 'a=1' }).end();
    });
    const outbound = createOutboundFetch({ allowPrivate: true });
    for (let time = 0; time < 3; time += 1) {
      await outbound.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '' });
    }
    expect(ports.size).toBe(3);
    expect(cookies).toEqual([undefined, undefined, undefined]);
  });

  it('ends at its deadline when no answer comes, or headers drip for ever', async () => {
    const silent = await rawServer(() => undefined);
    const dripping = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x-drip: 1\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    for (const { port, sockets } of [silent, dripping]) {
      const options = { allowPrivate: true, timeoutMs: 300 };
      expect(await post(options, `http://127.0.0.1:${port}/`)).toEqual(failed('timeout'));
      await expect.poll(() => sockets.size).toBe(0);
    }
  });

  it('ends at its deadline when the name look-up hangs', async () => {
    const options = { timeoutMs: 100, lookup: () => new Promise<string[]>(() => undefined) };
    expect(await post(options, 'https://hooks.example.com/')).toEqual(failed('timeout'));
  });

  it('keeps the status when the body drips for ever, and hangs up at the deadline', async () => {
    const { port, sockets } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const options = { allowPrivate: true, timeoutMs: 300 };
    expect(await post(options, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('hangs up on an endless body', async () => {
    let sent = 0;
    const { port, sockets } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = Buffer.from(`4000\r\n${'x'.repeat(0x4000)}\r\n`);
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on('drain', more);
      more();
    });
    expect(await post({ allowPrivate: true }, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    await expect.poll(() => sockets.size).toBe(0);
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('refuses huge headers', async () => {
    const { port } = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${`x-huge: ${'x'.repeat(1000)}\r\n`.repeat(100)}\r\n`);
    });
    expect(await post({ allowPrivate: true }, `http://127.0.0.1:${port}/`)).toEqual(failed('invalid answer'));
  });

  it('does not unpack a compressed body', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const accepted: unknown[] = [];
    const port = await httpServer((request, response) => {
      accepted.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const before = process.memoryUsage().arrayBuffers;
    expect(await post({ allowPrivate: true }, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * 1024 * 1024);
    expect(accepted).toEqual([undefined]);
  });

  it('names what went wrong', async () => {
    const rude = await rawServer((socket) => void socket.destroy());
    const resetting = await rawServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    const notHttp = await rawServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n'));
    const local = { allowPrivate: true };
    expect(await post(local, `http://127.0.0.1:${rude.port}/`)).toEqual(failed('connection failed'));
    expect(await post(local, `https://127.0.0.1:${rude.port}/`)).toEqual(failed('connection failed'));
    expect(await post(local, `http://127.0.0.1:${resetting.port}/`)).toEqual(failed('connection failed'));
    expect(await post(local, `https://127.0.0.1:${resetting.port}/`)).toEqual(failed('connection failed'));
    expect(await post(local, 'http://127.0.0.1:0/')).toEqual(failed('address refused'));
    expect(await post(local, `http://127.0.0.1:${notHttp.port}/`)).toEqual(failed('invalid answer'));
    expect(await post(local, 'http://127.0.0.1:1/')).toEqual(failed('connection failed'));
    expect(await post(local, `https://127.0.0.1:${notHttp.port}/`)).toEqual(failed('TLS failed'));
    const unknown = {
      ...local,
      lookup: () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })),
    };
    expect(await post(unknown, 'https://hooks.example.com/')).toEqual(failed('host not found'));
    const injected = await createOutboundFetch(local).post({
      url: `http://127.0.0.1:${rude.port}/`,
      headers: { authorization: 'Bearer a\r\nx-other: b' },
      body: '',
    });
    expect(injected).toEqual(failed('invalid request'));
  });

  it('gives up when told to', async () => {
    const { port, sockets } = await rawServer(() => undefined);
    const abort = new AbortController();
    const answer = post({ allowPrivate: true }, `http://127.0.0.1:${port}/`, abort.signal);
    await expect.poll(() => sockets.size).toBe(1);
    abort.abort();
    expect(await answer).toEqual(failed('given up'));
    await expect.poll(() => sockets.size).toBe(0);
    expect(await post({ allowPrivate: true }, `http://127.0.0.1:${port}/`, abort.signal)).toEqual(
      failed('given up'),
    );
  });
});

describe('ask', () => {
  const ask = (options: OutboundFetchOptions, url: string) =>
    createOutboundFetch(options).ask({ url, headers: {}, body: '{}' });

  it('reads what is answered with success, within limits', async () => {
    const port = await httpServer((request, response) => {
      const [, status = '200', bytes = '0'] = (request.url ?? '').split('/');
      response.writeHead(Number(status), { location: '/200/3' }).end('x'.repeat(Number(bytes)));
    });
    const options = { allowPrivate: true, maximumResponseBytes: 100 };
    const answer = (path: string) => ask(options, `http://127.0.0.1:${port}${path}`);
    expect(await answer('/200/3')).toBe('xxx');
    expect(await answer('/201/99')).toBe('x'.repeat(99));
    for (const path of ['/200/100', '/200/5000', '/500/3', '/404/3', '/307/3']) {
      expect(await answer(path), path).toBeNull();
    }
  });

  it('gives up on an answer that does not end, and on one that breaks off', async () => {
    const slow = await rawServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'));
    const options = { allowPrivate: true, timeoutMs: 200 };
    expect(await ask(options, `http://127.0.0.1:${slow.port}/`)).toBeNull();
    const broken = await rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'));
    expect(await ask({ allowPrivate: true }, `http://127.0.0.1:${broken.port}/`)).toBeNull();
  });

  it('reaches public hosts only, whatever the name stood for before', async () => {
    let connections = 0;
    const options: OutboundFetchOptions = {
      lookup: async () => ['127.0.0.1'],
      connect: () => {
        connections += 1;
        throw new Error('nothing may be connected to');
      },
    };
    expect(await ask(options, 'https://example.com/')).toBeNull();
    expect(await ask(options, 'http://example.com/')).toBeNull();
    expect(connections).toBe(0);
  });
});
