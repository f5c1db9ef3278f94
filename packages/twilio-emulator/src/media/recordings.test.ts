import { expect, it } from 'vitest';
import { Recordings } from './recordings.ts';

it('forgets the oldest streams when it has no more room', () => {
  const seconds = 50 * 2 * 160;
  const recordings = new Recordings(70 * seconds);
  const frame = new Uint8Array(160);
  const recordSeconds = (streamSid: string, count: number) => {
    const record = recordings.start(streamSid);
    for (let frames = count * 50; frames > 0; frames -= 1) record(frame, frame);
  };
  recordSeconds('MZ1', 30);
  recordSeconds('MZ2', 30);
  expect(recordings.wav('MZ1')).toBeDefined();
  recordSeconds('MZ3', 30);
  expect(recordings.wav('MZ1')).toBeUndefined();
  expect(recordings.wav('MZ2')?.length).toBe(44 + 30 * 8000 * 2 * 2);
  recordings.clear();
  expect(recordings.wav('MZ3')).toBeUndefined();
});
