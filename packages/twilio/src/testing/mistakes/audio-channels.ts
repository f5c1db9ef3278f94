import type { AudioEvent } from '@callkite/core';
import { BrokenOnPurpose } from '@callkite/core/testing';
import { over, sending, sounding, swapping } from './channel.ts';
import { type Mistake, resigned } from './mistake.ts';

const soundInOrder = 'delivers sound in order, also from before anybody listened, and the end exactly once';
const marks = 'knows when a mark was heard, and says so once';
const takenBack = 'takes back what was not heard, with its marks';
const soundClosed = 'says that sound is closed once, also when we close it';
const asItIs = 'plays sound as it is, in order';
const silentWhenClosed = 'plays nothing on a channel that is closed';
const generationless = over((socket) => {
  // As if the names of marks did not tell from which side of a clearing they come.
  let cleared = 0;
  return {
    send(text) {
      if (text.includes('"clear"')) cleared += 1;
      socket.send(text);
    },
    onMessage: (listener) =>
      socket.onMessage((text) => listener(text.replace(/"name":"\d+:/, `"name":"${cleared}:`))),
  };
});
export const audioChannelMistakes: readonly Mistake[] = [
  [
    'lets sockets of sound in unsigned',
    'refuses a socket for audio that is forged or tampered with',
    (good) => ({
      receiveUpgrade: async (path, request, secretOf) =>
        good.receiveUpgrade(path, await resigned(request, good), secretOf),
    }),
  ],
  [
    'does not take sockets of sound',
    'accepts a genuine socket for audio and knows its attempt',
    (good) => ({
      receiveUpgrade: async (path, request, secretOf) =>
        path.startsWith('media') ? null : good.receiveUpgrade(path, request, secretOf),
    }),
  ],
  [
    'loses sound from before anybody listened',
    soundInOrder,
    sending((emit) => {
      let heard = 0;
      return (event) => {
        if (event.type === 'audio') heard += 1;
        if (event.type !== 'audio' || heard > 1) emit(event);
      };
    }),
  ],
  ['changes the order of sound', soundInOrder, sending(swapping)],
  [
    'loses keys between sound',
    soundInOrder,
    sending((emit) => (event) => event.type !== 'pressed' && emit(event)),
  ],
  [
    'never tells the end of sound',
    soundInOrder,
    sending((emit) => (event) => event.type !== 'closed' && emit(event)),
  ],
  [
    'leaves gaps in the sound',
    'fills what was lost on the way with silence',
    sending((emit) => (event) => {
      const isSilence =
        event.type === 'audio' && Buffer.from(event.audio, 'base64').every((byte) => byte === 0xff);
      if (!isSilence) emit(event);
    }),
  ],
  [
    'plays the newest sound first',
    asItIs,
    sounding((channel) => {
      const held: string[] = [];
      return {
        play(sound) {
          held.unshift(sound);
          if (held.length === 3) for (const each of held) channel.play(each);
        },
      };
    }),
  ],
  [
    'changes the sound',
    asItIs,
    sounding((channel) => ({
      play: (sound) => channel.play(Buffer.from(sound, 'base64').fill(0xff).toString('base64')),
    })),
  ],
  [
    'cuts long pieces',
    asItIs,
    sounding((channel) => ({
      play: (sound) => channel.play(Buffer.from(sound, 'base64').subarray(0, 800).toString('base64')),
    })),
  ],
  [
    'says that a mark was heard before it was',
    marks,
    sounding((channel) => {
      let tell = (_: AudioEvent) => {};
      return {
        listen(listener) {
          tell = listener;
          channel.listen(listener);
        },
        mark: (mark) => tell({ type: 'played', mark }),
      };
    }),
  ],
  [
    'tells marks twice',
    marks,
    sending((emit) => (event) => {
      emit(event);
      if (event.type === 'played') emit(event);
    }),
  ],
  ['never tells marks', marks, sounding(() => ({ mark: () => {} }))],
  ['tells marks that were taken back', takenBack, generationless],
  ['takes nothing back', takenBack, sounding(() => ({ clear: () => {} }))],
  [
    'tells the end of sound twice',
    soundClosed,
    sounding((channel) => {
      let tell = (_: AudioEvent) => {};
      return {
        listen(listener) {
          tell = listener;
          channel.listen(listener);
        },
        close() {
          tell({ type: 'closed' });
          channel.close();
        },
      };
    }),
  ],
  ['does not end', soundClosed, sounding(() => ({ end: () => {} }))],
  ['does not close sound', soundClosed, sounding(() => ({ close: () => {} }))],
  [
    'plays on a closed channel',
    silentWhenClosed,
    sounding((_, socket) => ({
      play: (sound) => socket.send(JSON.stringify({ event: 'media', media: { payload: sound } })),
    })),
  ],
  [
    'stumbles over nonsense between sound',
    'survives frames of sound that make no sense',
    over((socket) => ({
      onMessage: (listener) =>
        socket.onMessage((text) => {
          if (!text.startsWith('{"')) throw new BrokenOnPurpose();
          listener(text);
        }),
    })),
  ],
  [
    'fills a socket of sound that does not drain',
    'drops a channel of sound that does not drain',
    over(() => ({
      bufferedBytes: 0,
    })),
  ],
];
