import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { type Account, type AccountOptions, accountSchema, builtInAccounts } from './accounts.ts';
import { type Callee, defineCallee } from './callees/callee.ts';
import { faultsSchema } from './faults.ts';
import type { EmulatorOptions } from './options.ts';

const calleeSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(''),
  numbers: z.array(z.string().regex(/^\+[1-9]\d{6,14}$/, 'an E.164 number')).min(1),
  ring: z.strictObject({ afterMs: z.number().min(0) }).optional(),
  pickUp: z
    .union([z.strictObject({ afterMs: z.number().min(0) }), z.enum(['no-answer', 'busy', 'failed'])])
    .optional(),
  sipResponseCode: z.number().int().min(400).max(699).optional(),
  answeredBy: z
    .union([
      z.enum(['human', 'unknown', 'fax']),
      z.strictObject({ greeting: z.string().min(1), beep: z.boolean() }),
      z.strictObject({ mistakenFor: z.enum(['machine_end_silence', 'machine_end_other']) }),
    ])
    .optional(),
  /** What the callee says, one after the other, each time the agent has finished. */
  replies: z.array(z.string().min(1)).default([]),
});

// Merged before it is checked: a partial account schema would fill in defaults over the built-in values.
const changed = (account: Account) =>
  z
    .record(z.string(), z.unknown())
    .prefault({})
    .transform((changes): AccountOptions => ({ ...account, ...changes }))
    .pipe(accountSchema);

const configurationSchema = z.strictObject({
  port: z.number().int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  speed: z.number().positive().optional(),
  seed: z.number().int().optional(),
  allowInsecureLoopback: z.boolean().optional(),
  recordLimit: z.number().int().positive().optional(),
  transcripts: z.boolean().optional(),
  recordAudio: z.boolean().optional(),
  faults: faultsSchema.optional(),
  /** Properties that differ from those of the built-in accounts. */
  builtInAccounts: z
    .strictObject({
      trial: changed(builtInAccounts.trial),
      upgraded: changed(builtInAccounts.upgraded),
      approved: changed(builtInAccounts.approved),
    })
    .prefault({}),
  /** Accounts besides the built-in ones. */
  accounts: z.array(accountSchema).default([]),
  callees: z.array(calleeSchema).default([]),
});

/**
 * Reads a configuration file of the command line.
 *
 * @throws Error that names what is wrong in the file
 */
export async function readConfigurationFile(path: string): Promise<EmulatorOptions> {
  const text = await readFile(path, 'utf8');
  const parsed = configurationSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`${path} is not valid:\n${z.prettifyError(parsed.error)}`);
  const { builtInAccounts: builtIn, accounts, callees, ...options } = parsed.data;
  return {
    ...options,
    accounts: [builtIn.trial, builtIn.upgraded, builtIn.approved, ...accounts],
    callees: callees.map(scriptedCallee),
  };
}

function scriptedCallee({ replies, ...callee }: z.output<typeof calleeSchema>): Callee {
  return defineCallee({
    ...callee,
    converse: async (line) => {
      for (const reply of replies) {
        await line.heard();
        await line.say(reply);
      }
      await line.heard({ withinMs: 10_000 });
      await line.hangUp();
    },
  });
}
