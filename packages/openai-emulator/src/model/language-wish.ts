import type { ModelAnswer, ModelRequest, ToolDefinition } from './dialogue.ts';

/** How a callee names a language, or speaks it, by two-letter language. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  en: /\b(?:english|inglés|englisch|anglais|the|please|yes|would)\b/giu,
  es: /(?<!\p{L})(?:spanish|español|spanisch|espagnol|sí|por favor|puede|usted|hablo|habla|no entiendo|gracias)(?!\p{L})/giu,
  de: /(?<!\p{L})(?:german|deutsch|alemán|allemand|bitte|können|sprechen|ich|nicht|verstehe)(?!\p{L})/giu,
  fr: /(?<!\p{L})(?:french|français|francés|französisch|s'il vous plaît|vous|parlez|je ne|merci|oui)(?!\p{L})/giu,
};
const ASKS = /\b(?:speak|talk|in|habla\w*|sprechen|parlez|auf|en)\b/iu;

function optionsOf(tool: ToolDefinition): { key: string; tags: string[] } | undefined {
  for (const [key, property] of Object.entries(tool.parameters.properties ?? {})) {
    const tags = property.enum?.filter((option) => typeof option === 'string');
    if (tags && tags.length > 0) return { key, tags };
  }
  return undefined;
}

const languageOf = (tag: string) => tag.slice(0, 2).toLowerCase();

/** The call that changes the language, when the callee asks for another one on offer, or speaks it. */
export function switchLanguage(
  tool: ToolDefinition,
  heard: string,
  current: string,
): ModelAnswer | undefined {
  const options = optionsOf(tool);
  if (!options) return undefined;
  const signs = (tag: string) => heard.match(SIGNS[languageOf(tag)] ?? /$^/)?.length ?? 0;
  const [best] = options.tags.toSorted((left, right) => signs(right) - signs(left));
  if (best === undefined || languageOf(best) === current) return undefined;
  const isAsked = ASKS.test(heard) && signs(best) > 0;
  if (!isAsked && signs(best) < 2) return undefined;
  return { text: null, toolCalls: [{ name: tool.name, arguments: { [options.key]: best } }] };
}

/** The language that was changed to last, as its tool reported. */
export function languageChosen({ turns }: ModelRequest): string | undefined {
  const reports = turns.flatMap((turn) => (turn.role === 'tool' ? turn.text : []));
  const tag = reports.flatMap((text) => /^You speak ([A-Za-z-]+) from now on/.exec(text)?.[1] ?? []).at(-1);
  return tag && languageOf(tag);
}
