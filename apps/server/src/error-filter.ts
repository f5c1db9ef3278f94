import type { Logger } from '@callkite/core';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Response } from 'express';

/** Answers what Nest's own routes do not, in the shape of the API: `{error}`. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  readonly #logger: Pick<Logger, 'error'>;

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger;
  }

  catch(exception: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const status = exception instanceof HttpException ? exception.getStatus() : 500;
    if (status >= 500) this.#logger.error({ err: exception }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response
      .status(status)
      .setHeader('cache-control', 'no-store')
      .json({ error: messageFor(status) });
  }
}

/** Nest's own messages repeat the path, which may hold what should not be repeated. */
function messageFor(status: number): string {
  switch (status) {
    case 400:
      return 'The request is malformed';
    case 404:
      return 'Not found';
    case 413:
      return 'The body is too large';
    default:
      return status >= 500 ? 'Internal server error' : 'The request cannot be answered';
  }
}
