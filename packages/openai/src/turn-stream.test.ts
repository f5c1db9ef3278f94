import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { CallkiteError, type TurnPart, type TurnRequest } from '@callkite/core';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type OpenAiOptions, openAi } from './open-ai.ts';

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** A model server that gives the answers in turn, the last one for ever. */
async function modelServer(...answers: Answer[]) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)));
    const answer = answers[Math.min(bodies.length, answers.length) - 1];
    answer?.(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const chunk = (delta: object, finishReason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

function begin(response: ServerResponse, ...frames: object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const frame of frames) response.write(`data: ${JSON.stringify(frame)}\n\n`);
}

const stream =
  (...frames: object[]): Answer =>
  (response) => {
    begin(response, ...frames);
    response.end('data: [DONE]\n\n');
  };

const failure =
  (status: number, code: string | null, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(
      JSON.stringify({ error: { message: 'about: the secret prompt', type: null, param: null, code } }),
    );
  };

const hello = stream(
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hello' }),
  chunk({}, 'stop'),
);

const turn: TurnRequest = {
  instructions: 'the secret prompt',
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [],
  maximumTokens: 500,
  signal: new AbortController().signal,
};

function streamTurn(baseURL: string, over: Partial<TurnRequest> = {}, options: Partial<OpenAiOptions> = {}) {
  return openAi({ apiKey: 'test-key', baseURL, ...options }).streamTurn({ ...turn, ...over });
}

async function partsOf(parts: AsyncIterable<TurnPart>): Promise<TurnPart[]> {
  const all: TurnPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

async function errorOf(promise: Promise<unknown>): Promise<CallkiteError> {
  const error = await promise.then(
    () => new Error('did not reject'),
    (thrown: unknown) => thrown,
  );
  if (!CallkiteError.isInstance(error)) throw error;
  expect(`${error.message} ${JSON.stringify(error)} ${error.cause}`).not.toContain('secret prompt');
  return error;
}

describe('the request', () => {
  it('carries the whole dialogue', async () => {
    const { bodies, baseURL } = await modelServer(hello);
    const tool = { id: 'call_1', name: 'end_call', arguments: '{"reason":"done"}' };
    await partsOf(
      streamTurn(baseURL, {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello.' },
          { role: 'assistant', content: '', toolCalls: [tool] },
          { role: 'tool', toolCallId: 'call_1', content: 'ok' },
        ],
        tools: [
          {
            name: 'end_call',
            description: 'Ends the call',
            input: z.object({ reason: z.string().max(20).nullable(), score: z.int().min(1).max(5) }),
          },
        ],
      }),
    );
    expect(bodies).toEqual([
      {
        model: 'gpt-6-luna',
        reasoning_effort: 'none',
        max_completion_tokens: 500,
        stream: true,
        messages: [
          { role: 'system', content: 'the secret prompt' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello.' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: 'end_call', arguments: '{"reason":"done"}' },
              },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
        ],
        tools: [
          {
            type: 'function',
            function: {
              name: 'end_call',
              description: 'Ends the call',
              strict: true,
              parameters: {
                type: 'object',
                properties: {
                  reason: { type: ['string', 'null'] },
                  score: { type: 'integer', minimum: 1, maximum: 5 },
                },
                required: ['reason', 'score'],
                additionalProperties: false,
              },
            },
          },
        ],
      },
    ]);
  });

  it('leaves out what a compatible server may not know', async () => {
    const { bodies, baseURL } = await modelServer(hello);
    await partsOf(streamTurn(baseURL, {}, { model: 'llama', reasoningEffort: null }));
    expect(Object.keys(bodies[0] ?? {}).sort()).toEqual([
      'max_completion_tokens',
      'messages',
      'model',
      'stream',
    ]);
    expect(bodies[0]?.model).toBe('llama');
  });
});

describe('a turn', () => {
  it('is text, piece by piece', async () => {
    const { baseURL } = await modelServer(
      stream(chunk({ content: 'Good ' }), chunk({ content: 'morning.' }), chunk({}, 'stop'), { choices: [] }),
    );
    expect(await partsOf(streamTurn(baseURL))).toEqual([
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'morning.' },
      { type: 'end', reason: 'stop' },
    ]);
  });

  it.each([1, 7, 100])('is the same in packets of %i bytes', async (size) => {
    const frames = [chunk({ content: 'Grüß ' }), chunk({ content: '😀 "Gott".' }), chunk({}, 'stop')];
    const lines = [': comment', ...frames.map((frame) => `data: ${JSON.stringify(frame)}`), 'data: [DONE]'];
    const bytes = Buffer.from(lines.map((line) => `${line}\r\n\r\n`).join(''));
    const { baseURL } = await modelServer(async (response) => {
      begin(response);
      for (let at = 0; at < bytes.length; at += size) {
        response.write(bytes.subarray(at, at + size));
        await nextLoop();
      }
      response.end();
    });
    expect(await partsOf(streamTurn(baseURL))).toEqual([
      { type: 'text', text: 'Grüß ' },
      { type: 'text', text: '😀 "Gott".' },
      { type: 'end', reason: 'stop' },
    ]);
  });

  it('puts fragmented tool calls together', async () => {
    const call = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] });
    const { baseURL } = await modelServer(
      stream(
        chunk({ content: 'One moment. ' }),
        call(0, { id: 'a', type: 'function', function: { name: 'fill', arguments: '' } }),
        call(0, { function: { arguments: '{"na' } }),
        call(1, { id: 'b', type: 'function', function: { name: 'end', arguments: '' } }),
        call(0, { function: { arguments: 'me":"x"}' } }),
        chunk({}, 'tool_calls'),
      ),
    );
    expect(await partsOf(streamTurn(baseURL))).toEqual([
      { type: 'text', text: 'One moment. ' },
      { type: 'tool-call', call: { id: 'a', name: 'fill', arguments: '{"name":"x"}' } },
      { type: 'tool-call', call: { id: 'b', name: 'end', arguments: '{}' } },
      { type: 'end', reason: 'tool-calls' },
    ]);
  });

  it('accepts tool calls of servers that give no id and finish with "stop"', async () => {
    const calls = [{ index: 0, function: { name: 'end', arguments: '{}' } }];
    const { baseURL } = await modelServer(stream(chunk({ tool_calls: calls }), chunk({}, 'stop')));
    expect(await partsOf(streamTurn(baseURL))).toEqual([
      { type: 'tool-call', call: { id: expect.stringMatching(/^call_/), name: 'end', arguments: '{}' } },
      { type: 'end', reason: 'tool-calls' },
    ]);
  });

  it.each([
    [
      'length',
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a' } }] }, 'length'),
    ],
    ['refused', chunk({}, 'content_filter')],
    ['refused', chunk({ refusal: 'I cannot.' }, 'stop')],
  ])('may end as %s', async (reason, last) => {
    const { baseURL } = await modelServer(stream(last));
    expect(await partsOf(streamTurn(baseURL))).toEqual([{ type: 'end', reason }]);
  });
});

