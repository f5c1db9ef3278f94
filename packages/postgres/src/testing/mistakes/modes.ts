import { inCalls, inEitherMode, type Mistake, ofEitherMode, part } from './mistake.ts';

const calls = 'calls belong to one mode';
const webhooks = 'webhooks and their deliveries belong to one mode';
const integrations = 'whom calls are transferred to belongs to one mode';
const lines = 'connections and numbers belong to one mode';
const workflows =
  'test mode sees workflows of live mode and changes none, and live mode sees none of test mode';
const forms = 'test mode sees forms of live mode and changes none, and live mode sees none of test mode';

export const modeMistakes: readonly Mistake[] = [
  ['shows calls of the other mode', calls, inCalls(({ get }) => ({ get: inEitherMode(get) }))],
  ['lists calls of the other mode', calls, inCalls(({ list }) => ({ list: ofEitherMode(list) }))],
  ['cancels calls of the other mode', calls, inCalls(({ cancel }) => ({ cancel: inEitherMode(cancel) }))],
  ['erases calls of the other mode', calls, inCalls(({ erase }) => ({ erase: inEitherMode(erase) }))],
  [
    'shows webhooks of the other mode',
    webhooks,
    part('deliveries', ({ getIntegration }) => ({ getIntegration: inEitherMode(getIntegration) })),
  ],
  [
    'lists webhooks of the other mode',
    webhooks,
    part('deliveries', ({ listIntegrations }) => ({ listIntegrations: ofEitherMode(listIntegrations) })),
  ],
  [
    'changes secrets of the other mode',
    webhooks,
    part('deliveries', ({ rotateSecret }) => ({ rotateSecret: inEitherMode(rotateSecret) })),
  ],
  [
    'deletes webhooks of the other mode',
    webhooks,
    part('deliveries', ({ deleteIntegration }) => ({ deleteIntegration: inEitherMode(deleteIntegration) })),
  ],
  [
    'shows deliveries of the other mode',
    webhooks,
    part('deliveries', ({ get }) => ({ get: inEitherMode(get) })),
  ],
  [
    'lists deliveries of the other mode',
    webhooks,
    part('deliveries', ({ list }) => ({ list: ofEitherMode(list) })),
  ],
  [
    'shows attempts of the other mode',
    webhooks,
    part('deliveries', ({ listAttempts }) => ({
      async listAttempts(scope, id) {
        const attempts = await listAttempts({ ...scope, mode: 'live' }, id);
        return attempts.length > 0 ? attempts : listAttempts({ ...scope, mode: 'test' }, id);
      },
    })),
  ],
  [
    'sends deliveries of the other mode again',
    webhooks,
    part('deliveries', ({ resend }) => ({ resend: inEitherMode(resend) })),
  ],
  [
    'shows transfer numbers of the other mode',
    integrations,
    part('transfers', ({ getIntegration }) => ({ getIntegration: inEitherMode(getIntegration) })),
  ],
  [
    'lists transfer numbers of the other mode',
    integrations,
    part('transfers', ({ listIntegrations }) => ({ listIntegrations: ofEitherMode(listIntegrations) })),
  ],
  [
    'changes transfer numbers of the other mode',
    integrations,
    part('transfers', ({ updateIntegration }) => ({ updateIntegration: inEitherMode(updateIntegration) })),
  ],
  [
    'deletes transfer numbers of the other mode',
    integrations,
    part('transfers', ({ deleteIntegration }) => ({ deleteIntegration: inEitherMode(deleteIntegration) })),
  ],
  [
    'shows connections of the other mode',
    lines,
    part('organizations', ({ getConnection }) => ({ getConnection: inEitherMode(getConnection) })),
  ],
  [
    'deletes connections of the other mode',
    lines,
    part('organizations', ({ deleteConnection }) => ({ deleteConnection: inEitherMode(deleteConnection) })),
  ],
  [
    'disconnects numbers of the other mode',
    lines,
    part('organizations', ({ disconnectNumber }) => ({ disconnectNumber: inEitherMode(disconnectNumber) })),
  ],
  [
    'lists numbers of both modes',
    lines,
    part('organizations', ({ listNumbers }) => ({
      async listNumbers(scope) {
        const [live, test] = (['live', 'test'] as const).map((mode) => listNumbers({ ...scope, mode }));
        return [...((await live) ?? []), ...((await test) ?? [])];
      },
    })),
  ],
  [
    'shows live mode the workflows of test mode',
    workflows,
    part('workflows', ({ get }) => ({ get: inEitherMode(get) })),
  ],
  [
    'lets test mode change workflows of live mode',
    workflows,
    part('workflows', ({ update }) => ({ update: inEitherMode(update) })),
  ],
  [
    'lets test mode delete workflows of live mode',
    workflows,
    part('workflows', (good) => ({ delete: inEitherMode(good.delete) })),
  ],
  [
    'lets test mode change forms of live mode',
    forms,
    part('forms', ({ update }) => ({ update: inEitherMode(update) })),
  ],
  [
    'lets test mode delete forms of live mode',
    forms,
    part('forms', (good) => ({ delete: inEitherMode(good.delete) })),
  ],
  ['shows live mode the forms of test mode', forms, part('forms', ({ get }) => ({ get: inEitherMode(get) }))],
];
