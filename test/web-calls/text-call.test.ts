import { defineTool } from '@callkite/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventually } from '../embedded.ts';
import type { Visitor } from './visitor.ts';
import { consent, origin, startWebsite, type Website } from './website.ts';

let website: Website;

const findParking = defineTool({
  name: 'find_parking',
  description: 'Tells where the person can park.',
  input: z.object({ vehicle: z.enum(['car', 'bicycle']).nullable() }),
  handler: () => ({ place: 'behind the house' }),
});

beforeAll(async () => {
  website = await startWebsite({ embedded: { callkite: { tools: [findParking] } } });
});

afterAll(() => website.stop());

const spokenLines = (visitor: Visitor) =>
  visitor.lines.map(({ role, text }) => ({ role, content: text.trim() }));

async function admitted(body?: object): Promise<Visitor> {
  const visitor = await website.admit(body);
  await visitor.start();
  await visitor.agentLines(2);
  return visitor;
}

describe('a web call in writing', () => {
  it('is a call like any other, from the first line to the webhook', async () => {
    const visitor = await website.admit({
      name: 'Jamie Doe',
      variables: { plan: 'gold', secret: 'not listed' },
      page: `${origin}/prices`,
      consent,
    });
    const { call_id: callId } = visitor.session;
    expect((await website.embedded.request('GET', `/calls/${callId}`)).status).toBe(404);
    await visitor.start({ tz: 'Europe/Berlin' });
    const [disclosure] = await visitor.agentLines(2);
    expect(disclosure?.text).toBe('Hello, I am the AI assistant at Example Dental.');
    expect(await website.call(callId)).toMatchObject({
      state: 'in_progress',
      phone_number_from: 'browser',
      phone_number_to: 'browser',
      answered_by: 'human',
      recipient_name: 'Jamie Doe',
      recipient_context: expect.stringMatching(
        /^The page says of the visitor:\nplan: gold\n.*Europe\/Berlin$/,
      ),
      visit: {
        kind: 'call',
        publishable_key_id: website.key.id,
        origin,
        remote_address: '192.0.2.1',
        page: `${origin}/prices`,
        consent,
      },
    });
    const id = visitor.type('Can you repeat that?');
    expect((await visitor.saw('user', /repeat that/)).message_id).toBe(id);
    await visitor.agentLines(3);
    visitor.hangUp();
    expect(await visitor.closed()).toBe(1000);
    expect(visitor.all('end')).toMatchObject([{ reason: 'visitor' }]);
    const call = await website.finished(callId);
    expect(call).toMatchObject({ call_status: 'success', provider_status: 'completed', reason: null });
    expect(call.messages).toEqual(spokenLines(visitor));
    const webhook = await eventually('the webhook', () =>
      website.delivered.find((body) => body.call_id === callId),
    );
    expect(webhook).toMatchObject({
      phone_number_from: 'browser',
      phone_number_to: 'browser',
      call_status: 'success',
      messages: call.messages,
    });
  });

  it('ends when the agent is done, after its last line', async () => {
    const visitor = await admitted();
    visitor.type('Yes, that suits me.');
    expect(await eventually('the end', () => visitor.all('end')[0])).toMatchObject({ reason: 'agent' });
    expect(await visitor.closed()).toBe(1000);
    const call = await website.finished(visitor.session.call_id);
    expect(call).toMatchObject({ call_status: 'success', reason: null });
    expect(call.messages).toEqual(spokenLines(visitor));
  });

  it('ends on request of the organization', async () => {
    const visitor = await admitted();
    const { call_id: callId } = visitor.session;
    expect((await website.embedded.request('POST', `/calls/${callId}/cancel`)).status).toBe(200);
    expect(await visitor.closed()).toBe(1000);
    expect(visitor.all('end')).toMatchObject([{ reason: 'canceled' }]);
    expect(await website.finished(callId)).toMatchObject({
      call_status: 'success',
      reason: 'canceled_by_request',
    });
  });

  it('ends when the visitor wants no more', async () => {
    const visitor = await admitted();
    visitor.type('Please stop calling me.');
    expect(await visitor.closed()).toBe(1000);
    expect(visitor.all('end')).toMatchObject([{ reason: 'opted_out' }]);
  });

  it('keeps what the page adds with the call, where nobody answers it', async () => {
    const visitor = await admitted();
    visitor.send({ type: 'context', id: visitor.nextId(), text: 'The basket holds a blue bicycle.' });
    await eventually('the context', async () => {
      const { recipient_context: context } = await website.call(visitor.session.call_id);
      return String(context).includes('blue bicycle');
    });
    visitor.hangUp();
    await visitor.closed();
    const { messages } = await website.finished(visitor.session.call_id);
    expect(messages).toEqual(spokenLines(visitor));
    expect(messages).toHaveLength(2);
  });

  it('keeps why the page ended it', async () => {
    const visitor = await admitted();
    visitor.send({ type: 'end', id: visitor.nextId(), reason: 'The order was placed.' });
    await visitor.closed();
    expect(visitor.all('end')).toMatchObject([{ reason: 'visitor' }]);
    const { recipient_context: context } = await website.finished(visitor.session.call_id);
    expect(String(context)).toContain('The page ended the call: The order was placed.');
  });

  it('tells of the tools of the server that the agent uses, with what it gives them', async () => {
    const { callkite, organizationId } = website.embedded;
    const { id } = await callkite.workflows.create(
      { organizationId, mode: 'live' },
      {
        name: 'Parking',
        definition: {
          objective: 'Tell the visitor how to get there.',
          steps: [{ title: 'Help', instruction: 'Use find_parking and tell them where to park.' }],
          tools: ['find_parking'],
        },
      },
    );
    const { key } = await callkite.publishableKeys.create(organizationId, {
      mode: 'live',
      name: 'Parking',
      allowedOrigins: [origin],
      workflowIds: [id],
    });
    const visitor = await website.admit({ workflow_id: id }, { key: key.key });
    await visitor.start();
    await visitor.saw('assistant', /behind the house/);
    expect(visitor.all('tool')).toMatchObject([{ name: 'find_parking', args: { vehicle: null } }]);
    visitor.hangUp();
    await visitor.closed();
  });

  it('refuses what cannot be read, and goes on', async () => {
    const visitor = await admitted();
    visitor.socket?.send('{');
    visitor.socket?.send(JSON.stringify({ type: 'text', id: 1, text: 'x'.repeat(2001) }));
    visitor.socket?.send(Buffer.alloc(160));
    await eventually('three errors', () => visitor.all('error').length === 3);
    expect(visitor.all('error').map(({ code }) => code)).toEqual(Array(3).fill('invalid_message'));
    for (let line = 0; line < 12; line += 1) visitor.type('Hm?');
    expect(await eventually('an error', () => visitor.all('error')[3])).toMatchObject({ code: 'too_fast' });
    for (let message = 0; message < 20; message += 1) visitor.socket?.send('{');
    expect(await visitor.closed()).toBe(4400);
  });
});

