/** One request as the emulator saw it. It holds no contents unless bodies are kept. */
export interface RequestRecord {
  /** Sent to the client as `x-request-id`. */
  id: string;
  method: string;
  path: string;
  /** HTTP status of the answer; null when the request was left hanging or cut before it. */
  status: number | null;
  /** Model asked for, when the body named one. */
  model: string | null;
  stream: boolean;
  /** Which attempt of the client this is, from `x-stainless-retry-count`. */
  retryCount: number;
  /** Whether the connection was closed before the whole answer was sent: by the client, or by a fault. */
  cut: boolean;
  /** The parsed body, only with `keepBodies`. */
  body?: unknown;
}

export interface RequestLog {
  add(record: RequestRecord): void;
  /** The kept records, oldest first. */
  list(): RequestRecord[];
}

/** A log of the newest requests. */
export function requestLog(capacity: number): RequestLog {
  const records: RequestRecord[] = [];
  return {
    add(record) {
      records.push(record);
      if (records.length > capacity) records.shift();
    },
    list: () => [...records],
  };
}
