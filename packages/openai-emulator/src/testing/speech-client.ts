import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { listener, silence, speak } from '@callkite/emulated-voice';
import { WebSocket } from 'ws';

interface ServerItem {
  id: string;
  status: string;
  arguments: string;
  call_id: string;
  content: [{ transcript: string; text: string; audio: string }];
}

/** An event of the server. Every field that tests read is here; which of them an event has depends on its type. */
export interface ServerEvent {
  type: string;
  event_id: string;
  client_event_id: string;
  item_id: string;
  previous_item_id: string | null;
  audio_start_ms: number;
  audio_end_ms: number;
  start_ms: number;
  end_ms: number;
  offset_ms: number;
  delta: string;
  transcript: string;
  reason: string;
  usage: { seconds: number };
  delegation: { id: string; response_id: string };
  delegation_id: string | null;
  event: { type: string; item: ServerItem; response: { status: string } };
  error: { message: string } & Record<string, unknown>;
  session: { expires_at: number; delegation: unknown; audio: { input: unknown } };
  item: ServerItem;
  response: {
    id: string;
    status: string;
    metadata: unknown;
    output: [ServerItem];
    usage: { total_tokens: number; input_tokens: number; output_tokens: number };
  };
}

/** A socket to a speech model that keeps all it is sent. */
export interface SpeechClient {
  readonly events: ServerEvent[];
  /** Closes the socket; resolves to the code it was closed with. */
  close(): Promise<number>;
  readonly closed: Promise<number>;
  send(event: object): void;
  sendRaw(frame: string | Buffer): void;
  /** The first event that fits and was not given before. */
  next(type: string, fits?: (event: ServerEvent) => boolean): Promise<ServerEvent>;
  /** Says something into the socket, and then is silent. */
  say(text: string, silentMs?: number): Promise<void>;
  /** Sends sound in pieces of 20 ms, all at once. */
  hear(audio: Uint8Array): void;
}

const APPEND = { realtime: 'input_audio_buffer.append', live: 'session.input_audio.append' };

/** Opens a socket at `path` of an emulator, with a bearer key. */
export async function connectSpeech(
  baseUrl: string,
  path: string,
  options: { key?: string; headers?: Record<string, string> } = {},
): Promise<SpeechClient> {
  const url = `${baseUrl.replace('http', 'ws')}${path}`;
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${options.key ?? 'sk-any'}`, ...options.headers },
  });
  const events: ServerEvent[] = [];
  const taken = new Set<ServerEvent>();
  let arrived: () => void = () => {};
  socket.on('message', (data) => {
    events.push(JSON.parse(data.toString()) as ServerEvent);
    arrived();
  });
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code) => {
      resolve(code);
      arrived();
    });
  });
  await once(socket, 'open');
  const append = path.startsWith('/live') ? APPEND.live : APPEND.realtime;

  const client: SpeechClient = {
    events,
    closed,
    close() {
      socket.close();
      return closed;
    },
    send: (event) => socket.send(JSON.stringify(event)),
    sendRaw: (frame) => socket.send(frame),
    async next(type, fits = () => true) {
      for (;;) {
        const event = events.find((each) => each.type === type && !taken.has(each) && fits(each));
        if (event) {
          taken.add(event);
          return event;
        }
        if (socket.readyState === WebSocket.CLOSED) {
          throw new Error(
            `No ${type} came before the socket closed, but: ${JSON.stringify(events.slice(-5))}`,
          );
        }
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
    async say(text, silentMs = 1000) {
      const { audio } = await speak(text, { voice: 'callee' });
      client.hear(audio);
      client.hear(silence(silentMs));
    },
    hear(audio) {
      for (let at = 0; at < audio.length; at += 160) {
        client.send({ type: append, audio: Buffer.from(audio.subarray(at, at + 160)).toString('base64') });
      }
    },
  };
  return client;
}

/** The refusal of a socket: status and error. */
export async function refusedSpeech(
  baseUrl: string,
  path: string,
  headers: Record<string, string> = { authorization: 'Bearer sk-any' },
): Promise<{ status: number | undefined; error: { message: string }; headers: Record<string, unknown> }> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}${path}`, { headers });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, error: JSON.parse(body).error, headers: response.headers };
}

/** The words that a listener understands in sound given as base64 pieces. */
export function wordsIn(pieces: readonly string[]): string {
  const ear = listener();
  for (const piece of pieces) ear.hear(Buffer.from(piece, 'base64'));
  return ear
    .take()
    .map(({ text }) => text)
    .join(' ');
}

/** A realtime session that speaks the telephone's format; `session` and `input` add to what it is set to. */
export async function openRealtime(
  baseUrl: string,
  session: object = {},
  input: object = {},
): Promise<SpeechClient> {
  const client = await connectSpeech(baseUrl, '/realtime?model=gpt-realtime-2.1');
  await client.next('session.created');
  const format = { type: 'audio/pcmu' };
  const audio = { input: { format, ...input }, output: { format } };
  client.send({ type: 'session.update', session: { type: 'realtime', audio, ...session } });
  await client.next('session.updated');
  return client;
}

/** What was said in the answers given so far: read back from their sound. */
export function spokenWords(client: SpeechClient): string {
  return wordsIn(
    client.events.filter(({ type }) => type === 'response.output_audio.delta').map(({ delta }) => delta),
  );
}
