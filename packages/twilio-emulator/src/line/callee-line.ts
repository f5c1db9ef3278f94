import type { CalleeLine } from '../callees/callee.ts';
import type { Line } from './line.ts';

const KEY_PRESS_MS = 250;

/** The line as a callee's script uses it. */
export function calleeLine(
  line: Line,
  call: { to: string; from: string; calleeHangsUp(): void },
): CalleeLine {
  const never = (): Promise<never> =>
    new Promise((_resolve, reject) => {
      if (line.signal.aborted) reject(line.signal.reason);
      line.signal.addEventListener('abort', () => reject(line.signal.reason), { once: true });
    });

  async function heard(): Promise<string>;
  async function heard(options: { withinMs: number }): Promise<string | undefined>;
  async function heard(options?: { withinMs: number }): Promise<string | undefined> {
    return line.nextUtterance(options?.withinMs);
  }

  return {
    to: call.to,
    from: call.from,
    heard,
    keyPressed: ({ withinMs }) => line.nextKey(withinMs),
    agentSpeaks: () => line.agentSpeaks(),
    async say(text, options) {
      await line.calleeSpeaks(text, options?.language);
    },
    async interrupt(text, { afterMs }) {
      await line.agentSpeaks();
      await line.pass(afterMs);
      return line.calleeSpeaks(text);
    },
    async press(digit) {
      if (!/^[0-9*#]$/.test(digit)) throw new Error(`press() takes one key, 0-9, * or #, not '${digit}'`);
      line.calleePresses(digit);
      await line.pass(KEY_PRESS_MS);
    },
    beep: () => line.calleeBeeps(),
    wait: (milliseconds) => line.pass(milliseconds),
    silence: never,
    hangUp() {
      call.calleeHangsUp();
      return never();
    },
  };
}
