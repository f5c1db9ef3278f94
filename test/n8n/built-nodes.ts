import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package, for whoever packs it. */
export const packageFolder = fileURLToPath(new URL('../../packages/n8n-nodes-callkite', import.meta.url));

const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
execFileSync(process.execPath, [tsc, '-b', packageFolder], { stdio: 'inherit' });

// What n8n loads: the CommonJS that is published, with the n8n-workflow that its package has.
const load = createRequire(path.join(packageFolder, 'dist/'));
const action: typeof import('../../packages/n8n-nodes-callkite/nodes/Callkite/Callkite.node.ts') = load(
  './nodes/Callkite/Callkite.node.js',
);
const trigger: typeof import('../../packages/n8n-nodes-callkite/nodes/Callkite/CallkiteTrigger.node.ts') =
  load('./nodes/Callkite/CallkiteTrigger.node.js');
const signature: typeof import('../../packages/n8n-nodes-callkite/nodes/Callkite/shared/webhook-signature.ts') =
  load('./nodes/Callkite/shared/webhook-signature.js');

export const { Callkite } = action;
export type Callkite = InstanceType<typeof Callkite>;
export const { CallkiteTrigger } = trigger;
export type CallkiteTrigger = InstanceType<typeof CallkiteTrigger>;
export const { isSigned } = signature;
