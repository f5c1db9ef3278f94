import { expect } from 'vitest';
import { connectSpeech, type SpeechClient, wordsIn } from './speech-client.ts';

export const format = { type: 'audio/pcmu', rate: 8000 };
export const liveConfig = { model: 'gpt-live-1', audio: { format } };

/** A live session that has started; `session` adds to what it is started with. */
export async function openLive(baseUrl: string, session: object = {}): Promise<SpeechClient> {
  const client = await connectSpeech(baseUrl, '/live/sessions');
  client.send({ type: 'session.start', session: { ...liveConfig, ...session } });
  await client.next('session.started');
  return client;
}

/** An event that appends context. */
export const append = (kind: string, content: string, delegation_id: string | null = null) => ({
  type: `session.${kind}.append`,
  content,
  delegation_id,
});

/** The error that an event is refused with. */
export async function refused(client: SpeechClient, event: object): Promise<Record<string, unknown>> {
  client.send({ ...event, event_id: 'faulty' });
  const { client_event_id, error } = await client.next('error');
  expect(client_event_id).toBe('faulty');
  expect(error).toMatchObject({ client_event_id: 'faulty', message: expect.any(String) });
  return error;
}

/** All that was said, read back from its sound. */
export function words(client: SpeechClient): string {
  return wordsIn(
    client.events.filter(({ type }) => type === 'session.output_audio.delta').map(({ delta }) => delta),
  );
}

/** The transcript of one side, so far. */
export function transcript(client: SpeechClient, side: 'input' | 'output'): string {
  const deltas = client.events.filter(({ type }) => type === `session.${side}_transcript.delta`);
  return deltas
    .map(({ delta }) => delta)
    .join('')
    .trim();
}
