import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createCallkite } from '@callkite/core';
import { attachSockets } from '@callkite/core/node';
import { callkiteMiddleware } from '@callkite/express';
import { openAi } from '@callkite/openai';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { pglite } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { builtInAccounts, startTwilioEmulator } from '@callkite/twilio-emulator';
import express from 'express';

const port = Number(process.argv[2] ?? 3000);

// Stand-ins for Twilio (at five times the speed of life) and OpenAI inside this process: no real phone can ring.
const phones = await startTwilioEmulator({ allowInsecureLoopback: true, speed: 5 });
const model = await startOpenAiEmulator();

const publicUrl = `http://127.0.0.1:${port}/phone`;
const callkite = createCallkite({
  storage: pglite({ dataDir: 'memory' }),
  telephony: twilio({ publicUrl, apiBaseUrl: phones.url, allowInsecure: true }),
  languageModel: openAi({ apiKey: 'emulated', baseURL: model.url }),
  publicUrl,
  secretKey: randomBytes(32).toString('base64'),
});

// Carriers sign the raw bytes of their requests: Callkite comes before anything that parses bodies.
const app = express();
app.use('/phone', callkiteMiddleware(callkite));
app.use(express.json());
app.get('/', (_request, response) => {
  response.send('The rest of the application');
});

const server = app.listen(port, '127.0.0.1');
attachSockets(server, callkite, { basePath: '/phone' });
await once(server, 'listening');
await callkite.start();

// Once, when a customer signs up: an organization, a number of its carrier account, and a key.
const organization = await callkite.organizations.create({ name: 'Example Dental' });
const { sid: accountId, authToken: secret } = builtInAccounts.approved;
const live = { organizationId: organization.id, mode: 'live' } as const;
const connection = await callkite.organizations.connectCarrier(live, { accountId, secret });
await callkite.organizations.connectNumber(live, connection.id, '+12025550183');
const { key } = await callkite.organizations.createApiKey(organization.id, { mode: 'live', name: 'Example' });

// From now on anyone with the key can have calls placed.
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const body = JSON.stringify({
  prompt: 'Remind Jordan Avery of the appointment tomorrow at 10 am and ask whether they will come.',
  recipient_phone: '+12025550102',
});
const placed = await fetch(`${publicUrl}/call-prompt`, { method: 'POST', headers, body });
const { call_id: callId } = (await placed.json()) as { call_id: string };

// The summary comes last. A callback would bring it too.
for (;;) {
  const response = await fetch(`${publicUrl}/calls/${callId}`, { headers });
  const call = (await response.json()) as { call_summary: string | null };
  if (call.call_summary !== null) {
    console.log(call);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
}

await callkite.stop();
await Promise.all([phones.close(), model.close()]);
server.close();
