import type { CallInstruction, HttpResponse } from '@callkite/core';
import type { PublicAddress } from './public-address.ts';
import { recordingEvents } from './recordings.ts';

/** How ConversationRelay listens and speaks. Every provider must be enabled for the account at Twilio. */
export interface RelayOptions {
  /** Who synthesizes speech. A workflow's `voice` is a voice of this provider. @default 'ElevenLabs' */
  ttsProvider?: 'ElevenLabs' | 'Google' | 'Amazon' | undefined;
  /** Who transcribes the callee. @default 'Deepgram' */
  transcriptionProvider?: 'Deepgram' | 'Google' | undefined;
  /** Model of the transcription provider. @default Twilio's choice for the provider and language */
  speechModel?: string | undefined;
  /** How readily speech of the callee cuts off the agent. @default 'medium' */
  interruptSensitivity?: 'low' | 'medium' | 'high' | undefined;
}

/** Models of Deepgram that understand several languages at once, the first by default. */
const multilingualModels = ['nova-3-general', 'nova-2-general'];

/** Whether Twilio can understand several languages on one call, which it does with these providers only. */
export function hearsAllLanguages({
  ttsProvider,
  transcriptionProvider,
  speechModel,
}: RelayOptions): boolean {
  return (
    (ttsProvider ?? 'ElevenLabs') === 'ElevenLabs' &&
    (transcriptionProvider ?? 'Deepgram') === 'Deepgram' &&
    (speechModel === undefined || multilingualModels.includes(speechModel))
  );
}

export interface InstructionRenderer {
  twiml(instruction: CallInstruction): string;
  response(instruction: CallInstruction): HttpResponse;
}

/** Writes instructions as TwiML. Its URLs are absolute, so a document may also be sent with a call update. */
export function instructionRenderer(address: PublicAddress, relay: RelayOptions): InstructionRenderer {
  const ttsProvider = relay.ttsProvider ?? 'ElevenLabs';

  const transcriptionProvider = relay.transcriptionProvider ?? 'Deepgram';
  /** Without a choice of languages, Twilio listens for the one that is spoken. */
  function understanding(languages: readonly string[]): Record<string, string | undefined> {
    const { speechModel } = relay;
    if (languages.length === 0 || !hearsAllLanguages(relay)) return { speechModel };
    return { transcriptionLanguage: 'multi', speechModel: speechModel ?? multilingualModels[0] };
  }

  const say = (text: string, language: string, voice: string | null) =>
    element('Say', { language, voice: sayVoice(ttsProvider, voice) }, escaped(text));

  function startRecording(attemptToken: string): string {
    const recording = element('Recording', {
      recordingStatusCallback: address.webhook('recording', attemptToken),
      recordingStatusCallbackEvent: recordingEvents.join(' '),
      channels: 'dual',
      trim: 'do-not-trim',
    });
    return element('Start', {}, recording);
  }

  function verbs(instruction: CallInstruction): string {
    switch (instruction.type) {
      case 'converse': {
        const { attemptToken, language, preamble } = instruction;
        const spoken = preamble === null ? '' : say(preamble, language, instruction.voice);
        const before = instruction.record ? startRecording(attemptToken) + spoken : spoken;
        if (instruction.mode === 'realtime') {
          const stream = element('Stream', { url: address.socket('media', attemptToken) });
          const next = escaped(address.webhook('media-ended', attemptToken));
          return before + element('Connect', {}, stream) + element('Redirect', { method: 'POST' }, next);
        }
        const conversation = element(
          'ConversationRelay',
          {
            url: address.socket('relay', attemptToken),
            language,
            ttsProvider,
            voice: instruction.voice,
            transcriptionProvider,
            ...understanding(instruction.languages),
            hints: instruction.hints.length === 0 ? undefined : instruction.hints.join(', '),
            interruptible: 'any',
            interruptSensitivity: relay.interruptSensitivity ?? 'medium',
            ignoreBackchannel: 'true',
            reportInputDuringAgentSpeech: 'any',
            dtmfDetection: 'true',
            events: 'speaker-events tokens-played',
          },
          // Voices of ElevenLabs speak every language, those of the others one.
          instruction.languages
            .map((code) =>
              element('Language', {
                code,
                ttsProvider,
                voice: ttsProvider === 'ElevenLabs' ? instruction.voice : null,
                transcriptionProvider,
              }),
            )
            .join(''),
        );
        const action = address.webhook('relay-ended', attemptToken);
        return before + element('Connect', { action }, conversation);
      }
      case 'say':
        return say(instruction.text, instruction.language, instruction.voice) + element('Hangup');
      case 'dial': {
        const { attemptToken, legId } = instruction;
        const leg = { leg: legId };
        const number = element(
          'Number',
          {
            url: instruction.screened ? address.webhook('leg-answered', attemptToken, leg) : undefined,
            statusCallback: address.webhook('leg-status', attemptToken, leg),
            statusCallbackEvent: 'initiated ringing answered completed',
          },
          escaped(instruction.to),
        );
        return element(
          'Dial',
          {
            action: address.webhook('dial-ended', attemptToken, leg),
            // The callee hears it ring until the two are connected, not the question that is asked before.
            answerOnBridge: 'true',
            callerId: instruction.callerId,
            timeout: String(instruction.ringSeconds),
            timeLimit: String(instruction.maximumTalkSeconds),
          },
          number,
        );
      }
      case 'ask': {
        const { attemptToken, legId, text, question, language, round } = instruction;
        const gather = (words: string) =>
          element(
            'Gather',
            {
              action: address.webhook('leg-reply', attemptToken, { leg: legId, round: String(round) }),
              input: 'dtmf speech',
              numDigits: '1',
              timeout: '5',
              speechTimeout: 'auto',
              language,
              hints: instruction.expected.join(', '),
            },
            say(words, language, instruction.voice),
          );
        // Without a reply Twilio goes on with the next verb: once more the question, then the end.
        return gather(`${text} ${question}`.trim()) + gather(question) + element('Hangup');
      }
      // A document that ends without a word connects the two.
      case 'connect':
        return '';
      case 'hang-up':
        return element('Hangup');
    }
  }

  const twiml = (instruction: CallInstruction) =>
    `<?xml version="1.0" encoding="UTF-8"?>${element('Response', {}, verbs(instruction))}`;

  return {
    twiml,
    response: (instruction) => ({
      status: 200,
      headers: { 'content-type': 'text/xml; charset=utf-8' },
      body: twiml(instruction),
    }),
  };
}

/** `<Say>` names voices with their vendor (`Polly.Joanna-Neural`), ConversationRelay without; it has no ElevenLabs. */
function sayVoice(ttsProvider: string, voice: string | null): string | null {
  if (voice === null || /^(Polly|Google)\./.test(voice)) return voice;
  if (ttsProvider === 'Amazon') return `Polly.${voice}`;
  return ttsProvider === 'Google' ? `Google.${voice}` : null;
}

function element(
  name: string,
  attributes: Record<string, string | null | undefined> = {},
  content = '',
): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => (value === null || value === undefined ? '' : ` ${key}="${escaped(value)}"`))
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** Text as XML character data or attribute value; characters that XML 1.0 cannot hold become spaces. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}
