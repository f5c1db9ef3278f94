/** Calls that talked in this process and whose result is not written yet: what a shutdown had better wait for. */
export interface DrainBarrier {
  began(callId: string): void;
  finished(callId: string): void;
  /** Waits until there is none, at most so long. */
  settled(timeoutMs: number): Promise<void>;
}

/** No call lasts longer. Its result may have been written by another process, which this one is not told. */
const forgetAfterMs = 2 * 3_600_000;

export function createDrainBarrier(): DrainBarrier {
  /** Call ids and when their conversation began, oldest first. */
  const open = new Map<string, number>();
  let onSettled: (() => void) | undefined;
  return {
    began(callId) {
      const now = performance.now();
      for (const [oldest, beganAt] of open) {
        if (now - beganAt < forgetAfterMs) break;
        open.delete(oldest);
      }
      open.set(callId, now);
    },
    finished(callId) {
      open.delete(callId);
      if (open.size === 0) onSettled?.();
    },
    async settled(timeoutMs) {
      if (open.size === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        onSettled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
