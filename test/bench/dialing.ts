import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { startTwilioEmulator } from '@callkite/twilio-emulator';
import { fictionalNumber } from '../faults/fictional-number.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { percentile, rounded, table } from './figures.ts';
import { startServerProcess } from './server-process.ts';

const calls = 300;

/** From the 200 to the carrier's create request, on Postgres, with the line free. */
export async function benchDialing(): Promise<void> {
  const database = await startPostgres();
  const carrier = await startTwilioEmulator({ speed: 100, allowInsecureLoopback: true });
  const model = await startOpenAiEmulator();
  const server = await startServerProcess('callkite', {
    DATABASE_URL: database.url,
    TWILIO_URL: carrier.url,
    OPENAI_URL: model.url,
  });
  const { key, workflowId } = await server.ask<{ key: string; workflowId: string }>('access');
  const answeredAt = new Map<string, number>();
  for (let index = 0; index < calls; index += 1) {
    const to = fictionalNumber(200 + index);
    const response = await fetch(`${server.url}/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workflow_id: workflowId, recipient_phone: to }),
    });
    answeredAt.set(to, performance.timeOrigin + performance.now());
    if (response.status !== 200) throw new Error(`refused: ${await response.text()}`);
    await response.text();
    // Far enough apart that the line is free for each.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const delays = carrier
    .calls()
    .map((record) => Date.parse(record.receivedAt) - (answeredAt.get(record.to) ?? Number.NaN));
  table([
    {
      calls: delays.length,
      'p50 ms': rounded(percentile(delays, 0.5)),
      'p99 ms': rounded(percentile(delays, 0.99)),
      'max ms': rounded(Math.max(...delays)),
    },
  ]);
  await server.stop();
  await carrier.close();
  await model.close();
  await database.stop();
}
