import type { InterruptibleBy } from '../line/agent-voice.ts';
import type { TwimlElement } from '../twiml/document.ts';
import { TwimlError } from '../twiml/verb.ts';

/** What the attributes and children of `<ConversationRelay>` ask for, defaults filled in. */
export interface RelaySettings {
  url: string;
  welcomeGreeting: string;
  welcomeGreetingInterruptibleBy: InterruptibleBy;
  interruptibleBy: InterruptibleBy;
  reportInputDuringAgentSpeech: InterruptibleBy;
  preemptible: boolean;
  dtmfDetection: boolean;
  partialPrompts: boolean;
  /** A short sign of listening neither cuts the agent off nor is reported. */
  ignoreBackchannel: boolean;
  ttsLanguage: string;
  transcriptionLanguage: string;
  reports: ReadonlySet<string>;
  customParameters: Record<string, string>;
  /** Why the speech provider refuses the voice; undefined when it does not. */
  voiceFault: string | undefined;
}

const interruptions: readonly string[] = ['none', 'dtmf', 'speech', 'any'];
const transcriptionProviders: readonly string[] = ['google', 'deepgram'];

const multilingualModels: readonly string[] = ['nova-3-general', 'nova-2-general'];

// What voices of a provider look like: enough to notice a voice given to the wrong provider.
const voicePatterns: Readonly<Record<string, RegExp>> = {
  elevenlabs: /^[A-Za-z0-9]{20}(-.+)?$/,
  google: /^[a-z]{2,3}-[A-Z]{2}-.+$/,
  amazon: /^[A-Z][a-z]+(-[A-Za-z-]+)?$/,
};

/** Reads `<ConversationRelay>`. @throws TwimlError when an attribute has a value that does not exist */
export function relaySettings(noun: TwimlElement): RelaySettings {
  const { attributes } = noun;
  const url = attributes.url;
  if (!url) throw new TwimlError(12100, '<ConversationRelay> needs the attribute url');
  const language = attributes.language ?? 'en-US';
  return {
    url,
    welcomeGreeting: attributes.welcomeGreeting ?? '',
    welcomeGreetingInterruptibleBy: interruptible(attributes, 'welcomeGreetingInterruptible', 'any'),
    interruptibleBy: interruptible(attributes, 'interruptible', 'any'),
    reportInputDuringAgentSpeech: interruptible(attributes, 'reportInputDuringAgentSpeech', 'none'),
    preemptible: flag(attributes, 'preemptible'),
    dtmfDetection: flag(attributes, 'dtmfDetection'),
    partialPrompts: flag(attributes, 'partialPrompts'),
    ignoreBackchannel: flag(attributes, 'ignoreBackchannel'),
    ttsLanguage: attributes.ttsLanguage ?? language,
    transcriptionLanguage: attributes.transcriptionLanguage ?? language,
    reports: new Set(`${attributes.debug ?? ''} ${attributes.events ?? ''}`.split(/\s+/)),
    customParameters: customParameters(noun),
    voiceFault: voiceFault(attributes) ?? transcriptionFault(attributes),
  };
}

function interruptible(
  attributes: TwimlElement['attributes'],
  name: string,
  fallback: InterruptibleBy,
): InterruptibleBy {
  const value = attributes[name] ?? fallback;
  if (value === 'true') return 'any';
  if (value === 'false') return 'none';
  if (!interruptions.includes(value)) throw new TwimlError(12100, `${name} cannot be '${value}'`);
  return value as InterruptibleBy;
}

function flag(attributes: TwimlElement['attributes'], name: string): boolean {
  const value = attributes[name] ?? 'false';
  if (value !== 'true' && value !== 'false') throw new TwimlError(12100, `${name} cannot be '${value}'`);
  return value === 'true';
}

function customParameters(noun: TwimlElement): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const child of noun.children) {
    if (child.name === 'Parameter') parameters[child.attributes.name ?? ''] = child.attributes.value ?? '';
    else if (child.name === 'Language') requireLanguageCode(child);
    else throw new TwimlError(12100, `<ConversationRelay><${child.name}> does not exist`);
  }
  return parameters;
}

function requireLanguageCode(element: TwimlElement): void {
  if (!element.attributes.code) throw new TwimlError(12100, '<Language> needs the attribute code');
}

function voiceFault(attributes: TwimlElement['attributes']): string | undefined {
  const provider = attributes.ttsProvider ?? 'ElevenLabs';
  const pattern = voicePatterns[provider.toLowerCase()];
  if (!pattern) return `unknown ttsProvider '${provider}'`;
  const { voice } = attributes;
  return voice === undefined || pattern.test(voice) ? undefined : `${provider} has no voice '${voice}'`;
}

function transcriptionFault(attributes: TwimlElement['attributes']): string | undefined {
  const provider = attributes.transcriptionProvider ?? 'Deepgram';
  if (!transcriptionProviders.includes(provider.toLowerCase())) {
    return `unknown transcriptionProvider '${provider}'`;
  }
  if (attributes.transcriptionLanguage !== 'multi') return undefined;
  const speaks = (attributes.ttsProvider ?? 'ElevenLabs').toLowerCase() === 'elevenlabs';
  const hears = multilingualModels.includes(attributes.speechModel ?? 'nova-3-general');
  if (speaks && hears && provider.toLowerCase() === 'deepgram') return undefined;
  return "the language 'multi' needs ElevenLabs and a general model of Deepgram";
}
