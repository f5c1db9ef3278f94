import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WidgetSession } from '@callkite/contract';
import type { PublishableKey, WebCallOptions } from '@callkite/core';
import { type Embedded, type EmbeddedOptions, eventually, startEmbedded } from '../embedded.ts';
import { Visitor } from './visitor.ts';

export const origin = 'https://www.example.com';
export const consent = {
  text: 'I agree to be called back by an AI assistant.',
  version: '2026-11',
  time: '2026-11-21T05:00:00Z',
};

export interface CallDetail extends Record<string, unknown> {
  readonly state: string;
  readonly call_summary: string | null;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** An embedded Callkite with a page that may use it, and a server that receives the results. */
export interface Website {
  readonly embedded: Embedded;
  readonly key: PublishableKey;
  readonly identitySecret: string;
  readonly workflowId: string;
  readonly delivered: readonly Record<string, unknown>[];
  /** A request of the page. `origin: null` leaves the header out. */
  ask(
    path: string,
    body: object,
    changes?: { key?: string; origin?: string | null; address?: string },
  ): Promise<Response>;
  admit(body?: object, changes?: { key?: string }): Promise<Visitor>;
  call(callId: string): Promise<CallDetail>;
  finished(callId: string): Promise<CallDetail>;
  stop(): Promise<void>;
}

export async function startWebsite(
  options: { webCalls?: WebCallOptions; dailyCalls?: number; embedded?: EmbeddedOptions } = {},
): Promise<Website> {
  const delivered: Record<string, unknown>[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      delivered.push(JSON.parse(text));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const embedded = await startEmbedded({
    ...options.embedded,
    callkite: {
      webCalls: {
        perAddressAndMinute: 1000,
        perKeyAndMinute: 1000,
        resumeWindowMs: 2000,
        ...options.webCalls,
      },
      trustedProxies: 1,
      ...options.embedded?.callkite,
    },
  });
  const { callkite, organizationId, url } = embedded;
  const webhook = (await (
    await embedded.request('POST', '/webhooks', {
      name: 'CRM',
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    })
  ).json()) as { id: string };
  const { id: workflowId } = await callkite.workflows.create(
    { organizationId, mode: 'live' },
    {
      name: 'Visit',
      definition: {
        objective: 'Find out whether Tuesday at 3 pm suits the visitor for a visit.',
        steps: [
          { title: 'Ask', instruction: 'Ask whether Tuesday at 3 pm suits them.' },
          { title: 'Wrap up', instruction: 'Thank them and say goodbye.' },
        ],
        web: { variables: ['plan'] },
        metadata: { webhooks: [webhook.id] },
      },
    },
  );
  const { key, identitySecret } = await callkite.publishableKeys.create(organizationId, {
    mode: 'live',
    name: 'Website',
    allowedOrigins: [origin],
    workflowIds: [workflowId],
    callbackCountries: ['US'],
    ...(options.dailyCalls !== undefined && { dailyCalls: options.dailyCalls }),
  });

  const ask: Website['ask'] = (path, body, changes = {}) => {
    const headers = new Headers({
      authorization: `Bearer ${changes.key ?? key.key}`,
      'content-type': 'application/json',
      'x-forwarded-for': changes.address ?? '192.0.2.1',
    });
    if (changes.origin !== null) headers.set('origin', changes.origin ?? origin);
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };

  async function call(callId: string): Promise<CallDetail> {
    return (await (await embedded.request('GET', `/calls/${callId}`)).json()) as CallDetail;
  }

  return {
    embedded,
    key,
    identitySecret,
    workflowId,
    delivered,
    ask,
    async admit(body = {}, changes = {}) {
      const answer = await ask(
        '/widget/sessions',
        { workflow_id: workflowId, media: 'text', ...body },
        changes,
      );
      if (answer.status !== 201) throw new Error(`not admitted: ${answer.status} ${await answer.text()}`);
      return new Visitor((await answer.json()) as WidgetSession, origin);
    },
    call,
    finished: (callId) =>
      eventually('the result', async () => {
        const detail = await call(callId);
        return typeof detail.call_summary === 'string' && detail;
      }),
    async stop() {
      await embedded.stop();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
    },
  };
}
