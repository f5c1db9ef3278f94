import { expect, it, vi } from 'vitest';
import { silentLogger } from '../../kernel/logger.ts';
import type { SpokenEntry } from '../session/transcript.ts';
import { closingAnnouncement } from './closing-announcement.ts';
import { playoutTracker } from './playout-tracker.ts';
import { transcriptSequencer } from './transcript-sequencer.ts';

const sound = Buffer.alloc(8000, 0x55).toString('base64');
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A last line that is playing, on a line whose carrier answers when the test lets it. */
function stage() {
  const did: string[] = [];
  const marks: string[] = [];
  const entries: SpokenEntry[] = [];
  let answer: (isTold: boolean) => void = () => {};
  const told = new Promise<void>((resolve, reject) => {
    answer = (isTold) => (isTold ? resolve() : reject(new Error('the carrier is away')));
  });
  const order = transcriptSequencer({ add: (entry) => entries.push(entry) });
  const channel = {
    play: () => {},
    mark: (name: string) => marks.push(name),
    clear: () => {},
    end: () => void did.push('end'),
  };
  const playback = playoutTracker({
    channel,
    order,
    onPlaying(isPlaying) {
      if (!isPlaying) last.goIfHeard();
    },
    onHeard: () => last.goIfHeard(),
  });
  const last = closingAnnouncement({
    channel,
    playback,
    order,
    line: {
      say(text, then) {
        did.push(`${then}: ${text}`);
        return told;
      },
    },
    silenceModel: () => {},
    noteEnd: async () => {},
    logger: silentLogger,
    callId: 'call_1',
  });
  last.begin('Goodbye.', { isSafe: false, callGoesOn: false });
  last.sounds();
  playback.play('item_1', sound);
  return { did, entries, last, answer, playback, marks };
}

it('what the carrier says in place of a line that is playing is not ended with that line', async () => {
  const { did, entries, last, answer } = stage();
  last.handOver('I am an AI assistant.', 'hang-up');
  answer(true);
  await last.settle();
  await settled();
  expect(did).toEqual(['hang-up: I am an AI assistant.']);
  expect(entries.map(({ content }) => content)).toEqual(['I am an AI assistant.']);
});

it('a carrier that cannot be told what to say gets the call back', async () => {
  const { did, entries, last, answer } = stage();
  last.handOver('I am an AI assistant.', 'hang-up');
  answer(false);
  await last.settle();
  await settled();
  expect(did).toEqual(['hang-up: I am an AI assistant.', 'end']);
  expect(entries).toEqual([]);
});

it('a line is over when all of its sound was heard and no more of it is to come', async () => {
  const { did, playback, marks } = stage();
  playback.play('item_1', sound);
  for (const mark of marks.splice(0)) playback.played(mark);
  await settled();
  expect(playback.isPlaying).toBe(false);
  expect(did).toEqual([]);
  playback.ended('item_1');
  await settled();
  expect(did).toEqual(['end']);
});

it('a line whose end is not confirmed is waited for a little longer than it takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { did, playback, last } = stage();
    playback.ended('item_1');
    last.goIfHeard();
    await vi.advanceTimersByTimeAsync(1_000 + 2_900);
    expect(did).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    expect(did).toEqual(['end']);
  } finally {
    vi.useRealTimers();
  }
});
