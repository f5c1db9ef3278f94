import assert from 'node:assert/strict';
import { attemptToken, type FixtureTest } from './fixture.ts';

export function instructionsContract(test: FixtureTest): void {
  test('renders every instruction', async ({ telephony }) => {
    const say = { type: 'say', text: 'Goodbye.', language: 'en-US', voice: null } as const;
    const converse = {
      type: 'converse',
      attemptToken,
      language: 'en-US',
      languages: [],
      voice: null,
      hints: [],
      record: true,
    } as const;
    const inWords = { ...converse, mode: 'relay', preamble: null } as const;
    const inSound = { ...converse, mode: 'realtime', preamble: 'Hello.' } as const;
    const leg = { attemptToken, legId: 'leg_1' };
    const dial = {
      type: 'dial',
      ...leg,
      to: '+12025550160',
      callerId: '+12025550183',
      ringSeconds: 25,
      maximumTalkSeconds: 3600,
      screened: true,
    } as const;
    const ask = {
      type: 'ask',
      ...leg,
      text: 'A call for you.',
      question: 'Do you take it?',
      expected: ['yes', 'no'],
      language: 'en-US',
      voice: null,
      round: 1,
    } as const;
    const plain = [{ type: 'connect' }, { type: 'hang-up' }] as const;
    for (const instruction of [say, inWords, inSound, dial, ask, ...plain]) {
      const response = telephony.renderInstruction(instruction);
      assert.equal(response.status, 200);
      assert.ok(response.headers['content-type']);
      assert.ok(response.body !== null && response.body.length > 0);
    }
  });

  test('does not let text become an instruction', async ({ telephony }) => {
    const text = '</Say><Dial>+12025550199</Dial> & "quotes" \u0000\u0001';
    const response = telephony.renderInstruction({
      type: 'say',
      text,
      language: 'en-US"/><Dial>',
      voice: '"><Dial>',
    });
    const body = String(response.body);
    assert.ok(!body.includes('<Dial>') && !body.includes('</Say><Dial'), body);
    assert.ok(!body.includes('\u0000') && !body.includes('\u0001'), 'control characters');
  });
}
