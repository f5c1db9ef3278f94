import { expect, it } from 'vitest';
import { createLogger } from './logging.ts';

function logged(production: boolean, write: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  write(createLogger({ production, logLevel: 'info' }, { write: (line) => lines.push(line) }));
  return lines;
}

it('writes JSON in production and short lines otherwise', () => {
  const write = (logger: ReturnType<typeof createLogger>) =>
    logger.warn({ callId: 'call_1' }, 'something happened');
  expect(JSON.parse(logged(true, write)[0] ?? '')).toMatchObject({
    callId: 'call_1',
    msg: 'something happened',
  });
  expect(logged(false, write)).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d warn {2}something happened callId=call_1\n$/),
  ]);
});

it.each([true, false])('shows the cause of an error (production: %s)', (production) => {
  const [err] = logged(production, (logger) => logger.error({ err: new Error('the cause') }, 'failed'));
  const [error] = logged(production, (logger) => logger.error({ error: new Error('the cause') }, 'failed'));
  expect(err).toContain('the cause');
  expect(error).toContain('the cause');
});

it.each([true, false])(
  'hides personal data and secrets that were passed by mistake (production: %s)',
  (production) => {
    const lines = logged(production, (logger) => {
      logger.info({ to: '+12025550142', call: { recipientName: 'Jordan Avery' } }, 'call');
      logger.info({ deep: { call: { transcript: ['Jordan Avery'] } }, apiKey: 'ck_live_1' }, 'call');
    });
    expect(lines.join()).not.toMatch(/\+1202|Jordan|ck_live/);
    expect(lines.join()).toContain('[redacted]');
  },
);
