import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listener, silence, speak } from '@callkite/emulated-voice';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodedMuLaw, encodeMuLaw } from '../../apps/widget/src/audio/mu-law.ts';
import { Resampler } from '../../apps/widget/src/audio/resampler.ts';
import { eventually } from '../embedded.ts';
import { type Site, startWorld, type World } from './world.ts';

const lineRate = 8000;
const microphoneRate = 48_000;
const interruption = 'Can you repeat that?';
const opening =
  'I am here to find a time for your next check-up, and to answer whatever you would like to know about the practice, how long it takes, and what to bring along.';

let world: World;
let site: Site;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'callkite-microphone-'));
  const file = path.join(folder, 'microphone.wav');
  await writeFile(file, await spokenFile());
  world = await startWorld({ opening, browserFlags: [`--use-file-for-fake-audio-capture=${file}%noloop`] });
  site = await world.open({ microphone: 'granted', initScript: soundOfPage });
}, 180_000);
afterAll(async () => {
  await site?.close();
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the microphone hears: somebody who interrupts the agent, and now and then again. */
async function spokenFile(): Promise<Buffer> {
  const { audio } = await speak(interruption, { voice: 'callee' });
  const again = [audio, silence(12_000)];
  const heard = Buffer.concat([silence(6000), ...again, ...again, ...again]);
  return wav(resampled(decoded(heard), lineRate, microphoneRate), microphoneRate);
}

const decoded = (audio: Uint8Array) => Float32Array.from(audio, (byte) => decodedMuLaw[byte] ?? 0);
const resampled = (samples: Float32Array, from: number, to: number) =>
  new Resampler(from, to).process(samples);

function understood(samples: Float32Array): string {
  const ear = listener();
  ear.hear(Uint8Array.from(samples, encodeMuLaw));
  const words = ear.take().map(({ text }) => text);
  return words.join(' ');
}

const wordsOf = (text: string) => text.toLowerCase().match(/[a-z'-]+/g) ?? [];

/** 16-bit mono. */
function wav(samples: Float32Array, rate: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length * 2, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length * 2, 40);
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * 32_767));
  return Buffer.concat([header, Buffer.from(pcm.buffer)]);
}

/**
 * Runs in the page: takes what goes to the loudspeaker down, and has the microphone untouched, for what improves voices
 * is no friend of the data that emulated voices carry.
 */
const soundOfPage = `
  window.played = [];
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      const tap = this.context.createScriptProcessor(16384, 1, 1);
      tap.onaudioprocess = ({ inputBuffer }) => window.played.push(inputBuffer.getChannelData(0).slice());
      window.playedRate = this.context.sampleRate;
      connect.call(this, tap);
      connect.call(tap, to);
    }
    return connect.call(this, to, ...rest);
  };
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = () =>
    ask({ audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
`;

/** Runs in the page: what was taken down, as 16-bit samples in base64. */
const takeSound = `(async () => {
  const samples = window.played.flatMap((block) => [...block].map((sample) => Math.round(sample * 32767)));
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([Int16Array.from(samples)]));
  await new Promise((resolve) => { reader.onload = resolve; });
  return { rate: window.playedRate, sound: reader.result.split(',')[1] };
})()`;

async function heardInPage(): Promise<string> {
  const { rate, sound } = (await site.page.evaluate(takeSound)) as { rate: number; sound: string };
  const bytes = Uint8Array.from(Buffer.from(sound, 'base64'));
  const samples = Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32_767);
  return understood(resampled(samples, rate, lineRate));
}

/** Asks until a number has stopped to grow. */
async function settled(count: () => number | Promise<number>): Promise<number> {
  let before = -1;
  return eventually('an end of it', async () => {
    const last = before;
    await new Promise((resolve) => setTimeout(resolve, 400));
    before = await count();
    return before === last && { count: before };
  }).then(({ count }) => count);
}

