import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError, variableNames } from './env.ts';

const secretKey = Buffer.alloc(32, 7).toString('base64');
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://callkite@127.0.0.1/callkite',
  PUBLIC_URL: 'https://calls.example.com/',
  CALLKITE_SECRET_KEY: secretKey,
  OPENAI_API_KEY: 'sk-example',
};

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}

describe('readSettings', () => {
  it('runs on nothing at all, with everything embedded', () => {
    expect(readSettings({})).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      databaseUrl: null,
      twilio: null,
      openai: null,
      requestsPerMinute: 60,
      dailyCallMinutes: 3000,
      demonstration: true,
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: ' ', CALLKITE_DEMO: '' })).toEqual(readSettings({}));
  });

  it('takes a limit of call minutes, or none', () => {
    const minutes = (value: string) => readSettings({ CALLKITE_DAILY_CALL_MINUTES: value }).dailyCallMinutes;
    expect([minutes('90'), minutes('unlimited')]).toEqual([90, null]);
    for (const value of ['0', '-1', 'none']) {
      expect(problemsOf({ CALLKITE_DAILY_CALL_MINUTES: value })).toEqual([
        '  - CALLKITE_DAILY_CALL_MINUTES must be a whole number from 1 to 9999999, or unlimited',
      ]);
    }
  });

  it('lists every problem at once', () => {
    const problems = problemsOf({
      PORT: '70000',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://127.0.0.1/callkite',
      CALLKITE_SECRET_KEY: 'short',
      CALLKITE_DEMO: 'yes',
      CALLKITE_PORT: '3000',
    });
    for (const name of [
      'PORT must be from 1 to 65535',
      'LOG_LEVEL',
      'DATABASE_URL must be',
      'CALLKITE_SECRET_KEY must be 32 random bytes',
      'CALLKITE_DEMO must be 0 or 1',
      'CALLKITE_PORT is not a setting',
      'PUBLIC_URL is required in production',
    ]) {
      expect(
        problems.filter((problem) => problem.startsWith(`  - ${name}`)),
        name,
      ).toHaveLength(1);
    }
    expect(problems).toHaveLength(7);
  });

  it('never repeats a value, which may be a secret', () => {
    expect(
      problemsOf({ CALLKITE_SECRET_KEY: 'hunter2', CALLKITE_OPERATOR_TOKEN: 'hunter2' }).join(),
    ).not.toContain('hunter2');
  });

  it('accepts a complete production configuration', () => {
    expect(readSettings(production)).toMatchObject({
      production: true,
      publicUrl: 'https://calls.example.com',
      logLevel: 'info',
      twilio: { apiBaseUrl: null },
      openai: { apiKey: 'sk-example', baseUrl: null, model: null },
    });
  });

  it.each([
    ['no secret key', { CALLKITE_SECRET_KEY: '' }, 'CALLKITE_SECRET_KEY is required'],
    ['no public address', { PUBLIC_URL: '' }, 'PUBLIC_URL is required'],
    [
      'a public address without TLS',
      { PUBLIC_URL: 'http://127.0.0.1:3000' },
      'PUBLIC_URL must begin with https',
    ],
    ['no model for real people', { OPENAI_API_KEY: '' }, 'OPENAI_API_KEY'],
    ['callbacks into private networks', { CALLKITE_ALLOW_PRIVATE_CALLBACKS: '1' }, 'CALLKITE_ALLOW_PRIVATE'],
  ])('refuses production with %s', (_what, change, problem) => {
    const problems = problemsOf({ ...production, ...change });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('keeps to the emulated network while carriers cannot reach the server', () => {
    const onPostgres = {
      ...production,
      NODE_ENV: '',
      PUBLIC_URL: 'http://127.0.0.1:3000',
      OPENAI_API_KEY: '',
    };
    expect(readSettings(onPostgres)).toMatchObject({ production: true, twilio: null, openai: null });
    expect(readSettings({ OPENAI_API_KEY: 'sk-example' })).toMatchObject({ twilio: null, openai: {} });
  });

  it('reaches the server through loopback when it listens on every address', () => {
    expect(readSettings({ HOST: '0.0.0.0', PORT: '3100' }).loopbackUrl).toBe('http://127.0.0.1:3100');
    expect(readSettings({ HOST: '::', PORT: '3100' }).loopbackUrl).toBe('http://[::1]:3100');
  });
});

describe('a second model', () => {
  const secondOf = (environment: Record<string, string>) =>
    readSettings({ OPENAI_API_KEY: 'sk-first', ...environment }).secondOpenai;

  it('is there as soon as one of its settings is, and is like the first otherwise', () => {
    expect(secondOf({})).toBeNull();
    const first = {
      OPENAI_BASE_URL: 'https://models.example.com/v1',
      OPENAI_SPEECH_MODEL: 'gpt-realtime-2.1',
    };
    const like = {
      apiKey: 'sk-first',
      baseUrl: 'https://models.example.com/v1',
      model: null,
      speechModel: 'gpt-realtime-2.1',
    };
    expect(secondOf({ ...first, OPENAI_SECOND_MODEL: 'gpt-6-terra' })).toEqual({
      ...like,
      model: 'gpt-6-terra',
    });
    expect(secondOf({ ...first, OPENAI_SECOND_API_KEY: 'sk-second' })).toEqual({
      ...like,
      apiKey: 'sk-second',
    });
    expect(secondOf({ ...first, OPENAI_SECOND_SPEECH_MODEL: 'gpt-realtime-2.1-mini' })).toEqual({
      ...like,
      speechModel: 'gpt-realtime-2.1-mini',
    });
  });

  it('gets the key of the first on the same server only', () => {
    const elsewhere = { OPENAI_SECOND_BASE_URL: 'https://other.example.com/v1' };
    expect(secondOf({ ...elsewhere, OPENAI_SECOND_API_KEY: 'sk-second' })?.apiKey).toBe('sk-second');
    const [problem, ...others] = problemsOf({ OPENAI_API_KEY: 'sk-first', ...elsewhere });
    expect(problem).toContain('OPENAI_SECOND_API_KEY is required');
    expect(problem).not.toContain('sk-first');
    expect(others).toEqual([]);
    const open = { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1', ...elsewhere };
    expect(readSettings(open).secondOpenai?.apiKey).toBeNull();
  });

  it.each([
    ['without a first', { OPENAI_SECOND_MODEL: 'gpt-6-terra' }, 'needs a first one'],
    [
      'that is the first',
      { OPENAI_API_KEY: 'sk-first', OPENAI_SECOND_API_KEY: 'sk-first' },
      'is the same as the first',
    ],
    [
      'at an address that is none',
      { OPENAI_API_KEY: 'sk-first', OPENAI_SECOND_API_KEY: 'sk-second', OPENAI_SECOND_BASE_URL: 'elsewhere' },
      'OPENAI_SECOND_BASE_URL must be a URL',
    ],
  ])('is refused %s', (_what, environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('.env.example', () => {
  const example = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
  const entries = [...example.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(
    (match) => [match[1] ?? '', match[2] ?? ''] as const,
  );

  it('explains every setting, and no other', () => {
    expect(entries.map(([name]) => name).sort()).toEqual([...variableNames].sort());
  });

  it('shows values that are accepted', () => {
    const values = Object.fromEntries(entries);
    expect(problemsOf({ ...values, CALLKITE_SECRET_KEY: secretKey, OPENAI_API_KEY: 'sk-example' })).toEqual(
      [],
    );
  });
});
