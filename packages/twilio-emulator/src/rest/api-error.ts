/** A refusal by the REST API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** The error body Twilio sends. */
  get body(): { code: number; message: string; more_info: string; status: number } {
    const { code, message, status } = this;
    return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
  }
}

/** The requested thing does not exist. */
export function notFound(path: string): ApiError {
  return new ApiError(404, 20404, `The requested resource ${path} was not found`);
}

/** Wrong or missing credentials, or credentials of another account. */
export function unauthenticated(): ApiError {
  return new ApiError(401, 20003, 'Authenticate');
}
