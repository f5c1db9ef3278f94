/** A request as every mount (node:http, Express, Nest, Fetch) hands it over. Bytes are raw: signatures depend on it. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as sent, without the prefix Callkite is mounted under. */
  readonly target: string;
  /** Names in lower case; repeated headers joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string | null;
  /** Reads the raw body once. Rejects with `payload_too_large` beyond the limit. */
  readBody(limitBytes: number): Promise<Uint8Array>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}
