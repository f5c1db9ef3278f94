import 'reflect-metadata';
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Callkite, Logger } from '@callkite/core';
import { idleConnectionMs, limitSlowRequests, namesSeveralHosts } from '@callkite/core/node';
import { CallkiteModule } from '@callkite/nestjs';
import { Controller, type DynamicModule, Get, Inject, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Settings } from './env.ts';
import { ErrorFilter } from './error-filter.ts';
import { home } from './home.ts';
import type { Metrics } from './metrics.ts';
import { widgetDemo } from './widget-demo.ts';
import { widgetFiles } from './widget-files.ts';

const METRICS = Symbol('metrics');
const METRICS_TOKEN = Symbol('token of the metrics');

/** Who may read the metrics: `null` for everybody, `undefined` for nobody. */
type MetricsToken = string | null | undefined;

@Controller('metrics')
class MetricsController {
  readonly #metrics: Metrics;
  readonly #token: MetricsToken;

  constructor(@Inject(METRICS) metrics: Metrics, @Inject(METRICS_TOKEN) token: MetricsToken) {
    this.#metrics = metrics;
    this.#token = token;
  }

  @Get()
  async read(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (this.#token === undefined) {
      response.status(404).json({ error: 'Not found' });
    } else if (this.#token !== null && !isBearer(request.headers.authorization, this.#token)) {
      response.status(401).json({ error: 'Send the operator token as Authorization: Bearer …' });
    } else {
      const { contentType, text } = await this.#metrics.render();
      response.type(contentType).send(text);
    }
  }
}

@Module({})
class ServerModule {
  static of(callkite: Callkite, metrics: Metrics, settings: Settings): DynamicModule {
    const token: MetricsToken = settings.operatorToken ?? (settings.production ? undefined : null);
    return {
      module: ServerModule,
      imports: [CallkiteModule.forRoot({ callkite, drainMs: settings.drainMs })],
      controllers: [MetricsController],
      providers: [
        { provide: METRICS, useValue: metrics },
        { provide: METRICS_TOKEN, useValue: token },
      ],
    };
  }
}

/**
 * Takes the settings' address, then starts Callkite and answers. Until it has started, requests are told to come back.
 * Rejects with Node's own error, such as `EADDRINUSE`, when the address cannot be had.
 * @returns stops Callkite, then the server
 */
export async function serve(options: {
  callkite: Callkite;
  metrics: Metrics;
  settings: Settings;
  logger: Logger;
}): Promise<() => Promise<void>> {
  const { callkite, metrics, settings, logger } = options;
  let hasStarted = false;
  const untilStarted: RequestHandler = (_request, response, next) => {
    if (hasStarted) next();
    else response.status(503).setHeader('retry-after', '1').json({ error: 'The server is starting' });
  };
  // Callkite comes in front of whatever Nest installs, so these come in front of Nest.
  const web = express();
  web.disable('x-powered-by');
  const files = widgetFiles();
  web.use(measured(metrics), secured, oneHost);
  web.use('/widget', files.handler);
  web.use(home({ callkite, settings, hasStarted: () => hasStarted }));
  web.use(untilStarted);
  // Whoever may open it may have the server work, which is for the operator of a production server to decide.
  if (!settings.production) {
    const { publicUrl, loopbackUrl, port } = settings;
    const urls = [publicUrl, loopbackUrl, `http://localhost:${port}`];
    web.use('/widget', widgetDemo({ callkite, files, urls }));
  }
  const app = await NestFactory.create(
    ServerModule.of(callkite, metrics, settings),
    new ExpressAdapter(web),
    {
      logger: false,
      abortOnError: false,
      forceCloseConnections: true,
    },
  );
  app.useGlobalFilters(new ErrorFilter(logger));
  const server: Server = app.getHttpServer();
  server.on('clientError', answerUnreadable);
  server.keepAliveTimeout = idleConnectionMs;
  limitSlowRequests(server);
  server.listen(settings.port, settings.host);
  await once(server, 'listening');
  await app.init();
  hasStarted = true;
  return () => app.close();
}

/** A request that Node cannot read, such as one with a blank in its path, gets an answer as well. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({ error: 'The request is not valid HTTP' });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

const measured =
  (metrics: Metrics): RequestHandler =>
  ({ method, path }, response, next) => {
    const startedAt = performance.now();
    response.once('finish', () => {
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.observeRequest({ method, path, status: response.statusCode, seconds });
    });
    next();
  };

const secured: RequestHandler = (_request, response, next) => {
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  next();
};

const oneHost: RequestHandler = (request, response, next) => {
  if (namesSeveralHosts(request))
    response.status(400).json({ error: 'The request names more than one host' });
  else next();
};

function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}
