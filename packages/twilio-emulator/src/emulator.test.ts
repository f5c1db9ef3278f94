import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { builtInAccounts } from './accounts.ts';
import { runCommand } from './command.ts';
import { readConfigurationFile } from './configuration-file.ts';
import { startTwilioEmulator } from './emulator.ts';
import { eventually, type Stage, stage, twiml } from './testing/application.ts';

const { approved } = builtInAccounts;
const from = '+12025550183';
const silent = '+12025550133';
let on: Stage | undefined;
afterEach(async () => {
  await on?.close();
  on = undefined;
});

describe('the truth', () => {
  it('is the same over HTTP and in process, for calls accepted and not', async () => {
    on = await stage();
    const { emulator, application, client } = on;
    application.answer('/twiml', () => twiml('<Say>Hello.</Say>'));
    await client.calls.create({ to: '+12025559999', from, twiml: '<Response/>' }).catch(() => {});
    const { sid } = await client.calls.create({
      to: silent,
      from,
      url: `${application.url}/twiml?attempt=7`,
    });
    await on.ended(sid);
    const { calls } = (await (await fetch(`${emulator.url}/_emulator/calls`)).json()) as { calls: unknown[] };
    expect(calls).toEqual(JSON.parse(JSON.stringify(emulator.calls())));
    expect(calls).toMatchObject([
      { requestId: expect.stringMatching(/^RQ/), outcome: { status: 400, code: 21214 } },
      { sid, url: '/twiml?attempt=7', outcome: { status: 201 }, status: 'completed' },
    ]);
    expect(await (await fetch(`${emulator.url}/_emulator/calls/${sid}`)).json()).toEqual(calls[1]);
    expect((await fetch(`${emulator.url}/_emulator/calls/CA0`)).status).toBe(404);
  });

  it('can be forgotten, live calls included, without a word to the application', async () => {
    on = await stage();
    const { emulator, application, client } = on;
    const statusCallback = `${application.url}/status`;
    const { sid } = await client.calls.create({
      to: '+12025550110',
      from,
      twiml: '<Response/>',
      statusCallback,
    });
    await eventually(() => emulator.call(sid)?.timeline.ringingAt);
    expect((await fetch(`${emulator.url}/_emulator/calls`, { method: 'DELETE' })).status).toBe(204);
    expect(emulator.calls()).toEqual([]);
    await expect(client.calls(sid).fetch()).rejects.toMatchObject({ code: 20404 });
    expect(application.webhooks).toEqual([]);
  });

  it('keeps the last records only, and transcripts only if wanted', async () => {
    on = await stage({ recordLimit: 2, transcripts: false });
    const { client, emulator } = on;
    const sids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { sid } = await client.calls.create({
        to: silent,
        from,
        twiml: '<Response><Say>Hi</Say></Response>',
      });
      sids.push(sid);
      const record = await on.ended(sid);
      expect(record.transcript).toEqual([]);
    }
    expect(emulator.calls().map((record) => record.sid)).toEqual(sids.slice(1));
    expect(await client.calls.list()).toHaveLength(2);
  });

  it('names the accounts and says that all is well', async () => {
    on = await stage();
    const health = await (await fetch(`${on.emulator.url}/_emulator`)).json();
    expect(health).toMatchObject({ status: 'ok', faults: { rateLimited: 0 } });
    expect(health).toHaveProperty('accounts.2.sid', approved.sid);
    expect((await fetch(`${on.emulator.url}/_emulator/unknown`)).status).toBe(404);
  });
});

describe('starting and closing', () => {
  it('refuses a speed of nothing and an account that is not valid', async () => {
    await expect(startTwilioEmulator({ speed: 0 })).rejects.toThrow('speed must be greater than 0');
    await expect(startTwilioEmulator({ accounts: [{ ...approved, sid: 'AC1' }] })).rejects.toThrow(
      '32 hex digits',
    );
  });

  it('ends live calls when it closes', async () => {
    on = await stage();
    const { sid } = await on.client.calls.create({
      to: silent,
      from,
      twiml: '<Response><Pause length="60"/></Response>',
    });
    await eventually(() => on?.emulator.call(sid)?.documents[0]);
    await on.emulator.close();
    expect(on.emulator.call(sid)?.timeline.endedAt).toBeDefined();
  });
});

describe('a configuration file', () => {
  async function inFile<Result>(content: unknown, use: (path: string) => Promise<Result>): Promise<Result> {
    const folder = await mkdtemp(join(tmpdir(), 'twilio-emulator-'));
    try {
      const path = join(folder, 'config.json');
      await writeFile(path, JSON.stringify(content));
      return await use(path);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it('changes built-in accounts, adds others, and scripts callees', async () => {
    const options = await inFile(
      {
        speed: 20,
        builtInAccounts: { approved: { callsPerSecond: 500 } },
        accounts: [{ name: 'Another', sid: `AC${'a'.repeat(32)}`, authToken: 'secret' }],
        callees: [{ name: 'parrot', numbers: ['+442079460123'], replies: ['Pretty Polly.'] }],
        faults: { listLagMs: 5 },
      },
      readConfigurationFile,
    );
    expect(options.accounts).toHaveLength(4);
    expect(options.accounts?.[2]).toEqual({ ...approved, callsPerSecond: 500 });
    on = await stage({ ...options, accounts: [{ ...approved, dialingCountries: ['GB'] }] });
    const instructions = '<Response><Say>Hello</Say><Pause length="60"/></Response>';
    const { sid } = await on.client.calls.create({ to: '+442079460123', from, twiml: instructions });
    const record = await on.ended(sid);
    expect(record.transcript.map((line) => line.text)).toEqual(['Hello', 'Pretty Polly.']);
  });

  it('that is wrong is refused with the place of the fault', async () => {
    const wrong = { accounts: [{ name: 'X', sid: 'AC1', authToken: 'secret' }], speeed: 2 };
    await expect(inFile(wrong, readConfigurationFile)).rejects.toThrow(/accounts\[0\]\.sid/);
  });

  it('is used by the command, and flags win over it', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    const table = vi.spyOn(console, 'table').mockImplementation(() => {});
    await inFile({ port: 1, speed: 2, builtInAccounts: { trial: { balance: '1.00' } } }, async (path) => {
      const emulator = await runCommand(['--port', '0', '--config', path]);
      expect(emulator?.accounts[0]).toMatchObject({ type: 'Trial', balance: '1.00' });
      expect((await fetch(`${emulator?.url}/_emulator`)).status).toBe(200);
      await emulator?.close();
    });
    expect(await runCommand(['--help'])).toBeUndefined();
    expect(log.mock.calls.flat().join('\n')).toContain('listening on http://127.0.0.1:');
    expect(table).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
    await expect(runCommand(['--port', 'many'])).rejects.toThrow("--port takes a number, not 'many'");
  });
});
