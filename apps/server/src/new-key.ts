import { EventEmitter } from 'node:events';
import type { Mode, Organization } from '@callkite/core';
import { compose } from './composition-root.ts';
import type { Settings } from './env.ts';
import { secretKeys } from './secret-key.ts';
import type { Terminal } from './terminal.ts';

const usage = 'Write: new-key [live|test] [organization id]';

/**
 * Creates another API key, for whoever lost the first ones: keys are stored as digests, and cannot be shown again.
 * @param words what follows the name of the command
 * @throws Error with a sentence to show
 */
export async function newKey(
  settings: Settings,
  terminal: Terminal,
  words: readonly string[],
): Promise<void> {
  const [mode = 'live', organizationId] = words;
  if (mode !== 'live' && mode !== 'test') throw new Error(usage);
  // Nothing is started: keys need the store only.
  const nowhere = { carrierUrl: settings.loopbackUrl, modelUrl: settings.loopbackUrl };
  const { callkite, disconnect } = compose({
    settings,
    keys: await secretKeys(settings),
    network: nowhere,
    events: new EventEmitter(),
  });
  try {
    const { items } = await callkite.organizations.list({ limit: 100, cursor: null });
    const { id, name } = chosen(items, mode, organizationId);
    const { key } = await callkite.organizations.createApiKey(id, { mode, name: 'Created by new-key' });
    terminal.printText(
      `A key of the organization “${name}”. It is shown only this once; earlier keys stay valid until they are revoked.`,
    );
    terminal.print('');
    terminal.print(`API key (${mode}): ${key}`);
  } finally {
    await callkite.stop({ drainMs: 0 });
    await disconnect();
  }
}

function chosen(organizations: readonly Organization[], mode: Mode, id: string | undefined): Organization {
  if (organizations.length === 0) {
    throw new Error('There is no organization yet: start the server once, and it shows the first keys.');
  }
  const [only, ...others] = id === undefined ? organizations : organizations.filter((each) => each.id === id);
  if (only !== undefined && others.length === 0) return only;
  const known = organizations.map((each) => `  ${each.id}  ${each.name}`);
  throw new Error([`Say for which organization: new-key ${mode} <id>`, ...known].join('\n'));
}
