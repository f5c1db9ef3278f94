import { expect, it } from 'vitest';
import { Recordings } from './recordings.ts';

it('forgets the oldest streams when it has no more room', () => {
  const recordings = new Recordings();
  const frame = new Uint8Array(160);
  const minutes = (streamSid: string, count: number) => {
    const record = recordings.start(streamSid);
    for (let frames = count * 60 * 50; frames > 0; frames -= 1) record(frame, frame);
  };
  minutes('MZ1', 30);
  minutes('MZ2', 30);
  expect(recordings.wav('MZ1')).toBeDefined();
  minutes('MZ3', 30);
  expect(recordings.wav('MZ1')).toBeUndefined();
  expect(recordings.wav('MZ2')?.length).toBe(44 + 30 * 60 * 8000 * 2 * 2);
  recordings.clear();
  expect(recordings.wav('MZ3')).toBeUndefined();
});