it('sends and plays nothing while it is on hold, and goes on where it was', {
  timeout: 120_000,
}, async () => {
  const held = await world.open({ microphone: 'granted', initScript: soundOfPage });
  let sent = 0;
  let received = 0;
  held.page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      if (typeof payload !== 'string') sent += 1;
    });
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload !== 'string') received += 1;
    });
  });
  const played = () => held.page.evaluate('window.played.length') as Promise<number>;
  const pause = (on: boolean) => held.page.evaluate(`document.querySelector('callkite-widget').pause(${on})`);
  try {
    await held.enter();
    await held.button('Start call').click();
    await eventually('sound both ways', async () => sent > 20 && received > 20 && (await played()) > 0);
    await pause(true);
    const sentBefore = await settled(() => sent);
    const receivedBefore = await settled(() => received);
    const playedBefore = await settled(played);
    await held.shoot('on-hold');
    expect([sent, received, await played()]).toEqual([sentBefore, receivedBefore, playedBefore]);
    await pause(false);
    await eventually('sound both ways again', async () => {
      return sent > sentBefore && received > receivedBefore && (await played()) > playedBefore;
    });
  } finally {
    await held.close();
  }
});

it('changes rates back and forth without a word being lost', async () => {
  const { audio, words } = await speak('Tuesday at three in the afternoon suits me well', {
    voice: 'callee',
  });
  for (const rate of [44_100, 48_000]) {
    const there = resampled(decoded(audio), lineRate, rate);
    const padded = new Float32Array(there.length + rate);
    padded.set(there);
    expect(understood(resampled(padded, rate, lineRate))).toBe(words.map(({ text }) => text).join(' '));
  }
});

it('carries voices both ways through a real browser, and stops the agent when it is interrupted', {
  timeout: 120_000,
}, async () => {
  const sent: string[] = [];
  const received: string[] = [];
  let soundSent = 0;
  site.page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      if (typeof payload === 'string') sent.push(payload);
      else if (payload.length === 160) soundSent++;
    });
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload === 'string') received.push(payload);
    });
  });
  await site.enter();
  await site.page.getByRole('button', { name: 'Start call' }).click();
  const line = (role: string, text: RegExp) =>
    eventually(
      `${role}: ${text}`,
      () =>
        received
          .map((message) => JSON.parse(message) as Record<string, unknown>)
          .find(
            (event) => event.type === 'transcript' && event.role === role && text.test(String(event.text)),
          ),
      60_000,
    );
  await line('user', /repeat/i);
  const cleared = received.findIndex((message) => message.includes('"type":"clear"'));
  expect(cleared).toBeGreaterThan(0);
  await site.shoot('live-voice');
  await line('assistant', /say that again/i);
  const told = received
    .map((message) => JSON.parse(message) as Record<string, unknown>)
    .filter(({ type, role, final }) => type === 'transcript' && role === 'assistant' && final)
    .flatMap(({ text }) => wordsOf(String(text)));
  const heard = wordsOf(await heardInPage());
  // A machine under load drops a block of sound here and there, and a word with it.
  expect(heard.filter((word) => told.includes(word)).length).toBeGreaterThan(told.length / 2);
  const marks = (messages: string[]) =>
    messages.flatMap((message) => /"type":"mark".*"name":"([^"]+)"/.exec(message)?.[1] ?? []);
  const before = marks(received.slice(0, cleared));
  const returned = new Set(marks(sent));
  expect(before.some((mark) => returned.has(mark))).toBe(true);
  expect(soundSent).toBeGreaterThan(250);
  // The page takes sound down with what is deprecated, but needs no file.
  expect(site.complaints.filter((text) => !text.includes('ScriptProcessorNode'))).toEqual([]);
  await site.page.getByRole('button', { name: 'Mute' }).click();
  const muted = sent.filter((message) => message.includes('"mute"')).at(-1);
  expect(muted).toContain('"on":true');
  await site.shoot('muted');
});
