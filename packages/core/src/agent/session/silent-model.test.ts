import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { phrasesFor } from '../languages/phrases.ts';
import { greetInSound, startInSound } from '../testing/sound-stage.ts';

const { apology, stillThere } = phrasesFor('en');
const carrierSays = `carrier ${apology}`;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Stage = Awaited<ReturnType<typeof startInSound>>;

const piece = (byte: number) => Buffer.alloc(160, byte).toString('base64');

/** The callee's line, for so long: a loud µ-law byte, or a silent one. */
async function line(stage: Stage, sound: 'speech' | 'quiet', ms: number) {
  const audio = piece(sound === 'speech' ? 0x20 : 0xff);
  for (let at = 0; at < ms; at += 20) {
    stage.onChannel({ type: 'audio', audio });
    await stage.wait(20);
  }
}

describe('a speech model that falls silent', () => {
  it('while the callee speaks is replaced 5 s after they stopped, and ends the call 12 s after', async () => {
    const stage = await greetInSound();
    stage.tell({ type: 'callee-speaking', speaking: true, turnId: 't1' });
    await line(stage, 'speech', 3000);
    await line(stage, 'quiet', 1500 + 4900);
    expect(stage.log.filter((entry) => entry.startsWith('2:'))).toEqual([]);
    await line(stage, 'quiet', 200);
    expect(stage.log).toContain('2: respond');
    await line(stage, 'quiet', 7000);
    expect(stage.log).toContain(carrierSays);
    expect(stage.reasons).toEqual(['agent_unavailable, failed']);
  });

  it('is not taken for silent by a callee who goes on speaking', async () => {
    const stage = await greetInSound();
    stage.tell({ type: 'callee-speaking', speaking: true, turnId: 't1' });
    for (let sentences = 0; sentences < 5; sentences += 1) {
      await line(stage, 'speech', 4000);
      await line(stage, 'quiet', 3000);
    }
    expect(stage.log.filter((entry) => entry.startsWith('2:'))).toEqual([]);
    expect(stage.reasons).toEqual([]);
  });

  it('before the callee says something is not waited for twice', async () => {
    const stage = await greetInSound();
    await line(stage, 'speech', 1500);
    await line(stage, 'quiet', 8000);
    expect(stage.log).toContain(`say ${stillThere}`);
    await line(stage, 'quiet', 2100);
    expect(stage.log).toContain(`2: say ${stillThere}`);
    await line(stage, 'quiet', 4000);
    expect(stage.log).toContain(carrierSays);
  });

  it('and had its opening line said by the carrier has little time when it is asked again', async () => {
    const stage = await startInSound({ wasDisclosed: true });
    expect(stage.log).toContain('respond');
    await stage.wait(2100);
    expect(stage.log).toContain('2: respond');
    await stage.wait(4000);
    expect(stage.log).toContain(carrierSays);
  });

  it('at the opening line is left for another at once', async () => {
    const stage = await startInSound();
    await stage.wait(4100);
    expect(stage.log).toContain(`carrier ${stage.disclosure}`);
    expect(stage.closedWith()).toMatchObject({ code: 'provider_unavailable', retryable: true });
  });
});
