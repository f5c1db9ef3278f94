import { openAiRealtime } from '@callkite/openai';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { type CalleeLine, defineCallee } from '@callkite/twilio-emulator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Embedded, type EmbeddedOptions, eventually, startEmbedded } from '../embedded.ts';

// Calls take their time.
vi.setConfig({ testTimeout: 120_000 });

/** A little faster than life: every word is to get through, also on a busy machine. */
const speed = 4;
const disclosure = `Hello, I am an AI assistant calling on behalf of Example Dental. If you'd rather not get these calls, just say "stop calling" at any time.`;

interface CallResource {
  call_id: string;
  state: string;
  call_status: string | null;
  provider_status: string | null;
  reason: string | null;
  messages: { role: string; content: string }[];
  form_fills: { title: string; values: Record<string, unknown> }[];
}

const longAnswer =
  'Sure, let me tell you about our appointment on Tuesday at three, which the doctor has reserved for you, and about the way to the practice, which is on the second floor of the old post office, behind the station and opposite the bakery with the green door, where the bus stops every ten minutes and where you can leave your car or your bicycle as long as you like, and about the things that you could bring along, such as your papers, your glasses and your questions.';

let embedded: Embedded;
afterEach(() => embedded.stop());

async function start(options: EmbeddedOptions = {}, converse?: (line: CalleeLine) => Promise<void>) {
  const number = '+12025550160';
  const own =
    converse && defineCallee({ name: 'own', description: 'of the test', numbers: [number], converse });
  embedded = await startEmbedded({
    speed,
    ...options,
    emulator: { ...options.emulator, ...(own && { callees: [own] }) },
    callkite: { voiceMode: 'realtime', ...options.callkite },
  });
  return number;
}

async function trigger(to: string, workflowId = embedded.workflowId): Promise<string> {
  const response = await embedded.request('POST', '/call', { recipient_phone: to, workflow_id: workflowId });
  expect(response.status).toBe(200);
  const { calls } = (await (await embedded.request('GET', '/calls')).json()) as { calls: CallResource[] };
  return calls[0]?.call_id ?? '';
}

async function finished(callId: string): Promise<CallResource> {
  return eventually(
    'the end of the call',
    async () => {
      const call = (await (await embedded.request('GET', `/calls/${callId}`)).json()) as CallResource;
      return call.state === 'completed' ? call : null;
    },
    60_000,
  );
}

async function placeAndFinish(to: string, workflowId?: string): Promise<CallResource> {
  return finished(await trigger(to, workflowId));
}

const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** How many words were not heard; those that were must be the ones said, in order. */
function missing(said: readonly string[], heard: readonly string[]): number {
  let at = 0;
  for (const word of heard) {
    at = said.indexOf(word, at) + 1;
    if (at === 0) expect.unreachable(`"${word}" was heard and not said there`);
  }
  return said.length - heard.length;
}
/** Who spoke, without a callee's greeting: who waits for the agent to begin may say hello first. */
const rolesOf = (call: CallResource) =>
  call.messages.filter(({ content }) => content !== 'Hello?').map(({ role }) => role);
const lines = (call: CallResource) => call.messages.map(({ role, content }) => `${role}: ${content}`);
const streamsTo = (to: string) =>
  embedded.twilioEmulator.calls().find((record) => record.to === to)?.mediaStreams ?? [];
/** What reached the callee's ear, as words. */
const heardBy = (to: string) =>
  streamsTo(to).flatMap((stream) => stream.words.flatMap(({ text }) => words(text)));

describe('a spoken call', () => {
  it('opens with the disclosure, settles its matter, and tells what was said', async () => {
    await start();
    const to = '+12025550101';
    const call = await placeAndFinish(to);
    expect(call).toMatchObject({ call_status: 'success', provider_status: 'completed', reason: null });
    expect(call.messages.find(({ role }) => role === 'assistant')?.content).toBe(disclosure);
    // What they say after the goodbye is written down, too.
    expect(rolesOf(call).slice(0, 4)).toEqual(['assistant', 'assistant', 'user', 'assistant']);
    expect(lines(call)).toContain('user: Yes, that is fine.');
    const said = call.messages.flatMap(({ role, content }) => (role === 'assistant' ? words(content) : []));
    expect(missing(said, heardBy(to))).toBeLessThanOrEqual(2);
    expect(streamsTo(to)).toMatchObject([{ messagesRefused: 0 }]);
  });

  it('is told in spoken order when what the callee said becomes known late', async () => {
    await start();
    embedded.openAiEmulator.configure({ faults: { transcriptionLate: { delayMs: 1200 } } });
    const call = await placeAndFinish('+12025550101');
    // What they say after the goodbye is written down, too.
    expect(rolesOf(call).slice(0, 4)).toEqual(['assistant', 'assistant', 'user', 'assistant']);
  });

  it('loses nothing to lost frames but the words they carried', async () => {
    await start({ emulator: { faults: { framesLost: 0.02 } } });
    const to = '+12025550101';
    const call = await placeAndFinish(to);
    expect(call.call_status).toBe('success');
    expect(streamsTo(to)[0]?.framesLost).toBeGreaterThan(0);
  });

  it('is asked for by the workflow', async () => {
    await start({ callkite: { voiceMode: 'relay' } });
    const { definition } = await embedded.callkite.workflows.get(
      { organizationId: embedded.organizationId, mode: 'live' },
      embedded.workflowId,
    );
    const create = (mode: 'relay' | 'realtime') =>
      embedded.callkite.workflows.create(
        { organizationId: embedded.organizationId, mode: 'live' },
        {
          name: mode,
          definition: { ...definition, voice: { mode } },
        },
      );
    await placeAndFinish('+12025550101', (await create('relay')).id);
    expect(streamsTo('+12025550101')).toEqual([]);
    await placeAndFinish('+12025550102', (await create('realtime')).id);
    expect(streamsTo('+12025550102')).toHaveLength(1);
  });
});

