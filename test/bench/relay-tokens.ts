import { openAi } from '@callkite/openai';
import { percentile, rounded, table } from './figures.ts';
import { startServerProcess } from './server-process.ts';

const rounds = 15;
const turnsPerRound = 40;

/** Takes one turn from the model and counts its tokens. */
type Relay = (baseURL: string) => Promise<number>;

const messages = [{ role: 'user' as const, content: 'Hello?' }];

/** The least there is to do: read, split, parse, hand on. */
const bareFetch: Relay = async (baseURL) => {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-6-luna', messages, stream: true }),
  });
  if (response.body === null) throw new Error('the model gave no answer');
  const decoder = new TextDecoder();
  let tokens = 0;
  let rest = '';
  for await (const bytes of response.body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      if (JSON.parse(line.slice(6)).choices[0]?.delta.content) tokens += 1;
    }
  }
  return tokens;
};

const callkite: Relay = async (baseURL) => {
  const signal = new AbortController().signal;
  const model = openAi({ apiKey: 'any', baseURL });
  let tokens = 0;
  for await (const part of model.streamTurn({
    instructions: 'Talk.',
    messages,
    tools: [],
    maximumTokens: 500,
    signal,
  })) {
    if (part.type === 'text') tokens += 1;
  }
  return tokens;
};

/** What the tokens of a text model cost on their way to the call, beside a relay that does the least possible. */
export async function benchRelayTokens(): Promise<void> {
  const server = await startServerProcess('token-stream', {});
  const relays = { 'bare fetch': bareFetch, callkite };
  const costs = new Map<string, number[]>(Object.keys(relays).map((name) => [name, []]));
  // Turn about, so that whatever else the machine does falls on both. The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, relay] of Object.entries(relays)) {
      const start = process.cpuUsage();
      let tokens = 0;
      for (let turn = 0; turn < turnsPerRound; turn += 1) tokens += await relay(server.url);
      const used = process.cpuUsage(start);
      if (round > 0) costs.get(name)?.push((used.user + used.system) / 1e6 / (tokens / 1000));
    }
  }
  const bare = percentile(costs.get('bare fetch') ?? [], 0.5);
  table(
    [...costs].map(([name, seconds]) => ({
      relay: name,
      'CPU ms per 1,000 tokens': rounded(percentile(seconds, 0.5) * 1000, 2),
      'of bare fetch': rounded(percentile(seconds, 0.5) / bare, 2),
    })),
  );
  await server.stop();
}
