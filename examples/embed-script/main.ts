import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createCallkite } from '@callkite/core';
import { attachSockets, nodeHandler } from '@callkite/core/node';
import { openAi } from '@callkite/openai';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { pglite } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { builtInAccounts, startTwilioEmulator } from '@callkite/twilio-emulator';

// The smallest program that places a call. Database, phone network (at five times the speed of life) and model run inside it.
const port = Number(process.argv[2] ?? 3000);
const publicUrl = `http://127.0.0.1:${port}`;
const phones = await startTwilioEmulator({ allowInsecureLoopback: true, speed: 5 });
const model = await startOpenAiEmulator();
const callkite = createCallkite({
  storage: pglite({ dataDir: 'memory' }),
  telephony: twilio({ publicUrl, apiBaseUrl: phones.url, allowInsecure: true }),
  languageModel: openAi({ apiKey: 'emulated', baseURL: model.url }),
  publicUrl,
  secretKey: randomBytes(32).toString('base64'),
  onEvent: (event) => {
    if (event.type === 'call.spoken') console.log(`${event.role}: ${event.content}`);
    if (event.type === 'call.completed') console.log('result:', event.outcome);
    if (event.type === 'call.finished') void stop();
  },
});

// The carrier reaches us over HTTP, and over a WebSocket while people talk.
const server = createServer(nodeHandler(callkite)).listen(port, '127.0.0.1');
attachSockets(server, callkite);
await once(server, 'listening');
await callkite.start();

const { id: organizationId } = await callkite.organizations.create({ name: 'Example Dental' });
const { sid: accountId, authToken: secret } = builtInAccounts.approved;
const connection = await callkite.organizations.connectCarrier(organizationId, {
  mode: 'live',
  accountId,
  secret,
});
await callkite.organizations.connectNumber(organizationId, connection.id, '+12025550183');

const caller = { organizationId, mode: 'live', keyId: 'script' } as const;
await callkite.calls.prompt(caller, {
  prompt: 'Remind Jordan Avery of the appointment tomorrow at 10 am and ask whether they will come.',
  recipientPhone: '+12025550102',
});

async function stop() {
  await callkite.stop();
  await Promise.all([phones.close(), model.close()]);
  server.close();
}