describe('an interruption', () => {
  it('stops the agent at once, and leaves in the transcript what was heard', async () => {
    let heardBefore = '';
    // What is being played is estimated by the clock, which must be that of life.
    const to = await start({ speed: 1 }, async (line) => {
      await line.heard();
      await line.say('What is this about?');
      heardBefore = await line.interrupt('Sorry, tell me later.', { afterMs: 900 });
      await line.heard();
      await line.hangUp();
    });
    const call = await placeAndFinish(to);
    const { transcript } = await embedded.callkite.calls.get(
      { organizationId: embedded.organizationId, mode: 'live' },
      call.call_id,
    );
    const cut = transcript.find(({ interrupted }) => interrupted);
    expect(cut).toBeDefined();
    const inTranscript = words(cut?.content ?? '');
    const inEar = words(heardBefore);
    expect(Math.abs(inTranscript.length - inEar.length)).toBeLessThanOrEqual(2);
    expect(inEar.slice(0, inTranscript.length)).toEqual(inTranscript.slice(0, inEar.length));
    const [session] = embedded.openAiEmulator.connections();
    expect(session?.received.map(({ type }) => type)).toContain('conversation.item.truncate');
    // A response may end just before it is canceled, which the API calls an error.
    expect(session?.sent.filter((type) => type === 'error').length).toBeLessThanOrEqual(1);
  }, 60_000);
});

const agentFailed = {
  call_status: 'not_picked_up',
  provider_status: 'failed',
  reason: 'agent_unavailable',
} as const;

describe('the disclosure', () => {
  it('is said by the carrier, before anything else, when the model says something else', async () => {
    await start();
    embedded.openAiEmulator.configure({ faults: { misquote: { times: 1 } } });
    const to = '+12025550101';
    const call = await placeAndFinish(to);
    expect(call.call_status).toBe('success');
    expect(lines(call).find((line) => line.startsWith('assistant'))).toBe(`assistant: ${disclosure}`);
    expect(heardBy(to).join(' ')).not.toContain('happy to help');
    expect(streamsTo(to)).toHaveLength(2);
    const transcript = embedded.twilioEmulator.calls().find((record) => record.to === to)?.transcript ?? [];
    expect(transcript.find(({ speaker }) => speaker === 'agent')?.text).toContain(disclosure);
  });

  it('is said by the carrier when there is no model at all, and then the call ends', async () => {
    await start();
    embedded.openAiEmulator.configure({ faults: { error: { status: 401, on: 'speech' } } });
    const call = await placeAndFinish('+12025550101');
    expect(call).toMatchObject(agentFailed);
    expect(lines(call)).toEqual([
      `assistant: ${disclosure}`,
      "assistant: I'm sorry, I'm having a technical problem and have to end this call. Goodbye.",
    ]);
  });
});

