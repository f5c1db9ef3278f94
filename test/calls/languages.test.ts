import type { CallDetail } from '@callkite/contract';
import { defineCallee } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

/** Its greeting is known to the carrier as a machine's. */
const mailbox = '+12025550120';
const [speaksSpanish, alsoSpeaksSpanish, asksForGerman] = ['+12125550141', '+12125550142', '+12125550143'];

const callees = [
  defineCallee({
    name: 'speaks Spanish',
    description: 'Understands the greeting, and answers in Spanish',
    numbers: [speaksSpanish, alsoSpeaksSpanish],
    async converse(line) {
      await line.heard();
      await line.say('Sí, soy yo, pero no hablo inglés.', { language: 'es-MX' });
      await line.heard();
      await line.say('Sí, muy bien.', { language: 'es-MX' });
      await line.heard();
      await line.hangUp();
    },
  }),
  defineCallee({
    name: 'asks for German',
    description: 'Asks in English whether German would do',
    numbers: [asksForGerman],
    async converse(line) {
      await line.heard();
      await line.say('Could we speak German, please?', { language: 'en-US' });
      await line.heard();
      await line.say('Ja, das passt mir gut.', { language: 'de-DE' });
      await line.heard();
      await line.hangUp();
    },
  }),
];

let embedded: Embedded;
beforeAll(async () => {
  embedded = await startEmbedded({ speed: 8, emulator: { callees } });
});
afterAll(() => embedded.stop());

async function played(to: string, languages: readonly string[]) {
  const created = await embedded.request('POST', '/workflows', {
    name: 'Visit',
    definition: {
      objective: 'Ask whether Tuesday suits the person.',
      steps: [{ title: 'Ask', instruction: 'Ask whether Tuesday suits them.' }],
      languages,
    },
  });
  expect(created.status, await created.clone().text()).toBe(201);
  const { id } = (await created.json()) as { id: string };
  return resultOf(to, id);
}

async function resultOf(to: string, id: string) {
  await embedded.request('POST', '/call', { workflow_id: id, recipient_phone: to });
  const { calls } = (await (await embedded.request('GET', `/calls?workflow_id=${id}`)).json()) as {
    calls: { call_id: string }[];
  };
  const call = await eventually(
    'the result',
    async () => {
      const found = (await (
        await embedded.request('GET', `/calls/${calls[0]?.call_id}`)
      ).json()) as CallDetail;
      return found.call_summary === null ? null : found;
    },
    30_000,
  );
  const record = embedded.twilioEmulator.calls().find((each) => each.to === to);
  return { call, record, contents: call.messages.map(({ content }) => content) };
}

it('goes on in the callee’s language, heard and spoken by the carrier', async () => {
  const { contents, record } = await played(speaksSpanish, ['es-US']);
  expect(contents).toContain('Sí, soy yo, pero no hablo inglés.');
  expect(contents).toContain('(goes on in es-US)');
  const after = contents.slice(contents.indexOf('(goes on in es-US)') + 1);
  expect(after[0]).toMatch(/[¿áéíóúñ]|gracias|martes/i);
  expect(record?.relaySessions).toMatchObject([{ spokenLanguages: ['en-US', 'es-US'], messagesRefused: 0 }]);
}, 60_000);

it('goes on in a language that the callee asks for', async () => {
  const { contents, record } = await played(asksForGerman, ['es-US', 'de-DE']);
  expect(contents).toContain('(goes on in de-DE)');
  expect(contents).toContain('Ja, das passt mir gut.');
  expect(record?.relaySessions).toMatchObject([{ spokenLanguages: ['en-US', 'de-DE'], messagesRefused: 0 }]);
}, 60_000);

it('leaves a message with times and addresses as a person says them, and keeps them as they are written', async () => {
  const message = 'Your visit is at 15:30. Write to jo@example.com.';
  const created = await embedded.request('POST', '/workflows', {
    name: 'Message',
    definition: { objective: 'Remind the person of the visit.', voicemail: { message } },
  });
  const { id } = (await created.json()) as { id: string };
  const { contents, record } = await resultOf(mailbox, id);
  expect(contents.at(-1)).toContain(message);
  const heard = record?.transcript.filter(({ speaker }) => speaker === 'agent').at(-1)?.text;
  expect(heard).toContain('Your visit is at 3:30 PM. Write to jo at example dot com.');
}, 60_000);

it('keeps to its language where the workflow names no other, and does not understand another', async () => {
  const { contents, record } = await played(alsoSpeaksSpanish, []);
  expect(contents).toContain('uh, uh uh, uh uh uh uh.');
  expect(contents.filter((content) => content.startsWith('(goes on'))).toEqual([]);
  expect(record?.relaySessions).toMatchObject([{ spokenLanguages: ['en-US'] }]);
}, 60_000);
