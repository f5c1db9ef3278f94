import type { CalleeEvent } from '@callkite/core';
import { BrokenOnPurpose } from '@callkite/core/testing';
import { over, speaking, swapping, telling } from './channel.ts';
import { type Break, type Mistake, resigned } from './mistake.ts';

const inOrder = 'delivers words in order, also from before anybody listened, and the end exactly once';
const closedOnce = 'says that it is closed once, also when we close it';
const nothingSaid = 'says nothing on a channel that is closed';
const lastWords = 'ends only after what was spoken has been played';
const goingOut: Break = speaking((_, socket) => ({
  speak: (text) => socket.send(JSON.stringify({ type: 'text', token: text, last: true })),
}));
export const speechChannelMistakes: readonly Mistake[] = [
  [
    'lets sockets of words in unsigned',
    'refuses a socket for words that is forged or tampered with',
    (good) => ({
      receiveUpgrade: async (path, request, secretOf) =>
        good.receiveUpgrade(path, await resigned(request, good), secretOf),
    }),
  ],
  [
    'lets sockets of words in whatever their token',
    'refuses a socket for words that is forged or tampered with',
    (good) => ({
      receiveUpgrade: (path, request) =>
        good.receiveUpgrade(path, request, async () => good.fixture.account.secret),
    }),
  ],
  [
    'does not know whose socket it is',
    'accepts a genuine socket for words and knows its attempt',
    (good) => ({
      async receiveUpgrade(...received) {
        const upgrade = await good.receiveUpgrade(...received);
        return upgrade && { ...upgrade, attemptToken: 'att_' };
      },
    }),
  ],
  [
    'loses what came before anybody listened',
    inOrder,
    telling((emit) => (event) => {
      if (event.type !== 'ready' && event.type !== 'said') emit(event);
    }),
  ],
  ['changes the order of events', inOrder, telling(swapping)],
  [
    'tells events twice',
    inOrder,
    telling((emit) => (event) => {
      emit(event);
      if (event.type === 'said') emit(event);
    }),
  ],
  ['loses keys', inOrder, telling((emit) => (event) => event.type !== 'pressed' && emit(event))],
  [
    'loses what went wrong',
    inOrder,
    telling((emit) => (event) => {
      emit(event.type === 'failed' ? { type: 'failed', description: 'unknown error' } : event);
    }),
  ],
  [
    'does not know what was heard',
    inOrder,
    telling((emit) => (event) => {
      emit(event.type === 'interrupted' ? { ...event, heardText: '' } : event);
    }),
  ],
  ['never tells the end', inOrder, telling((emit) => (event) => event.type !== 'closed' && emit(event))],
  [
    'tells the end twice',
    closedOnce,
    speaking((channel) => {
      let tell = (_: CalleeEvent) => {};
      return {
        listen: (listener) => {
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
  ['goes on listening when it is closed', closedOnce, over(() => ({ close: () => {} }))],
  [
    'stumbles over nonsense',
    'survives frames that make no sense',
    over((socket) => ({
      onMessage: (listener) =>
        socket.onMessage((text) => {
          if (!text.startsWith('{"')) throw new BrokenOnPurpose();
          listener(text);
        }),
    })),
  ],
  [
    'loses keys it is to press',
    'sends words in order, and keys',
    speaking(() => ({ pressDigits: () => {} })),
  ],
  [
    'keeps words until the utterance is whole, and loses some',
    'sends words in order, and keys',
    speaking((channel) => ({
      speak: (text, how) => how.last && channel.speak(text, how),
    })),
  ],
  ['ends over the last words', lastWords, speaking((_, socket) => ({ end: () => socket.close(1000, '') }))],
  ['never ends', lastWords, speaking(() => ({ end: () => {} }))],
  ['speaks on a closed channel', nothingSaid, goingOut],
  ['does not close', nothingSaid, speaking(() => ({ close: () => {} }))],
  [
    'fills a socket that does not drain',
    'drops a channel that does not drain',
    over(() => ({ bufferedBytes: 0 })),
  ],
];
