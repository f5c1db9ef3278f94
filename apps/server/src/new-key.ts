import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CallkiteError, type Mode, type Organization } from '@callkite/core';
import { compose } from './composition-root.ts';
import type { Settings } from './env.ts';
import { opening, type Progress } from './progress.ts';
import { secretKeys } from './secret-key.ts';
import { hasCode } from './start-problems.ts';
import type { Terminal } from './terminal.ts';

const usage = 'Write: new-key [live|test] [organization id]';
const noOrganization = 'There is no organization yet: start the server once, and it shows the first keys.';

/**
 * Creates another API key, for whoever lost the first ones: keys are stored as digests, and cannot be shown again.
 * @param words what follows the name of the command
 * @throws Error with a sentence to show
 */
export async function newKey(
  settings: Settings,
  terminal: Terminal,
  words: readonly string[],
  progress: Pick<Progress, 'step' | 'end'>,
): Promise<void> {
  const [mode = 'live', organizationId] = words;
  if (mode !== 'live' && mode !== 'test') throw new Error(usage);
  const { databaseUrl, dataDirectory, loopbackUrl } = settings;
  // Looking must not create a database.
  if (databaseUrl === null && !existsSync(path.join(dataDirectory, 'database')))
    throw new Error(noOrganization);
  // Nothing is started: keys need the store only.
  const nowhere = { carrierUrl: loopbackUrl, modelUrl: loopbackUrl };
  const { callkite, disconnect } = compose({
    settings,
    keys: await secretKeys(settings),
    network: nowhere,
    events: new EventEmitter(),
  });
  progress.step(opening(settings));
  try {
    const { items } = await callkite.organizations.list({ limit: 100, cursor: null });
    const { id, name } = chosen(items, mode, organizationId);
    const { key } = await callkite.organizations.createApiKey(id, { mode, name: 'Created by new-key' });
    progress.end();
    terminal.printText(
      `A key of the organization “${name}”. It is shown only this once; earlier keys stay valid until they are revoked.`,
    );
    terminal.print('');
    terminal.print(`API key (${mode}): ${key}`);
  } catch (error) {
    throw explained(error, settings);
  } finally {
    await callkite.stop({ drainMs: 0 });
    await disconnect();
  }
}

function explained(error: unknown, { databaseUrl, dataDirectory }: Settings): unknown {
  // No table or no schema.
  if (hasCode(error, '42P01', '3F000')) return new Error(noOrganization);
  if (databaseUrl === null && CallkiteError.isInstance(error) && error.code === 'conflict') {
    return new Error(
      `The embedded database in ${dataDirectory} is in use: stop the server, write new-key again, and then start the server.`,
    );
  }
  return error;
}

function chosen(organizations: readonly Organization[], mode: Mode, id: string | undefined): Organization {
  if (organizations.length === 0) throw new Error(noOrganization);
  const [only, ...others] = id === undefined ? organizations : organizations.filter((each) => each.id === id);
  if (only !== undefined && others.length === 0) return only;
  const known = organizations.map((each) => `  ${each.id}  ${each.name}`);
  throw new Error([`Say for which organization: new-key ${mode} <id>`, ...known].join('\n'));
}
