/** Something a client sent. Sounds are told by their length; pieces of sound that follow each other are told as one. */
export interface ReceivedEvent {
  type: string;
  /** How many events in a row this stands for. */
  count: number;
  /** The event, only with `keepBodies`; sound in it is replaced by its length. */
  event?: unknown;
}

/** A socket to a speech model, as the emulator saw it. */
export interface ConnectionRecord {
  /** Sent to the client as `x-request-id`. */
  id: string;
  path: string;
  /** Model asked for, once it is known. */
  model: string | null;
  /** How the socket was closed; null while it is open. */
  closeCode: number | null;
  /** The newest 1000 events received, oldest first. */
  received: ReceivedEvent[];
  /** Types of the newest 1000 events sent, oldest first; the same type in a row is told once. */
  sent: string[];
}

export interface ConnectionLog {
  open(record: Pick<ConnectionRecord, 'id' | 'path' | 'model'>): ConnectionRecord;
  /** The kept connections, oldest first. */
  list(): ConnectionRecord[];
}

const MAX_EVENTS = 1000;
const MAX_TEXT = 2000;

/** A log of the newest connections. */
export function connectionLog(capacity: number): ConnectionLog {
  const records: ConnectionRecord[] = [];
  return {
    open(head) {
      const record: ConnectionRecord = { ...head, closeCode: null, received: [], sent: [] };
      records.push(record);
      if (records.length > capacity) records.shift();
      return record;
    },
    list: () => structuredClone(records),
  };
}

function withoutSound(value: unknown, key = ''): unknown {
  if (typeof value === 'string' && key === 'audio') return `<${value.length} characters>`;
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (Array.isArray(value)) return value.map((item) => withoutSound(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSound(inner, name)]));
}

/** Notes what a client sent. */
export function noteReceived(
  record: ConnectionRecord,
  type: string,
  event: unknown,
  keepBodies: boolean,
): void {
  const last = record.received.at(-1);
  if (type.endsWith('.append') && last?.type === type) {
    last.count += 1;
    return;
  }
  record.received.push({ type, count: 1, ...(keepBodies && { event: withoutSound(event) }) });
  if (record.received.length > MAX_EVENTS) record.received.shift();
}

/** Notes what was sent to a client. */
export function noteSent(record: ConnectionRecord, type: string): void {
  if (record.sent.at(-1) === type) return;
  record.sent.push(type);
  if (record.sent.length > MAX_EVENTS) record.sent.shift();
}
