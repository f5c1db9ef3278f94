/** Examples of request bodies by operation, with fictional numbers and addresses. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  triggerCall: {
    recipient_phone: '+12025550142',
    workflow_id: 'wf_01kag0n5v8qx3t7m2d9e4b6c8f',
    recipient_name: 'Jamie Doe',
    recipient_email: 'jamie@example.com',
    recipient_context: 'Ordered a blue bicycle on Monday.',
    idempotency_key: 'order-1042-reminder',
  },
  promptCall: {
    prompt: 'Call the bakery and ask whether the cake for Sunday, ordered as Doe, can be picked up at nine.',
    recipient_phone: '+12025550142',
    callback_url: 'https://example.com/call-results',
    callback_secret: 'a-secret-only-we-know',
    idempotency_key: 'cake-sunday',
  },
  createWorkflow: {
    name: 'Appointment reminder',
    definition: {
      agent: { name: 'Robin', onBehalfOf: 'Example Dental' },
      objective: 'Remind the person of the appointment and ask whether they will come.',
      steps: [
        { title: 'Remind', instruction: 'Say when the appointment is.' },
        { title: 'Ask', instruction: 'Ask whether they will come.' },
      ],
    },
  },
  createForm: {
    title: 'Contact details',
    fields: [
      { name: 'Full name', type: 'text', required: true, ask: 'May I have your full name?' },
      { name: 'E-mail', type: 'email', required: true },
      { name: 'Preferred time', type: 'select', options: ['Morning', 'Afternoon'] },
    ],
  },
  updateForm: { title: 'Contact', expected_version: 1 },
  updateWorkflow: { name: 'Appointment reminder, mornings', expected_version: 1 },
  createWebhook: { name: 'CRM', url: 'https://example.com/webhooks/calls' },
  createConnection: {
    account_id: 'AC00000000000000000000000000000000',
    secret: 'the-auth-token-of-that-account',
    calls_per_second: 1,
  },
  connectNumber: { phone_number: '+12025550101' },
  createOrganization: { name: 'Example Dental', allowed_countries: ['US', 'CA'] },
  createOrganizationApiKey: { name: 'Backend', mode: 'live' },
  createApiKey: { name: 'Staging', mode: 'test' },
};

/** Examples of answers by operation. */
export const answerExamples: Readonly<Record<string, unknown>> = {
  triggerCall: { success: true, message: 'The agent will call shortly.' },
  promptCall: {
    success: true,
    workflow_id: 'wf_01kag0n5v8qx3t7m2d9e4b6c8f',
    call_id: 'call_01kag0p2h4zs6w8y1a3c5e7g9j',
  },
  listWorkflows: { workflows: [{ id: 'wf_01kag0n5v8qx3t7m2d9e4b6c8f', name: 'Appointment reminder' }] },
  getCall: {
    call_id: 'call_01kag0p2h4zs6w8y1a3c5e7g9j',
    mode: 'live',
    origin: 'workflow',
    workflow_id: 'wf_01kag0n5v8qx3t7m2d9e4b6c8f',
    workflow_name: 'Appointment reminder',
    workflow_version: 1,
    phone_number_from: '+12025550101',
    phone_number_to: '+12025550142',
    recipient_name: 'Jamie Doe',
    recipient_email: null,
    recipient_context: null,
    prompt: null,
    state: 'completed',
    call_status: 'success',
    provider_status: 'completed',
    reason: null,
    answered_by: 'human',
    cancel_requested: false,
    call_summary: 'Jamie confirmed the appointment.',
    recording_url: null,
    created_at: '2026-11-21T05:00:00.000Z',
    answered_at: '2026-11-21T05:00:09.000Z',
    ended_at: '2026-11-21T05:00:51.000Z',
    duration_seconds: 42,
    messages: [
      { role: 'assistant', content: 'Hello, I am an AI assistant calling for Example Dental.' },
      { role: 'user', content: 'Yes, I will be there.' },
    ],
    form_fills: [{ title: 'Visit', values: { 'Preferred time': 'Morning', Note: null } }],
    form_answers: [
      {
        form_id: 'form_01kag0n2t4v6x8z0b2d4f6h8k0',
        field: 'Preferred time',
        value: 'Morning',
        confirmed: true,
        quote: 'Mornings are best.',
        at: '2026-11-21T05:00:31.000Z',
      },
    ],
    tool_calls: [],
  },
};
