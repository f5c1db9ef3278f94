import { readdirSync, statSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { listener } from './listener.ts';
import { isLoud } from './mu-law.ts';
import { speak } from './speak.ts';
import { clipFile, clipTexts } from './speech/clips.ts';

const folder = new URL('../clips/', import.meta.url);

beforeAll(() => {
  process.env.PATH = '';
});

async function understood(text: string, voice: 'agent' | 'callee'): Promise<string> {
  const { audio } = await speak(text, { voice });
  expect(isLoud(audio)).toBe(true);
  const ear = listener();
  ear.hear(audio);
  return ear
    .take()
    .map((word) => word.text)
    .join(' ');
}

describe('a machine without a speech program', () => {
  it('plays recordings of what is said most often', async () => {
    for (const voice of ['agent', 'callee'] as const) {
      for (const text of clipTexts[voice]) {
        const recorded = statSync(new URL(clipFile(voice, text), folder)).size;
        const { audio } = await speak(text, { voice });
        expect(Math.abs(audio.length - recorded)).toBeLessThan(8 * 250);
        expect(await understood(text, voice)).toBe(text);
      }
    }
  });

  it.each(['Anything else is babble, at 3 pm.', 'Grüße aus 北京 и привет!'])('says %s', async (text) => {
    expect(await understood(text, 'callee')).toBe(text);
  });

  it('plays sentence by sentence what has no recording as a whole', async () => {
    const known = ['Great, thank you.', 'That is everything.'];
    const sizes = known.map((text) => statSync(new URL(clipFile('agent', text), folder)).size);
    const { audio } = await speak(known.join(' '));
    expect(Math.abs(audio.length - sizes.reduce((sum, size) => sum + size, 8 * 250))).toBeLessThan(8 * 250);
    expect(await understood(known.join(' '), 'agent')).toBe(known.join(' '));
    expect(await understood(`${known[0]} Nobody recorded this.`, 'agent')).toBe(
      `${known[0]} Nobody recorded this.`,
    );
  });

  it('needs no more than 400 kB of recordings', () => {
    const sizes = readdirSync(folder).map((file) => statSync(new URL(file, folder)).size);
    expect(sizes.length).toBe(clipTexts.agent.length + clipTexts.callee.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
  });
});
