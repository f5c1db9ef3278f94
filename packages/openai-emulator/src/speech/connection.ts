import type { WebSocket } from 'ws';
import { ApiError } from '../api-error.ts';
import type { Faults } from '../faults.ts';
import { isJsonObject } from '../json-schema.ts';
import type { ModelCatalog } from '../model-catalog.ts';
import type { Script } from '../script.ts';
import { type ConnectionRecord, noteReceived, noteSent } from './connection-log.ts';
import type { SpeechPace } from './pace.ts';

/** The most sound one event may carry. */
const MAX_AUDIO_BYTES = 15 * 1024 * 1024;

/** What every speech session needs of the emulator. */
export interface SpeechContext {
  catalog: ModelCatalog;
  faults: Faults;
  script: Script;
  pace: SpeechPace;
  keepBodies: boolean;
}

/** One session over one socket. */
export interface SpeechSession {
  /** Takes an event of the client. @throws ApiError when it is refused */
  receive(event: Record<string, unknown>): void;
  /** Answers a frame that was refused. */
  refuse(error: ApiError, eventId: string | undefined): void;
  /** The socket is gone. */
  close(): void;
}

/** The socket as a session sees it. */
export interface Connection {
  readonly record: ConnectionRecord;
  send(event: { type: string; [field: string]: unknown }): void;
  /** Closes the socket in good order. */
  end(code: number, reason: string): void;
  /** Breaks the socket. */
  cut(): void;
}

function readFrame(data: string | undefined): Record<string, unknown> {
  if (data === undefined) {
    throw new ApiError('Binary frames are not supported: send JSON text, with sound as base64 in it.', {
      code: 'invalid_json',
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new ApiError('The frame is not valid JSON.', { code: 'invalid_json' });
  }
  if (isJsonObject(value)) return value;
  throw new ApiError('The frame must be a JSON object with a type.', { code: 'invalid_json' });
}

/** Sound of a client event. @throws ApiError 400 when it is not base64 or too long */
export function readAudio(base64: string, param: string): Buffer {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw new ApiError(`Invalid '${param}': expected base64-encoded audio bytes.`, {
      param,
      code: 'invalid_value',
    });
  }
  const audio = Buffer.from(base64, 'base64');
  if (audio.length <= MAX_AUDIO_BYTES) return audio;
  throw new ApiError(`Invalid '${param}': at most 15 MiB of audio may be sent in one event.`, {
    param,
    code: 'string_above_max_length',
  });
}

/** Runs a session over an open socket until one of them ends. */
export function runSession(
  socket: WebSocket,
  record: ConnectionRecord,
  keepBodies: boolean,
  open: (connection: Connection) => SpeechSession,
): void {
  const session = open({
    record,
    send(event) {
      if (socket.readyState !== socket.OPEN) return;
      noteSent(record, event.type);
      socket.send(JSON.stringify(event));
    },
    end: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
  });
  socket.on('message', (data, isBinary) => {
    let event: Record<string, unknown> = {};
    try {
      event = readFrame(isBinary ? undefined : data.toString());
      noteReceived(record, String(event.type), event, keepBodies);
      session.receive(event);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      session.refuse(error, typeof event.event_id === 'string' ? event.event_id : undefined);
    }
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', (code) => {
    record.closeCode = code;
    session.close();
  });
}