describe('a turn that fails', () => {
  it.each<[string, Answer]>([
    ['503', failure(503, 'overloaded')],
    ['429', failure(429, 'rate_limit_exceeded', { 'retry-after': '7' })],
    ['a connection cut before the first token', (_, request) => void request.socket.destroy()],
    ['an error in place of the first token', stream({ error: { message: 'x', type: 'server_error' } })],
    ['a stream that ends before it begins', stream()],
  ])('with %s is asked for again, once', async (_, answer) => {
    const recovered = await modelServer(answer, hello);
    expect(await partsOf(streamTurn(recovered.baseURL))).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'end', reason: 'stop' },
    ]);
    const broken = await modelServer(answer);
    const error = await errorOf(partsOf(streamTurn(broken.baseURL)));
    expect(error).toMatchObject({ code: 'provider_unavailable', retryable: true });
    expect(broken.bodies).toHaveLength(2);
  });

  it('is left to whoever asks elsewhere, when it is not to be asked for again', async () => {
    const { bodies, baseURL } = await modelServer(failure(503, 'overloaded'), hello);
    const error = await errorOf(partsOf(streamTurn(baseURL, {}, { turnRetries: 0 })));
    expect(error).toMatchObject({ code: 'provider_unavailable', retryable: true });
    expect(bodies).toHaveLength(1);
  });

  it('tells how long to wait', async () => {
    const { baseURL } = await modelServer(failure(429, 'rate_limit_exceeded', { 'retry-after': '7' }));
    expect((await errorOf(partsOf(streamTurn(baseURL)))).retryAfterSeconds).toBe(7);
  });

  it.each<[string, Answer]>([
    ['quota', failure(429, 'insufficient_quota')],
    ['401', failure(401, 'invalid_api_key')],
    ['404', failure(404, 'model_not_found')],
    ['400', failure(400, 'context_length_exceeded')],
  ])('for good (%s) is not asked for again', async (_, answer) => {
    const { bodies, baseURL } = await modelServer(answer);
    const error = await errorOf(partsOf(streamTurn(baseURL)));
    expect(error).toMatchObject({ code: 'provider_rejected', retryable: false });
    expect(bodies).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    [
      'a cut connection',
      (response) => {
        begin(response, chunk({ content: 'Hel' }));
        setTimeout(() => response.destroy(), 30);
      },
    ],
    ['an error frame', stream(chunk({ content: 'Hel' }), { error: { message: 'x', type: 'server_error' } })],
    ['an end without a reason', stream(chunk({ content: 'Hel' }))],
  ])('in the middle with %s is not begun again', async (_, answer) => {
    const { bodies, baseURL } = await modelServer(answer);
    const parts: TurnPart[] = [];
    const consume = async () => {
      for await (const part of streamTurn(baseURL)) parts.push(part);
    };
    expect(await errorOf(consume())).toMatchObject({ code: 'provider_unavailable', retryable: true });
    expect(parts).toEqual([{ type: 'text', text: 'Hel' }]);
    expect(bodies).toHaveLength(1);
  });

  it.each<[string, Answer, number]>([
    ['no answer', () => {}, 0],
    ['no first token', (response) => begin(response), 0],
    ['no second token', (response) => begin(response, chunk({ content: 'Hel' })), 1],
  ])('with %s in time is given up', async (_, answer, received) => {
    let closed: Promise<unknown> = Promise.resolve();
    const { bodies, baseURL } = await modelServer((response, request) => {
      closed = once(request.socket, 'close');
      answer(response, request);
    });
    const parts: TurnPart[] = [];
    const consume = async () => {
      for await (const part of streamTurn(baseURL, {}, { timeoutMs: 80 })) parts.push(part);
    };
    expect(await errorOf(consume())).toMatchObject({ code: 'provider_unavailable', retryable: true });
    await closed;
    expect(parts).toHaveLength(received);
    expect(bodies).toHaveLength(1);
  });

  it('is not timed while the listener takes its time', async () => {
    const { baseURL } = await modelServer((response) => {
      begin(response, chunk({ content: 'Hel' }));
      setTimeout(() => response.end(`data: ${JSON.stringify(chunk({ content: 'lo' }, 'stop'))}\n\n`), 20);
    });
    const parts: TurnPart[] = [];
    for await (const part of streamTurn(baseURL, {}, { timeoutMs: 100 })) {
      parts.push(part);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(parts.at(-1)).toEqual({ type: 'end', reason: 'stop' });
  });
});

