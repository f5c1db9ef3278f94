import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  builtInAccounts,
  startTwilioEmulator,
  twilioSignature,
  type WebhookParameters,
} from '@callkite/twilio-emulator';
import { MediaLine, type MediaLineOptions } from './media-line.ts';

const { sid: accountSid, authToken } = builtInAccounts.approved;

/** A carrier whose calls are answered at once, by lines that only carry sound. What is not about calls the emulator answers. */
export async function startCarrier(options: Pick<MediaLineOptions, 'watches' | 'onCut'>) {
  const emulator = await startTwilioEmulator({ allowInsecureLoopback: true });
  const lines: MediaLine[] = [];
  let calls = 0;

  async function readText(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    if (!/\/Calls[/.]/.test(request.url ?? '')) {
      const forwarded = await fetch(`${emulator.url}${request.url}`, {
        headers: { authorization: request.headers.authorization ?? '' },
      });
      response.writeHead(forwarded.status, { 'content-type': 'application/json' });
      response.end(await forwarded.text());
      return;
    }
    const isNew = request.method === 'POST' && request.url?.endsWith('/Calls.json');
    if (isNew) calls += 1;
    const callSid = isNew
      ? `CA${String(calls).padStart(32, '0')}`
      : (/CA\w{32}/.exec(request.url ?? '')?.[0] ?? '');
    const form = new URLSearchParams(body);
    const resource = {
      sid: callSid,
      account_sid: accountSid,
      status: isNew ? 'queued' : 'in-progress',
      from: form.get('From') ?? '',
      to: form.get('To') ?? '',
      date_created: new Date().toUTCString(),
    };
    response.writeHead(isNew ? 201 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(resource));
    if (isNew) await pickUp(callSid, form.get('Url') ?? '');
  }

  async function pickUp(callSid: string, address: string): Promise<void> {
    const url = address.replace(/#.*$/, '');
    const parameters: WebhookParameters = {
      CallSid: callSid,
      AccountSid: accountSid,
      CallStatus: 'in-progress',
    };
    const twiml = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': twilioSignature(authToken, url, parameters),
      },
      body: new URLSearchParams(parameters as Record<string, string>),
    }).then((response) => response.text());
    const stream = /<Stream url="([^"]+)"/.exec(twiml)?.[1];
    if (stream === undefined) throw new Error(`the call was not given a stream: ${twiml}`);
    lines.push(new MediaLine({ ...options, url: stream, callSid, authToken }));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    async stop() {
      for (const line of lines) line.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await emulator.close();
    },
  };
}