describe('a model that fails', () => {
  it('is connected to again, with what was said so far', async () => {
    let isCut = false;
    const to = await start({}, async (line) => {
      await line.heard();
      embedded.openAiEmulator.configure({
        faults: { socketCut: { afterTokens: 2, times: 1, on: 'speech' } },
      });
      isCut = true;
      await line.say('Yes, that is fine.');
      await line.heard();
      await line.heard({ withinMs: 20_000 });
    });
    const call = await placeAndFinish(to);
    expect(isCut).toBe(true);
    expect(call.reason).toBeNull();
    expect(lines(call).find((line) => line.startsWith('assistant'))).toBe(`assistant: ${disclosure}`);
    expect(embedded.openAiEmulator.connections().length).toBe(2);
    const [, second] = embedded.openAiEmulator.connections();
    expect(second?.received.map(({ type }) => type)).toContain('conversation.item.create');
  });

  it('is left for a fresh session when it owes an answer and is silent', async () => {
    const to = await start({}, async (line) => {
      await line.heard();
      embedded.openAiEmulator.configure({ faults: { hang: { on: 'speech', times: 1 } } });
      await line.say('Yes, that is fine.');
      await line.heard({ withinMs: speed * 20_000 });
      await line.hangUp();
    });
    const call = await placeAndFinish(to);
    expect(call.reason).toBeNull();
    const said = lines(call);
    expect(said.indexOf('user: Yes, that is fine.')).toBeGreaterThan(0);
    expect(said.at(-1)).toMatch(/^assistant: /);
    const [, fresh] = embedded.openAiEmulator.connections();
    expect(fresh?.sent).toContain('response.output_audio.delta');
  });

  it('is waited for with a tone, and then the carrier says sorry', async () => {
    const to = await start({}, async (line) => {
      await line.heard();
      embedded.openAiEmulator.configure({ faults: { hang: { on: 'speech' } } });
      await line.say('Yes, that is fine.');
      await line.silence();
    });
    const call = await placeAndFinish(to);
    expect(call).toMatchObject(agentFailed);
    expect(lines(call).at(-1)).toBe(
      "assistant: I'm sorry, I'm having a technical problem and have to end this call. Goodbye.",
    );
  });
});

describe('keys and opting out', () => {
  it.each([
    ['in words', (line: CalleeLine) => line.say('Please stop calling me.')],
    ['by key 9', (line: CalleeLine) => line.press('9')],
  ])('works %s', async (_, ask) => {
    const to = await start({}, async (line) => {
      await line.heard();
      await ask(line);
      await line.heard({ withinMs: 15_000 });
      await line.silence();
    });
    const call = await placeAndFinish(to);
    expect(call.reason).toBe('opted_out');
    expect(lines(call).at(-1)).toBe("assistant: Understood. We won't call you again. Goodbye.");
    const again = await embedded.request('POST', '/call', {
      recipient_phone: to,
      workflow_id: embedded.workflowId,
    });
    expect(again.status).toBe(400);
  });
});

it.each([
  [
    'after the agent began to answer',
    async (line: CalleeLine) => {
      await line.heard();
      await line.say('Please stop calling me.');
    },
  ],
  [
    'over the opening line',
    async (line: CalleeLine) => {
      await line.interrupt('Please stop calling me.', { afterMs: 1500 });
    },
  ],
])('a wish not to be called again that is understood %s is confirmed by the agent itself', async (_, ask) => {
  const model = await startOpenAiEmulator({
    speech: { thinkMs: 60, transcriptionMs: 400, timesRealTime: 10 * speed },
  });
  model.configure({ script: Array(9).fill(longAnswer) });
  const speechModel = openAiRealtime({ apiKey: 'emulated', baseURL: model.url });
  const to = await start({ callkite: { speechModel } }, async (line) => {
    await ask(line);
    await line.heard({ withinMs: speed * 5_000 });
    await line.silence();
  });
  const call = await placeAndFinish(to);
  model.configure({ script: null });
  await model.close();
  expect(call.reason).toBe('opted_out');
  const ear = heardBy(to).join(' ');
  expect(ear).toMatch(/understood we won t call you again goodbye$/);
  // No more of the last answer than was said before the wish was understood.
  expect(ear.slice(Math.max(0, ear.lastIndexOf('sure let me tell')))).not.toContain('your glasses');
  expect(streamsTo(to)).toHaveLength(1);
});

it('a goodbye for good is heard to its end, whoever speaks before it begins', async () => {
  const model = await startOpenAiEmulator({
    speech: { thinkMs: 1200, transcriptionMs: 50, timesRealTime: 10 * speed },
  });
  const speechModel = openAiRealtime({ apiKey: 'emulated', baseURL: model.url });
  const to = await start({ callkite: { speechModel } }, async (line) => {
    await line.heard();
    await line.say('Please stop calling me.');
    await line.wait(speed * 400);
    await line.say('And tell the others too.');
    await line.silence();
  });
  const call = await placeAndFinish(to);
  await model.close();
  expect(call.reason).toBe('opted_out');
  expect(lines(call)).toContain("assistant: Understood. We won't call you again. Goodbye.");
  expect(heardBy(to).join(' ')).toMatch(/understood we won t call you again goodbye$/);
});

describe('a stream that breaks', () => {
  it('is replaced, and the conversation goes on where it was', async () => {
    await start({ emulator: { faults: { socketDrop: 1 } } });
    const to = '+12025550101';
    const call = await placeAndFinish(to);
    expect(call.call_status).toBe('success');
    expect(streamsTo(to).length).toBe(2);
    expect(
      lines(call).filter((line) => line.includes('AI assistant') && line.endsWith('at any time.')),
    ).toHaveLength(1);
  });
});
