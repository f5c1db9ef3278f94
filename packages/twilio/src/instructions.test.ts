import { describe, expect, it } from 'vitest';
import { type TwilioOptions, twilio } from './twilio.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

function render(
  instruction: Parameters<ReturnType<typeof twilio>['renderInstruction']>[0],
  options: Partial<TwilioOptions> = {},
) {
  return twilio({ publicUrl: 'https://calls.example.com/phone', ...options }).renderInstruction(instruction);
}

describe('TwiML', () => {
  it('connects a conversation', () => {
    const response = render({
      type: 'converse',
      mode: 'relay',
      preamble: null,
      record: false,
      attemptToken: 'att_1.c2ln',
      language: 'en-US',
      languages: [],
      voice: null,
      hints: ['Jordan Avery', 'Larkspur Lane'],
    });
    expect(response.headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(response.body).toBe(
      `${declaration}<Response><Connect action="https://calls.example.com/phone/carriers/twilio/relay-ended` +
        '?token=att_1.c2ln#ct=2000&amp;rt=4000&amp;rc=2&amp;rp=ct,rt,5xx"><ConversationRelay ' +
        'url="wss://calls.example.com/phone/carriers/twilio/relay/att_1.c2ln" language="en-US" ' +
        'ttsProvider="ElevenLabs" transcriptionProvider="Deepgram" hints="Jordan Avery, Larkspur Lane" interruptible="any" ' +
        'interruptSensitivity="medium" ignoreBackchannel="true" reportInputDuringAgentSpeech="any" dtmfDetection="true" ' +
        'events="speaker-events tokens-played"/></Connect></Response>',
    );
  });

  it.each([
    [{}, 'transcriptionLanguage="multi" speechModel="nova-3-general"', 'ElevenLabs'],
    [
      { speechModel: 'nova-2-general' },
      'transcriptionLanguage="multi" speechModel="nova-2-general"',
      'ElevenLabs',
    ],
    [{ ttsProvider: 'Google' }, '', 'Google'],
    [{ speechModel: 'flux-general-en' }, 'speechModel="flux-general-en"', 'ElevenLabs'],
  ] as const)('listens for every language of the call where %j can', (relay, understanding, ttsProvider) => {
    const { body } = render(
      {
        type: 'converse',
        mode: 'relay',
        preamble: null,
        record: false,
        attemptToken: 'att_1.c2ln',
        language: 'en-US',
        languages: ['es-US'],
        voice: null,
        hints: [],
      },
      { relay },
    );
    const attributes = `transcriptionProvider="Deepgram" ${understanding && `${understanding} `}interruptible=`;
    expect(body).toContain(attributes);
    expect(body).toContain(
      `<Language code="es-US" ttsProvider="${ttsProvider}" transcriptionProvider="Deepgram"/></ConversationRelay>`,
    );
  });

  it('starts a recording of both sides before anything is said', () => {
    const { body } = render({
      type: 'converse',
      mode: 'realtime',
      preamble: 'Hello.',
      record: true,
      attemptToken: 'att_1.c2ln',
      language: 'en-US',
      languages: [],
      voice: null,
      hints: [],
    });
    expect(body).toContain(
      '<Response><Start><Recording recordingStatusCallback="https://calls.example.com/phone/carriers/twilio/' +
        'recording?token=att_1.c2ln#rc=5&amp;rp=ct,rt,5xx" recordingStatusCallbackEvent="in-progress completed absent" ' +
        'channels="dual" trim="do-not-trim"/></Start><Say language="en-US">Hello.</Say><Connect>',
    );
  });

  it('opens a stream of sound, after a line of the carrier', () => {
    const { body } = render({
      type: 'converse',
      mode: 'realtime',
      preamble: 'Hello.',
      record: false,
      attemptToken: 'att_1.c2ln',
      language: 'en-US',
      languages: [],
      voice: null,
      hints: [],
    });
    expect(body).toBe(
      `${declaration}<Response><Say language="en-US">Hello.</Say><Connect><Stream ` +
        'url="wss://calls.example.com/phone/carriers/twilio/media/att_1.c2ln"/></Connect>' +
        '<Redirect method="POST">https://calls.example.com/phone/carriers/twilio/media-ended' +
        '?token=att_1.c2ln#ct=2000&amp;rt=4000&amp;rc=2&amp;rp=ct,rt,5xx</Redirect></Response>',
    );
  });

  const leg = { attemptToken: 'att_1.c2ln', legId: 'leg_1' };
  const carrier = 'https://calls.example.com/phone/carriers/twilio';
  const query = '?token=att_1.c2ln&amp;leg=leg_1';
  const patient = '#ct=2000&amp;rt=4000&amp;rc=2&amp;rp=ct,rt,5xx';

  it('dials somebody, who is asked first or not', () => {
    const dial = {
      type: 'dial',
      ...leg,
      to: '+12025550160',
      callerId: '+12025550183',
      ringSeconds: 25,
      maximumTalkSeconds: 3600,
    } as const;
    const document = (url: string) =>
      `${declaration}<Response><Dial action="${carrier}/dial-ended${query}${patient}" answerOnBridge="true" ` +
      `callerId="+12025550183" timeout="25" timeLimit="3600"><Number${url} ` +
      `statusCallback="${carrier}/leg-status${query}#rc=5&amp;rp=ct,rt,5xx" ` +
      'statusCallbackEvent="initiated ringing answered completed">+12025550160</Number></Dial></Response>';
    expect(render({ ...dial, screened: false }).body).toBe(document(''));
    expect(render({ ...dial, screened: true }).body).toBe(
      document(` url="${carrier}/leg-answered${query}${patient}"`),
    );
  });

  it('asks whether somebody takes a call, twice, and hangs up without a reply', () => {
    const { body } = render({
      type: 'ask',
      ...leg,
      text: 'It is about invoice 7.',
      question: 'Yes or no?',
      expected: ['yes', 'no'],
      language: 'en-US',
      voice: null,
      round: 2,
    });
    const gather = (words: string) =>
      `<Gather action="${carrier}/leg-reply${query}&amp;round=2${patient}" input="dtmf speech" numDigits="1" ` +
      `timeout="5" speechTimeout="auto" language="en-US" hints="yes, no"><Say language="en-US">${words}</Say></Gather>`;
    expect(body).toBe(
      `${declaration}<Response>${gather('It is about invoice 7. Yes or no?')}${gather('Yes or no?')}<Hangup/></Response>`,
    );
  });

  it('connects somebody who was asked', () => {
    expect(render({ type: 'connect' }).body).toBe(`${declaration}<Response/>`);
  });

  it('lets the speech providers be chosen', () => {
    const { body } = render(
      {
        type: 'converse',
        mode: 'relay',
        preamble: null,
        record: false,
        attemptToken: 't',
        language: 'de-DE',
        languages: [],
        voice: 'de-DE-Journey-F',
        hints: [],
      },
      {
        name: 'twilio-eu',
        relay: {
          ttsProvider: 'Google',
          transcriptionProvider: 'Google',
          speechModel: 'telephony',
          interruptSensitivity: 'low',
        },
      },
    );
    expect(body).toContain('url="wss://calls.example.com/phone/carriers/twilio-eu/relay/t"');
    expect(body).toContain('ttsProvider="Google" voice="de-DE-Journey-F" transcriptionProvider="Google"');
    expect(body).toContain('speechModel="telephony"');
    expect(body).toContain('interruptSensitivity="low"');
  });

  it('speaks and hangs up', () => {
    const text = 'Tom & "Jerry" <3\u0007 \ud800 \u{1F600}';
    expect(render({ type: 'say', text, language: 'en-US', voice: null }).body).toBe(
      `${declaration}<Response><Say language="en-US">Tom &amp; &quot;Jerry&quot; &lt;3    \u{1F600}</Say><Hangup/></Response>`,
    );
  });

  it.each([
    ['Google', 'en-US-Journey-O', ' voice="Google.en-US-Journey-O"'],
    ['Amazon', 'Joanna-Neural', ' voice="Polly.Joanna-Neural"'],
    ['Amazon', 'Polly.Joanna', ' voice="Polly.Joanna"'],
    ['ElevenLabs', 'UgBBYS2sOqTuMpoF3BR0', ''],
  ] as const)('names a voice of %s as <Say> does', (ttsProvider, voice, attribute) => {
    const { body } = render(
      { type: 'say', text: 'Hi', language: 'en-US', voice },
      { relay: { ttsProvider } },
    );
    expect(body).toContain(`<Say language="en-US"${attribute}>Hi</Say>`);
  });

  it('hangs up', () => {
    expect(render({ type: 'hang-up' }).body).toBe(`${declaration}<Response><Hangup/></Response>`);
  });
});
