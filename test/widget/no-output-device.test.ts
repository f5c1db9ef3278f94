import { expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { worldOfTests } from './world-of-tests.ts';

// As on a machine without a loudspeaker: the browser can open no stream of sound.
const tests = worldOfTests({ browserFlags: ['--fail-audio-stream-creation'] });

it('has the same call go on in writing where there is nothing to play sound on', {
  timeout: 120_000,
}, async () => {
  const site = await tests.visit({ microphone: 'granted' });
  await site.enter();
  await site.button('Start call').click();
  await site.reaches('live');
  await site.page.getByRole('alert').getByText('You can type here', { exact: false }).waitFor();
  await site.type('Can you repeat that?');
  await eventually('an answer', async () => {
    const lines = await site.lines();
    return lines.includes('Can you repeat that?') && lines.at(-1) !== 'Can you repeat that?';
  });
  expect((await site.told('call-start')).length).toBe(1);
  const codes = (await site.told('error')).map(({ code }) => code);
  expect(['voice_unavailable', 'microphone_missing']).toContain(codes[0]);
});
