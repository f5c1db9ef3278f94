/** The `error` object of every failed answer. */
export interface ApiErrorBody {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

export interface ApiErrorOptions {
  /** HTTP status. @default 400 */
  status?: number;
  /** @default 'invalid_request_error' */
  type?: string;
  /** Path of the offending parameter, such as `messages[0].role`. @default null */
  param?: string | null;
  /** @default null */
  code?: string | null;
  /** Extra response headers, such as `retry-after`. */
  headers?: Record<string, string>;
}

/** A failure that is answered in the error format of the OpenAI API. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: ApiErrorBody;

  constructor(message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
    this.body = {
      message,
      type: options.type ?? 'invalid_request_error',
      param: options.param ?? null,
      code: options.code ?? null,
    };
  }
}
