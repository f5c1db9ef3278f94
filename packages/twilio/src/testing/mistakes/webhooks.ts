import { type Mistake, resigned } from './mistake.ts';

const forgedWebhook = 'refuses a webhook that is forged or tampered with';
export const webhookMistakes: readonly Mistake[] = [
  [
    'does not check signatures',
    forgedWebhook,
    (good) => ({
      async receiveWebhook(path, request, secretOf) {
        return good.receiveWebhook(path, await resigned(request, good), secretOf);
      },
    }),
  ],
  [
    'checks signatures only where there are some',
    forgedWebhook,
    (good) => ({
      async receiveWebhook(path, request, secretOf) {
        const isSigned = request.headers['x-twilio-signature'] !== undefined;
        const checked = isSigned ? request : await resigned(request, good);
        return good.receiveWebhook(path, checked, secretOf);
      },
    }),
  ],
  [
    'does not check tokens',
    forgedWebhook,
    (good) => ({
      receiveWebhook: (path, request) =>
        good.receiveWebhook(path, request, async () => good.fixture.account.secret),
    }),
  ],
  [
    'takes every status for ringing',
    'reads genuine webhooks',
    (good) => ({
      async receiveWebhook(...received) {
        const verified = await good.receiveWebhook(...received);
        if (verified?.event.type !== 'status') return verified;
        return { ...verified, event: { ...verified.event, status: 'ringing' } };
      },
    }),
  ],
  [
    'loses how long a call took',
    'reads genuine webhooks',
    (good) => ({
      async receiveWebhook(...received) {
        const verified = await good.receiveWebhook(...received);
        if (verified?.event.type !== 'status') return verified;
        return { ...verified, event: { ...verified.event, durationSeconds: null } };
      },
    }),
  ],
  [
    'names another call',
    'reads genuine webhooks',
    (good) => ({
      async receiveWebhook(...received) {
        const verified = await good.receiveWebhook(...received);
        return verified && { ...verified, providerCallId: verified.attemptToken };
      },
    }),
  ],
  [
    'does not read what is said of recordings',
    'reads what a webhook says of a recording',
    (good) => ({
      receiveWebhook: async (path, request, secretOf) =>
        path === 'recording' ? null : good.receiveWebhook(path, request, secretOf),
    }),
  ],
  [
    'acknowledges with a failure',
    'acknowledges webhooks with a success',
    () => ({
      acknowledge: () => ({ status: 500, headers: {}, body: null }),
    }),
  ],
  [
    'lets text become an instruction',
    'does not let text become an instruction',
    (good) => ({
      renderInstruction(instruction) {
        const response = good.renderInstruction(instruction);
        return { ...response, body: String(response.body).replaceAll('&lt;', '<').replaceAll('&gt;', '>') };
      },
    }),
  ],
  [
    'does not know every instruction',
    'renders every instruction',
    (good) => ({
      renderInstruction: (instruction) =>
        instruction.type === 'ask' ? good.acknowledge() : good.renderInstruction(instruction),
    }),
  ],
];
