import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  heardBy,
  outcomesOf,
  people,
  premiumNumber,
  startTransferStage,
  type TransferStage,
} from './stage.ts';

const { busy, pressesOne, saysYes } = people;
const timeout = 90_000;

type Answer = (response: ServerResponse, body: string) => void;

const json =
  (value: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

/** Answers that name nobody, by what is wrong with them. */
const useless: Readonly<Record<string, Answer>> = {
  'an error': json({ transferNumber: saysYes }, 500),
  'a redirect': (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  'no JSON': (response) => response.end('<html>'),
  'another shape': json({ transferNumber: [saysYes] }),
  'a number that is not E.164': json({ transferNumber: '(202) 555-0161' }),
  'a premium-rate number': json({ transferNumber: premiumNumber }),
  'a number abroad': json({ transferNumber: '+447700900123' }),
  'too long a body': json({ transferNumber: saysYes, more: 'x'.repeat(80_000) }),
  'the number of the callee': (response, body) =>
    json({ transferNumber: JSON.parse(body).number })(response, body),
  'a broken connection': (response) => response.destroy(),
  'a body that does not end': (response) => response.write('{'),
  nothing: () => {},
};

const requests: { path: string; body: string; headers: IncomingHttpHeaders }[] = [];
const answers: Record<string, Answer> = {
  ...useless,
  somebody: json({ transferNumber: saysYes, more: true }),
};
const server = createServer(async (request, response) => {
  const body = await text(request);
  const path = decodeURIComponent(request.url?.slice(1) ?? '');
  requests.push({ path, body, headers: request.headers });
  answers[path]?.(response, body);
});

let stage: TransferStage;
let url = '';

beforeAll(async () => {
  stage = await startTransferStage({ speed: 4 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  server.close();
});

const to = (path: string) => requests.filter((request) => request.path === path);

describe.concurrent('the dynamic address', { timeout }, () => {
  it('gets the number of the person on the phone, and names the one to ring', async () => {
    const { call, legs, transfer } = await stage.run({ transfer_url: `${url}/somebody`, phone_number: busy });
    const [request, ...others] = to('somebody');
    expect(others).toEqual([]);
    expect(JSON.parse(request?.body ?? '')).toEqual({ number: call.phone_number_to });
    expect(request?.headers['content-type']).toBe('application/json');
    expect(outcomesOf(transfer)).toEqual([[saysYes, 'dynamic', 'connected']]);
    expect(legs.map((leg) => leg.to)).toEqual([saysYes]);
  });

  it.each(Object.keys(useless))('that answers with %s leaves the static number', async (path) => {
    const before = to(path).length;
    const { legs, parent, transfer } = await stage.run({
      transfer_url: `${url}/${encodeURIComponent(path)}`,
    });
    expect(to(path)).toHaveLength(before + 1);
    expect(to('elsewhere')).toEqual([]);
    expect(outcomesOf(transfer)).toEqual([[pressesOne, 'static', 'connected']]);
    expect(legs.map((leg) => leg.to)).toEqual([pressesOne]);
    expect(heardBy(parent).join(' ')).toContain('One moment, please.');
  });
});
