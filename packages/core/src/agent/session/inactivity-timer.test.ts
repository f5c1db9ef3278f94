import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inactivityTimer } from './inactivity-timer.ts';

const silenceMs = 10_000;
const minuteMs = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function watch() {
  const onSilence = vi.fn();
  const silence = inactivityTimer({ silenceMs, onSilence });
  silence.agentSpeaking(false);
  return { silence, onSilence };
}

describe('a call on hold', () => {
  it('is not silent, and begins to be when the callee is back', () => {
    const { silence, onSilence } = watch();
    silence.pause(true);
    vi.advanceTimersByTime(4 * minuteMs);
    silence.pause(false);
    vi.advanceTimersByTime(silenceMs - 1);
    expect(onSilence).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onSilence).toHaveBeenCalledTimes(1);
  });

  it('stays on hold whatever the agent does meanwhile', () => {
    const { silence, onSilence } = watch();
    silence.pause(true);
    silence.hold();
    silence.agentSaid(100);
    silence.release();
    vi.advanceTimersByTime(2 * minuteMs);
    expect(onSilence).not.toHaveBeenCalled();
  });

  it('is waited for at most five minutes, however often that is told', () => {
    const { silence, onSilence } = watch();
    silence.pause(true);
    for (let minute = 0; minute < 5; minute += 1) {
      vi.advanceTimersByTime(minuteMs);
      if (minute < 4) silence.pause(true);
    }
    expect(onSilence).not.toHaveBeenCalled();
    vi.advanceTimersByTime(silenceMs);
    expect(onSilence).toHaveBeenCalledTimes(1);
  });

  it('leaves nothing behind when it ends', () => {
    const { silence, onSilence } = watch();
    silence.pause(true);
    silence.stop();
    silence.pause(false);
    silence.pause(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(onSilence).not.toHaveBeenCalled();
  });
});
