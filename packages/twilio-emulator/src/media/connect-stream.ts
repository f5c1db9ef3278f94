import type { ConnectNoun } from '../twiml/connect.ts';
import { ConnectedStream } from './connected-stream.ts';
import { streamSettings } from './stream-settings.ts';

/** `<Connect><Stream>`: sound to and from the application over a socket, until either side ends it. */
export const connectStream: ConnectNoun = async (noun, context) => {
  const stream = new ConnectedStream(context.emulation, context.call, streamSettings(noun, context));
  context.signal.throwIfAborted();
  await stream.run(context.signal);
  context.signal.throwIfAborted();
  return {};
};
