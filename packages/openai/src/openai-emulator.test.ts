import { CallkiteError } from '@callkite/core';
import { type EmulatorConfiguration, startOpenAiEmulator } from '@callkite/openai-emulator';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openAi } from './open-ai.ts';

const signal = new AbortController().signal;

async function withEmulator(
  configuration: EmulatorConfiguration,
  run: (setup: {
    model: ReturnType<typeof openAi>;
    requests: () => readonly { status: number | null }[];
  }) => Promise<void>,
): Promise<void> {
  const emulator = await startOpenAiEmulator();
  emulator.configure(configuration);
  try {
    await run({ model: openAi({ apiKey: 'any', baseURL: emulator.url }), requests: emulator.requests });
  } finally {
    await emulator.close();
  }
}

const plan = z.object({
  title: z.string().min(1).max(80),
  email: z.email().nullable(),
  kind: z.enum(['survey', 'reminder']),
  steps: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('say'), text: z.string().max(500) }),
        z.object({ type: z.literal('ask'), question: z.string(), required: z.boolean() }),
      ]),
    )
    .max(5),
});

function generate(model: ReturnType<typeof openAi>) {
  return model.generateObject({
    schema: plan,
    name: 'plan',
    instructions: 'Write the plan of a phone call.',
    input: 'Remind Jordan of the appointment tomorrow at nine.',
    signal,
  });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.catch((thrown: unknown) => thrown);
  return CallkiteError.isInstance(error) ? error.code : `no CallkiteError: ${error}`;
}

describe('against the emulator', () => {
  it('streams a turn', async () => {
    await withEmulator({}, async ({ model }) => {
      const tool = {
        name: 'end_call',
        description: 'Ends the call.',
        input: z.object({ reason: z.string() }),
      };
      const messages = [{ role: 'user' as const, content: 'Hello, who is this?' }];
      const parts = [];
      for await (const part of model.streamTurn({
        instructions: 'You are on the phone with somebody.',
        maximumTokens: 500,
        messages,
        tools: [tool],
        signal,
      })) {
        parts.push(part.type);
      }
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.at(-1)).toBe('end');
    });
  });

  it('generates an object that fits a schema with limits of its own', async () => {
    await withEmulator({}, async ({ model, requests }) => {
      expect(plan.safeParse(await generate(model)).success).toBe(true);
      expect(requests()).toHaveLength(1);
    });
  });

  it('asks again, once, for an object after an outage or an answer that does not fit', async () => {
    for (const faults of [{ schemaViolation: { times: 1 } }, { error: { status: 503, times: 1 } }]) {
      await withEmulator({ faults }, async ({ model, requests }) => {
        await generate(model);
        expect(requests()).toHaveLength(2);
      });
    }
  });

  it.each([
    ['an answer that never fits', { schemaViolation: {} }, 'provider_rejected', 2],
    ['a refusal', { refusal: {} }, 'provider_rejected', 1],
    ['an answer cut short', { lengthStop: {} }, 'provider_rejected', 1],
    ['a filtered answer', { contentFilter: {} }, 'provider_rejected', 1],
    ['an empty account', { insufficientQuota: {} }, 'provider_rejected', 1],
    ['an outage', { error: { status: 500 } }, 'provider_unavailable', 2],
    ['too many requests', { rateLimit: {} }, 'provider_unavailable', 2],
  ] as const)('gives up after %s', async (_, faults, code, requestCount) => {
    await withEmulator({ faults }, async ({ model, requests }) => {
      expect(await codeOf(generate(model))).toBe(code);
      expect(requests()).toHaveLength(requestCount);
    });
  });

  it('gives up on a generation that takes too long, or is not wanted any more', async () => {
    const emulator = await startOpenAiEmulator({ faults: { hang: {} } });
    try {
      const impatient = openAi({ apiKey: 'any', baseURL: emulator.url, generationTimeoutMs: 80 });
      expect(await codeOf(generate(impatient))).toBe('provider_unavailable');
      const model = openAi({ apiKey: 'any', baseURL: emulator.url });
      const reason = new Error('shutting down');
      const request = { schema: plan, name: 'plan', instructions: 'Plan.', input: 'Call.' };
      const generated = model.generateObject({ ...request, signal: AbortSignal.abort(reason) });
      await expect(generated).rejects.toBe(reason);
    } finally {
      await emulator.close();
    }
  });
});
