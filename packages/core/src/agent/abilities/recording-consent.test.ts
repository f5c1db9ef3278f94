import { type WorkflowDefinitionInput, workflowDefinition } from '@callkite/contract';
import { describe, expect, it, vi } from 'vitest';
import type { CalleeEvent } from '../../calls/speech.ts';
import { disclosureLine } from '../session/disclosure.ts';
import { disclosure, organizationName, said, settle, stageEachTest, start } from '../testing/stage.ts';

stageEachTest();

describe('a recording', () => {
  const asked = { recording: { mode: 'ask' } } as const;
  const announced = { recording: { mode: 'announce' } } as const;
  const question = 'May I record this call? Please say yes or no.';
  const notRecorded = "Okay, this call won't be recorded.";
  const opening = 'Can you come on Monday?';
  const lineOf = (definition: Partial<WorkflowDefinitionInput>) =>
    disclosureLine(workflowDefinition.parse({ objective: 'x', ...definition }), organizationName);
  const played = (text: string): CalleeEvent => ({ type: 'played', text });

  it('is announced in the first line, before how to stop the calls', async () => {
    const { channel, decisions } = await start({ definition: announced });
    expect(channel.utterances).toEqual([lineOf(announced), opening]);
    expect(lineOf(announced)).toContain("This call is being recorded. If you'd rather it weren't,");
    expect(decisions).toEqual([]);
  });

  it('is asked for in the first line, and nothing else is said before the answer', async () => {
    const { channel, decisions } = await start({ definition: asked });
    expect(channel.sent).toEqual([{ text: `${disclosure} ${question}`, last: true, interruptible: false }]);
    channel.hear(played(lineOf(asked)), said('Yes, sure.'));
    await settle();
    expect(decisions).toEqual(['agreed']);
    expect(channel.utterances.slice(1)).toEqual([opening]);
  });

  it.each([
    ['No.', 'refused'],
    ['Who is this?', 'missing'],
    ['Yes?', 'missing'],
  ])('is not had after "%s"', async (answer, decision) => {
    const { channel, decisions } = await start({ definition: asked });
    channel.hear(played(lineOf(asked)), said(answer));
    await settle();
    expect(decisions).toEqual([decision]);
    expect(channel.utterances.slice(1)).toEqual([notRecorded, opening]);
  });

  it('leaves the words after a refusal to the model where the workflow has no opening', async () => {
    const { channel, model } = await start({
      definition: { ...asked, opening: undefined },
      script: [{ turn: ['Can you come today?'] }],
    });
    channel.hear(played(lineOf(asked)), said('No.'));
    await settle();
    expect(channel.utterances.slice(1)).toEqual([notRecorded, 'Can you come today?']);
    expect(model.turns).toHaveLength(1);
  });

  it('is not agreed to by a yes that came before the question was heard', async () => {
    const { channel, decisions } = await start({ definition: asked });
    channel.hear(said('Yes'));
    await settle();
    expect(decisions).toEqual([]);
    expect(channel.utterances.slice(1)).toEqual([question]);
    channel.hear(played(question), said('Yes'));
    await settle();
    expect(decisions).toEqual(['agreed']);
  });

  it('is not had after silence, and the conversation goes on', async () => {
    const { channel, decisions } = await start({ definition: asked });
    channel.hear(played(lineOf(asked)));
    await vi.advanceTimersByTimeAsync(8100);
    expect(decisions).toEqual(['missing']);
    expect(channel.utterances.slice(1)).toEqual([opening]);
  });

  it.each([announced, asked])('is ended and deleted at any later word of the callee', async (definition) => {
    const { channel, decisions } = await start({
      definition,
      consent: 'given',
      script: [{ turn: ['So, Monday?'] }],
    });
    channel.hear(played(lineOf(definition)), played(opening), said('Please stop recording me.'));
    await settle();
    expect(decisions).toEqual(['refused']);
    expect(channel.utterances.slice(2)).toEqual([notRecorded, 'So, Monday?']);
  });

  it('is not asked for twice when the line was cut after the question', async () => {
    const { channel, decisions } = await start({
      definition: asked,
      earlier: [
        { role: 'assistant', content: lineOf(asked), interrupted: false },
        { role: 'user', content: 'Yes', interrupted: false },
      ],
      script: [{ turn: ['Monday?'] }],
    });
    expect(decisions).toEqual(['missing']);
    expect(channel.utterances).toEqual(['Sorry, we were cut off.', 'Monday?']);
  });

  it.each(['given', 'refused'] as const)('that was %s stays so when the line comes back', async (consent) => {
    const { channel, decisions } = await start({
      definition: asked,
      consent,
      earlier: [
        { role: 'assistant', content: lineOf(asked), interrupted: false },
        { role: 'user', content: 'No', interrupted: false },
      ],
      script: [{ turn: ['Monday?'] }],
    });
    expect(decisions).toEqual([]);
    expect(channel.utterances).toEqual(['Sorry, we were cut off.', 'Monday?']);
  });

  it('may still be agreed to on a new channel when the question was the last thing heard', async () => {
    const { channel, decisions } = await start({
      definition: asked,
      earlier: [{ role: 'assistant', content: lineOf(asked), interrupted: false }],
    });
    expect(channel.sent).toEqual([]);
    channel.hear(said('Yes.'));
    await settle();
    expect(decisions).toEqual(['agreed']);
    expect(channel.utterances).toEqual([opening]);
  });

  it('is not spoken of where the workflow does not record', async () => {
    const { channel, decisions } = await start({ script: [{ turn: ['I do not.'] }] });
    channel.hear(said('Stop recording.'));
    await settle();
    expect(decisions).toEqual([]);
  });
});