describe('canceling', () => {
  const endless: Answer = (response) => {
    begin(response, chunk({ content: 'Hel' }));
  };

  async function closingServer(answer: Answer) {
    let closed = () => {};
    const connectionClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await modelServer((response, request) => {
      request.socket.once('close', closed);
      answer(response, request);
    });
    return { ...server, connectionClosed };
  }

  it('rejects with the reason of the signal, and closes the connection', async () => {
    const { baseURL, connectionClosed } = await closingServer(endless);
    const cancel = new AbortController();
    const reason = new Error('the callee spoke');
    const parts = streamTurn(baseURL, { signal: cancel.signal })[Symbol.asyncIterator]();
    await parts.next();
    const pending = parts.next();
    cancel.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await connectionClosed;
  });

  it('rejects also before the first token, and when the rest has arrived already', async () => {
    const early = new AbortController();
    const waiting = await closingServer(() => early.abort('early'));
    const pending = partsOf(streamTurn(waiting.baseURL, { signal: early.signal }));
    await expect(pending).rejects.toBe('early');
    await waiting.connectionClosed;

    const { baseURL } = await modelServer(stream(chunk({ content: 'a' }), chunk({ content: 'b' }, 'stop')));
    const late = new AbortController();
    const parts = streamTurn(baseURL, { signal: late.signal })[Symbol.asyncIterator]();
    await parts.next();
    late.abort('late');
    await expect(parts.next()).rejects.toBe('late');
  });

  it('sends nothing when the signal is aborted already', async () => {
    const { bodies, baseURL } = await modelServer(hello);
    await expect(partsOf(streamTurn(baseURL, { signal: AbortSignal.abort('over') }))).rejects.toBe('over');
    expect(bodies).toEqual([]);
  });

  it('happens when the listener leaves early', async () => {
    const { baseURL, connectionClosed } = await closingServer(endless);
    for await (const part of streamTurn(baseURL)) {
      expect(part).toEqual({ type: 'text', text: 'Hel' });
      break;
    }
    await connectionClosed;
  });
});
