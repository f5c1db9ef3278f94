import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type Callkite, createCallkite } from '@callkite/core';
import { attachSockets, nodeHandler } from '@callkite/core/node';
import { callkiteMiddleware } from '@callkite/express';
import { openAi, openAiRealtime } from '@callkite/openai';
import { postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { builtInAccounts } from '@callkite/twilio-emulator';
import express from 'express';
import fastify from 'fastify';
import { freePort } from '../../embedded.ts';
import { answerQuestions, spent, usage } from '../server-process.ts';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
};

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const dials = process.env.TWILIO_URL !== undefined;
const turns: { totalMs: number; modelMs: number }[] = [];

const storage = postgres({ connectionString: setting('DATABASE_URL') });
const callkite = createCallkite({
  storage,
  telephony: twilio({ publicUrl: url, apiBaseUrl: process.env.TWILIO_URL ?? url, allowInsecure: true }),
  languageModel: openAi({ apiKey: 'emulated', baseURL: process.env.OPENAI_URL ?? url }),
  speechModel: openAiRealtime({ apiKey: 'emulated', baseURL: process.env.OPENAI_URL ?? url }),
  voiceMode: process.env.VOICE_MODE === 'realtime' ? 'realtime' : 'relay',
  publicUrl: url,
  secretKey: randomBytes(32).toString('base64'),
  requestsPerMinute: 100_000_000,
  dailyCallMinutes: null,
  runWorkers: dials,
  onEvent(event) {
    if (event.type === 'turn.started') turns.push({ totalMs: event.totalMs, modelMs: event.modelMs });
  },
});
await callkite.start();

const mounts: Record<string, (mounted: Callkite) => Promise<Server>> = {
  async node(mounted) {
    return createServer(nodeHandler(mounted));
  },
  async express(mounted) {
    return createServer(express().use(callkiteMiddleware(mounted)));
  },
  async fastify(mounted) {
    const app = fastify();
    const handle = nodeHandler(mounted);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.all('/*', (request, reply) => {
      reply.hijack();
      handle(request.raw, reply.raw);
    });
    await app.ready();
    return app.server;
  },
};
const mount = mounts[process.env.MOUNT ?? 'node'];
if (!mount) throw new Error('MOUNT is node, express or fastify');
const server = await mount(callkite);
attachSockets(server, callkite);
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

async function access(): Promise<{ key: string; workflowId: string }> {
  const organization = await callkite.organizations.create({ name: 'Bench' });
  const { key } = await callkite.organizations.createApiKey(organization.id, { mode: 'live', name: 'bench' });
  const workflow = await callkite.workflows.create(
    { organizationId: organization.id, mode: 'live' },
    {
      name: 'Reminder',
      definition: {
        objective: 'Remind the recipient of the appointment on Tuesday at 3 pm.',
        steps: [
          { title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' },
          { title: 'Directions', instruction: 'Ask whether they know the way.' },
          { title: 'Questions', instruction: 'Ask whether they have any questions.' },
        ],
      },
    },
  );
  if (dials) {
    const { approved } = builtInAccounts;
    const connection = await callkite.organizations.connectCarrier(
      { organizationId: organization.id, mode: 'live' },
      {
        accountId: approved.sid,
        secret: approved.authToken,
        callsPerSecond: 100,
      },
    );
    await callkite.organizations.connectNumber(
      { organizationId: organization.id, mode: 'live' },
      connection.id,
      approved.phoneNumbers[0] ?? '',
    );
  } else {
    // Accepting needs a number on record, but no carrier.
    await connectWithoutCarrier(organization.id);
  }
  return { key, workflowId: workflow.id };
}

async function connectWithoutCarrier(organizationId: string): Promise<void> {
  const connection = await storage.organizations.saveConnection({
    id: `con_${organizationId}`,
    organizationId,
    mode: 'live',
    accountId: 'AC00000000000000000000000000000003',
    network: null,
    sealedSecret: 'none',
    accountName: 'Bench',
    accountType: 'full',
    businessProfile: 'Profile Approved',
    callsPerSecond: 1,
    maximumConcurrentCalls: null,
  });
  await storage.organizations.connectNumber({
    id: `num_${organizationId}`,
    organizationId,
    connectionId: connection.id,
    mode: 'live',
    phoneNumber: '+12025550183',
    providerNumberId: 'PN0',
  });
}

answerQuestions(url, {
  access,
  turns: () => turns.splice(0),
  spent,
  usage,
});