describe('a socket that is lost', () => {
  it('is followed by one that goes on right there, both ways', async () => {
    const visitor = await website.admit();
    await visitor.start();
    await visitor.agentLines(2);
    // What the visitor has not received yet is sent again; what he has is not.
    const received = visitor.events.length;
    visitor.lose();
    visitor.events.splice(Math.max(2, received - 3));
    visitor.position = Math.max(...visitor.events.map((event) => ('seq' in event ? event.seq : 0)));
    const id = visitor.type('Lost on its way.');
    await visitor.start({ resume: visitor.position });
    const [, ready] = visitor.all('ready');
    expect(ready).toMatchObject({ resumed: true, received: 0 });
    visitor.send({ type: 'text', id, text: 'Lost on its way.' });
    visitor.send({ type: 'text', id, text: 'Lost on its way.' });
    await visitor.saw('user', /Lost on its way/);
    await visitor.agentLines(3);
    const positions = visitor.events.flatMap((event) =>
      event.type !== 'ready' && 'seq' in event ? [event.seq] : [],
    );
    expect(positions).toEqual(positions.map((_, index) => index + 1));
    visitor.hangUp();
    expect(await visitor.closed()).toBe(1000);
    const call = await website.finished(visitor.session.call_id);
    expect(call.messages).toEqual(spokenLines(visitor));
    expect(
      call.messages.filter(({ role, content }) => role === 'user' && content === 'Lost on its way.'),
    ).toHaveLength(1);
  });

  it('gets what was said meanwhile', async () => {
    const visitor = await admitted();
    visitor.type('Can you repeat that?');
    await visitor.saw('user', /repeat/);
    visitor.lose();
    await eventually('the answer', async () => {
      const { messages } = await website.call(visitor.session.call_id);
      return messages.length >= 4;
    });
    await visitor.start({ resume: visitor.position });
    await visitor.agentLines(3);
    visitor.hangUp();
    await visitor.closed();
    expect((await website.finished(visitor.session.call_id)).messages).toEqual(spokenLines(visitor));
  });

  it('is replaced by another one while it still looks alive', async () => {
    const visitor = await admitted();
    const first = visitor.socket;
    const closed = new Promise((resolve) => first?.once('close', resolve));
    await visitor.start({ resume: visitor.position });
    expect(await closed).toBe(4409);
    visitor.type('Can you repeat that?');
    await visitor.agentLines(3);
    visitor.hangUp();
    expect(await visitor.closed()).toBe(1000);
  });

  it('ends the call when nobody comes back in time', async () => {
    const visitor = await admitted();
    visitor.lose();
    const call = await website.finished(visitor.session.call_id);
    expect(call).toMatchObject({
      call_status: 'success',
      provider_status: 'completed',
      reason: 'connection_lost',
    });
    await eventually('the webhook', () =>
      website.delivered.some((body) => body.call_id === visitor.session.call_id),
    );
    await visitor.open();
    expect(await visitor.closed()).toBe(4410);
  });

  it('cannot be followed by one that has missed more than is kept', async () => {
    const visitor = await admitted();
    visitor.send({ type: 'ack', seq: visitor.position });
    visitor.type('Can you repeat that?');
    await visitor.saw('user', /repeat/);
    visitor.lose();
    await visitor.open();
    visitor.send({ type: 'start', resume: 0, media: 'text' });
    expect(await visitor.closed()).toBe(4410);
  });
});
