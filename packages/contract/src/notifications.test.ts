import { describe, expect, it } from 'vitest';
import {
  type CallResult,
  callbackPayload,
  formatCallback,
  formatWebhook,
  webhookPayload,
} from './notifications.ts';

const result: CallResult = {
  call: {
    id: 'call_1',
    workflowId: 'wf_1',
    workflowName: 'Reminder',
    from: '+12025550101',
    to: '+12025550142',
    recipientName: 'Jamie Doe',
    recipientEmail: null,
    recipientContext: '{"order": 7}',
    createdAt: new Date('2026-11-21T05:00:00Z'),
  },
  outcome: { callStatus: 'not_picked_up', providerStatus: 'no-answer' },
  reason: 'agent_unavailable',
  summary: 'Nobody answered.',
  transcript: [{ role: 'assistant', content: 'Hello.' }],
  formFills: null,
};
const forms = [{ title: 'Visit', values: { time: '9', guests: 2, extras: ['tea'], note: null } }];

describe('the callback', () => {
  it('has the fields of the interface, to the letter', () => {
    expect(JSON.parse(JSON.stringify(formatCallback(result)))).toEqual({
      call_id: 'call_1',
      workflow_id: 'wf_1',
      call_status: 'not_picked_up',
      provider_status: 'no-answer',
      reason: 'agent_unavailable',
      call_summary: 'Nobody answered.',
      messages: [{ role: 'assistant', content: 'Hello.' }],
      context: null,
      form_fills: [],
      created_at: '2026-11-21T05:00:00.000Z',
    });
  });

  it('fits its schema, with forms and without', () => {
    for (const formFills of [null, [], forms]) {
      const payload = formatCallback({ ...result, formFills });
      expect(callbackPayload.strict().parse(payload)).toEqual(payload);
      expect(payload.form_fills).toEqual(formFills ?? []);
    }
  });
});

describe('the webhook', () => {
  it('has the fields of the interface, to the letter', () => {
    const { context, ...rest } = JSON.parse(JSON.stringify(formatWebhook(result)));
    expect(rest).toEqual({
      call_id: 'call_1',
      workflow_id: 'wf_1',
      workflow_name: 'Reminder',
      phone_number_from: '+12025550101',
      phone_number_to: '+12025550142',
      call_status: 'not_picked_up',
      reason: 'agent_unavailable',
      call_summary: 'Nobody answered.',
      messages: [{ role: 'assistant', content: 'Hello.' }],
      created_at: '2026-11-21T05:00:00.000',
    });
    expect(JSON.parse(context)).toEqual({
      name: 'Jamie Doe',
      email: null,
      number: '+12025550142',
      context: '{"order": 7}',
    });
  });

  it('has form_fills only for workflows that contain forms', () => {
    expect(formatWebhook(result)).not.toHaveProperty('form_fills');
    for (const formFills of [[], forms]) {
      const payload = formatWebhook({ ...result, formFills });
      expect(payload.form_fills).toEqual(formFills);
      expect(webhookPayload.strict().parse(payload)).toEqual(payload);
    }
  });
});
