import type { AudioChannel, AudioEvent, CalleeEvent, RelayChannel, TextSocket } from '@callkite/core';
import type { Break } from './mistake.ts';

/** `good` with some of its methods replaced. */
function changed<T extends object>(good: T, change: Partial<T>): T {
  return new Proxy(good, {
    get(target, name) {
      const value: unknown = Reflect.get(name in change ? change : target, name);
      return typeof value === 'function' && !(name in change) ? value.bind(target) : value;
    },
  });
}

/** An adapter whose channels of words are different. */
export const speaking =
  (change: (channel: RelayChannel, socket: TextSocket) => Partial<RelayChannel>): Break =>
  (good) => ({
    async receiveUpgrade(...received) {
      const upgrade = await good.receiveUpgrade(...received);
      return (
        upgrade && {
          ...upgrade,
          open(socket) {
            const opened = upgrade.open(socket);
            if (opened.kind !== 'words') return opened;
            return { kind: 'words', channel: changed(opened.channel, change(opened.channel, socket)) };
          },
        }
      );
    },
  });
export const sounding =
  (change: (channel: AudioChannel, socket: TextSocket) => Partial<AudioChannel>): Break =>
  (good) => ({
    async receiveUpgrade(...received) {
      const upgrade = await good.receiveUpgrade(...received);
      return (
        upgrade && {
          ...upgrade,
          open(socket) {
            const opened = upgrade.open(socket);
            if (opened.kind !== 'audio') return opened;
            return { kind: 'audio', channel: changed(opened.channel, change(opened.channel, socket)) };
          },
        }
      );
    },
  });
/** Channels that pass their events on in another way. */
export const telling = (pass: (emit: (event: CalleeEvent) => void) => (event: CalleeEvent) => void): Break =>
  speaking((channel) => ({ listen: (listener) => channel.listen(pass(listener)) }));
export const sending = (pass: (emit: (event: AudioEvent) => void) => (event: AudioEvent) => void): Break =>
  sounding((channel) => ({ listen: (listener) => channel.listen(pass(listener)) }));
/** Channels on a socket that is not quite one. */
export const over =
  (change: (socket: TextSocket) => Partial<TextSocket>): Break =>
  (good) => ({
    async receiveUpgrade(...received) {
      const upgrade = await good.receiveUpgrade(...received);
      return upgrade && { ...upgrade, open: (socket) => upgrade.open(changed(socket, change(socket))) };
    },
  });

export function swapping<Event>(emit: (event: Event) => void) {
  let held: Event[] = [];
  return (event: Event) => {
    held.push(event);
    if (held.length < 2) return;
    for (const each of held.toReversed()) emit(each);
    held = [];
  };
}
