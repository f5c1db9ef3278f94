/** A step of the conversation as the brief words it. */
export interface BriefStep {
  title: string;
  instruction: string;
  /** When the step applies, for one that does not always. */
  condition: string | undefined;
}

/** An agent's instructions, read from their markdown sections. */
export interface Brief {
  agentName: string | undefined;
  onBehalfOf: string | undefined;
  /** The callee is a visitor of a web page, who began the conversation. */
  isForVisitor: boolean;
  /** Two-letter language; English for all that have no phrases. */
  language: string;
  objective: string;
  opening: string | undefined;
  facts: string[];
  steps: BriefStep[];
  voicemailMessage: string | undefined;
}

const SECTION_NAMES: [keyof Sections, RegExp][] = [
  ['objective', /^(?:objective|goal|purpose|task)/i],
  [
    'facts',
    /^(?:facts|known facts|what you know|context|information|details|about the (?:call|callee|contact))/i,
  ],
  ['steps', /^(?:steps|conversation|plan|flow|what to do)/i],
  ['opening', /^(?:opening|greeting|first (?:message|line|sentence))/i],
  ['voicemail', /^voice ?mail/i],
  ['language', /^language/i],
];

interface Sections {
  objective: string[];
  facts: string[];
  steps: string[];
  opening: string[];
  voicemail: string[];
  language: string[];
}

function readSections(text: string): Sections {
  const sections: Sections = {
    objective: [],
    facts: [],
    steps: [],
    opening: [],
    voicemail: [],
    language: [],
  };
  let current: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) {
      if (line.trim() !== '') current?.push(line.trim());
      continue;
    }
    const key = SECTION_NAMES.find(([, pattern]) => pattern.test(heading))?.[0];
    current = key && sections[key];
  }
  return sections;
}

function withoutMarkup(line: string): string {
  return line
    .replace(/^(?:[-*•]|\d+[.)])\s+/, '')
    .replaceAll(/\*\*|__|`/g, '')
    .trim();
}

/** A condition at the start (`If they decline, …`) or at the end in brackets (`… (when: they decline)`). */
function splitCondition(text: string): { condition: string | undefined; rest: string } {
  const trailing = /\s*[([](?:only )?(?:if|when|condition|wenn|si)\b:?\s*([^)\]]+)[)\]]\s*\.?\s*$/iu.exec(
    text,
  );
  if (trailing) return { condition: trailing[1]?.trim(), rest: text.slice(0, trailing.index).trim() };
  const leading = /^(?:only )?(?:if|when|falls|wenn|si)\b:?\s+([^,:]+)[,:]\s*(?:then )?(.+)$/isu.exec(text);
  if (leading) return { condition: leading[1]?.trim(), rest: (leading[2] ?? '').trim() };
  return { condition: undefined, rest: text };
}

function readSteps(lines: string[]): BriefStep[] {
  const items: string[] = [];
  for (const line of lines) {
    if (
      /^(?:\d+[.)]|[-*•])\s+/.test(line) &&
      !(items.length > 0 && /^[-*•]/.test(line) && /^\d/.test(lines[0] ?? ''))
    ) {
      items.push(withoutMarkup(line));
    } else if (items.length > 0) {
      items[items.length - 1] += ` ${withoutMarkup(line)}`;
    }
  }
  return items.map((item) => {
    const titled = /^([^.:?!–—]{2,80}?)\s*(?::|–|—| - )\s*(.+)$/su.exec(item);
    const isCondition = /^(?:if|when|only|falls|wenn|si)\b/iu.test(item);
    const title = titled && !isCondition ? (titled[1] ?? '') : '';
    const own = splitCondition(title === '' ? item : (titled?.[2] ?? item));
    const when = /\s*\b(?:only when|applies when|condition|when):\s*([^.]+)\.?\s*$/iu.exec(own.rest);
    const instruction = when ? own.rest.slice(0, when.index).trim() : own.rest;
    return { title: title.trim(), instruction, condition: own.condition ?? when?.[1]?.trim() };
  });
}

const LANGUAGE_NAMES: Record<string, string> = {
  english: 'en',
  spanish: 'es',
  español: 'es',
  german: 'de',
  deutsch: 'de',
  french: 'fr',
  français: 'fr',
};

function readLanguage(text: string, section: string[]): string {
  const stated =
    section[0] ??
    /\b(?:language|locale|speak|reply|answer|talk)(?: only| in)*\s*[:=]?\s*\**\s*`?([\p{L}-]+)/iu.exec(
      text,
    )?.[1] ??
    '';
  const word = withoutMarkup(stated).toLowerCase();
  const tag = /\b(en|es|de|fr)(?:-[a-z]{2,4})?\b/i.exec(word)?.[1];
  const name = Object.keys(LANGUAGE_NAMES).find((candidate) => word.includes(candidate));
  return (name && LANGUAGE_NAMES[name]) ?? tag ?? 'en';
}

/** Reads a brief, or returns undefined when the instructions hold neither an objective nor steps. */
export function readBrief(instructions: string): Brief | undefined {
  const sections = readSections(instructions);
  if (sections.objective.length === 0 && sections.steps.length === 0) return undefined;
  const agentName =
    /\b(?:your name is|agent name:|you are called)\s*\**\s*([\p{Lu}][\p{L}'-]*)/iu.exec(instructions)?.[1] ??
    /\bYou are (\p{Lu}[\p{L}'-]+)(?=[,.\s])/u.exec(instructions)?.[1];
  const onBehalfOf = /\b(?:on behalf of|calling for|works? for)\s+\**([^\s.,;:*()][^.,;:\n*()]*)/u.exec(
    instructions,
  )?.[1];
  return {
    agentName,
    onBehalfOf: onBehalfOf?.trim(),
    isForVisitor: /\bvisitors? (?:of|to|on) (?:a|the|our) (?:web ?)?(?:page|site)\b/i.test(instructions),
    language: readLanguage(instructions, sections.language),
    objective: sections.objective.map(withoutMarkup).join(' '),
    opening: sections.opening.map(withoutMarkup).join(' ') || undefined,
    facts: sections.facts.map(withoutMarkup).filter((fact) => !/^(?:none|no facts)\b/i.test(fact)),
    steps: readSteps(sections.steps),
    voicemailMessage: sections.voicemail.map(withoutMarkup).join(' ') || undefined,
  };
}
