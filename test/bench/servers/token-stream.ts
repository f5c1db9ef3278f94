import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { answerQuestions } from '../server-process.ts';

const frame = (delta: object, finishReason: string | null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-D0ZtT6qFy2gJ4pQ5vX8sB',
    object: 'chat.completion.chunk',
    created: 1_795_000_000,
    model: 'gpt-6-luna',
    service_tier: 'default',
    system_fingerprint: 'fp_0a1b2c3d4e',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    obfuscation: 'x8sB2gJ4p',
  })}\n\n`;

/** A model that says the same 200 tokens to everybody, each in a packet of its own, as fast as they are taken. */
async function say(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(frame({ role: 'assistant', content: '' }, null));
  for (let token = 0; token < 200; token += 1) {
    response.write(frame({ content: ' word' }, null));
    await nextLoop();
  }
  response.end(`${frame({}, 'stop')}data: [DONE]\n\n`);
}

const server = createServer((request, response) => {
  request.resume();
  void say(response);
});
server.listen(0, '127.0.0.1', () => {
  answerQuestions(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, {});
});
