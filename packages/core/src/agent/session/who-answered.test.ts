import { describe, expect, it, vi } from 'vitest';
import type { CalleeEvent } from '../../calls/speech.ts';
import { disclosure, interrupted, said, settle, stageEachTest, start, storeAway } from '../testing/stage.ts';

stageEachTest();

describe('who answered', () => {
  const greeting = said('You have reached Jordan. Please leave a message after the tone.');
  const asking = said('Please state your name and the reason for calling.');
  const speaking = (on: boolean): CalleeEvent => ({ type: 'callee-speaking', speaking: on });
  const voicemail = { message: 'Please call us back.' };
  const message = 'Hello, I am an AI assistant calling on behalf of Example Dental. Please call us back.';
  const opened = [disclosure, 'Can you come on Monday?'];

  it('leaves the message when the greeting is over, and ends once it was heard', async () => {
    const { channel, heard } = await start({ definition: { voicemail } });
    channel.hear(greeting);
    await vi.advanceTimersByTimeAsync(1_500);
    channel.hear(speaking(true));
    await vi.advanceTimersByTimeAsync(5_000);
    channel.hear(speaking(false), said('Thank you and goodbye.'));
    await vi.advanceTimersByTimeAsync(1_900);
    expect(channel.utterances).toEqual(opened);
    await vi.advanceTimersByTimeAsync(100);
    expect(channel.utterances).toEqual([...opened, message]);
    expect(channel.sent.at(-1)).toMatchObject({ last: true, interruptible: true });
    expect(heard).toEqual(['greeting', 'voicemail']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(channel.did).toEqual([]);
    channel.hear({ type: 'played', text: message });
    await settle();
    expect(channel.did).toEqual(['end']);
  });

  it('begins the message again when the greeting runs into it', async () => {
    const { channel } = await start({ definition: { voicemail } });
    channel.hear(greeting);
    await vi.advanceTimersByTimeAsync(2_000);
    channel.hear(interrupted('Hello, I am'), said('Or press 1 for more options.'));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(channel.utterances).toEqual([...opened, message, message]);
    channel.hear({ type: 'played', text: message });
    await settle();
    expect(channel.did).toEqual(['end']);
  });

  it('leaves a mailbox without words when the workflow has none for it', async () => {
    const { channel, heard } = await start();
    channel.hear(greeting);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(channel.utterances).toEqual(opened);
    expect(channel.did).toEqual(['end']);
    expect(heard).toEqual(['greeting', 'voicemail']);
  });

  it('talks to a person who picks up after all, and says anew who calls', async () => {
    const { channel, heard, model } = await start({
      definition: { voicemail },
      script: [{ turn: ['At nine.'] }],
    });
    channel.hear(greeting, said('Hello? Who is this?'));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(channel.utterances).toEqual([...opened, ...opened]);
    channel.hear(said('Please leave a message after the tone, ha ha.'));
    await settle();
    expect(channel.utterances.at(-1)).toBe('At nine.');
    expect(heard).toEqual(['greeting', 'person']);
    expect(model.turns).toHaveLength(1);
  });

  it('tells an assistant who calls and why, and waits for the person', async () => {
    const { channel, heard, reasons } = await start({
      definition: { purpose: 'We call about your visit.' },
    });
    channel.hear(asking);
    await settle();
    expect(channel.utterances.at(-1)).toBe(
      'This is an AI assistant calling on behalf of Example Dental. We call about your visit.',
    );
    channel.hear(said('Please stay on the line.'));
    await vi.advanceTimersByTimeAsync(59_000);
    expect(channel.utterances).toHaveLength(3);
    expect(channel.did).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(channel.did).toEqual(['end']);
    expect(heard).toEqual(['screening']);
    expect(reasons).toEqual(['call_screened']);
  });

  it('ends only when the store knows, so that the outcome does', async () => {
    let stored: () => void = () => {};
    const { channel, reasons } = await start({
      storage: {
        noteHeard: () =>
          new Promise<void>((resolve) => {
            stored = resolve;
          }),
      },
    });
    channel.hear(said('The mailbox is full and cannot accept any messages.'));
    await vi.advanceTimersByTimeAsync(500);
    expect(channel.did).toEqual([]);
    stored();
    await settle();
    expect(channel.did).toEqual(['end']);
    expect(reasons).toEqual(['mailbox_full']);
  });

  it('ends also when the store is away', async () => {
    const { channel } = await start({
      storage: { noteHeard: () => Promise.reject(storeAway) },
    });
    channel.hear(said('This is a fax machine.'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(channel.did).toEqual(['end']);
  });

  it('waits out a long sentence that tells nothing', async () => {
    const { channel, model } = await start({ script: [{ turn: ['I see.'] }] });
    const words = Array.from({ length: 25 }, () => 'rain').join(' ');
    channel.hear(said(words));
    await vi.advanceTimersByTimeAsync(1_400);
    expect(model.turns).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(channel.utterances.at(-1)).toBe('I see.');
  });

  it('is known again on a new channel', async () => {
    const { channel, heard } = await start({
      definition: { voicemail },
      call: { heard: 'greeting' },
      earlier: [{ role: 'user', content: 'You have reached Jordan.', interrupted: false }],
    });
    expect(channel.utterances).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(channel.utterances).toEqual([message]);
    expect(heard).toEqual(['voicemail']);
  });
});
