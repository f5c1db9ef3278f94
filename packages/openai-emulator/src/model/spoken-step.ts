import type { Brief, BriefStep } from './brief.ts';
import { readTask } from './call-task.ts';
import type { Phrases } from './phrases.ts';
import { lowerFirst, overlap, sentences, toSecondPerson, withoutFinalStop, words } from './wording.ts';

/** Longest turn, in words. */
export const MAX_SPOKEN_WORDS = 29;
const MAX_STEP_WORDS = 26;

export type StepKind = 'greeting' | 'closing' | 'task';

const GREETING =
  /^(?:greet|introduce|say (?:hello|hi|who)|open(?:ing)?\b|start by (?:greeting|introducing)|salud|begrüß|stellen sie sich|salue|présente)/iu;
const CLOSING =
  /^(?:wrap(?:ping)?[ -]up|thank|say (?:good)?bye|clos(?:e|ing)|end\b|finish|conclude|recap|summari[sz]e|goodbye|hang up|desp[íi]d|agrade|verabschied|bedanken|danken|remerci|conclu)/iu;
const MANNER =
  /^(?:(?:please|politely|kindly|briefly|clearly|then|next|first|finally|also|and|now|always)[, ]+)+/iu;

export function stepKind(step: BriefStep): StepKind {
  const instruction = step.instruction.replace(MANNER, '');
  if (CLOSING.test(instruction) || CLOSING.test(step.title)) return 'closing';
  if (GREETING.test(instruction)) return 'greeting';
  return 'task';
}

/** The callee's name, when a fact gives it. */
function calleeName(brief: Brief): string | undefined {
  for (const fact of brief.facts) {
    const name =
      /^(?:you are calling|recipient|callee|contact|customer|client|patient|guest|name|full name|first name|recipient name|person)\s*(?:name)?\s*[:=]\s*(.+)$/iu.exec(
        fact,
      )?.[1];
    if (name) return withoutFinalStop(name);
  }
  return undefined;
}

/** Keeps a line short enough to be said in one breath, and a question a question. */
function shortened(line: string): string {
  if (words(line).length <= MAX_STEP_WORDS) return line;
  const mark = /[?.]$/.exec(line)?.[0] ?? '.';
  const clauses = line.split(/(?<=[,;:])\s+|\s+(?=(?:and|or|but)\b)/u);
  let kept = '';
  for (const clause of clauses) {
    const longer = kept === '' ? clause : `${kept} ${clause}`;
    if (words(longer).length > MAX_STEP_WORDS) break;
    kept = longer;
  }
  if (kept === '') kept = line.split(/\s+/).slice(0, MAX_STEP_WORDS).join(' ');
  return `${withoutFinalStop(kept)}${mark}`;
}

/** What the agent says to carry a step out: one short sentence, mostly a question. */
export function spokenStep(step: BriefStep, brief: Brief, phrases: Phrases): string {
  const quoted = /["“«„]([^"”»“]{8,})["”»“]/u.exec(step.instruction)?.[1];
  if (quoted) return shortened(quoted.trim());
  const sentence = sentences(step.instruction.replace(MANNER, ''))[0] ?? step.title;
  if (sentence.endsWith('?')) return shortened(sentence);
  const isWholeTask = /^(?:call|phone|ring|llama|rufe|appele)\p{L}*\s/iu.test(sentence);
  const imperative = isWholeTask ? readTask(sentence).action : lowerFirst(withoutFinalStop(sentence));
  const name = calleeName(brief);
  for (const rule of phrases.speech) {
    const rest = rule.pattern.exec(imperative)?.[1];
    if (rest !== undefined) return shortened(rule.say(toSecondPerson(rest, name)));
  }
  return shortened(phrases.propose(toSecondPerson(imperative, name)));
}

/** Whether an earlier message of the agent, perhaps cut short by the callee, said this line. */
export function wasSaid(line: string, earlier: string[]): boolean {
  const lineSentences = sentences(line);
  const key = lineSentences.toSorted((left, right) => right.length - left.length)[0] ?? line;
  const mark = key.at(-1);
  const keyWords = words(key).join(' ');
  return earlier.some((text) =>
    sentences(text).some((sentence) => {
      if (sentence.at(-1) === mark) return overlap(key, sentence) >= 0.75;
      const said = words(sentence);
      return said.length >= 4 && !/[.?!]$/.test(sentence) && keyWords.startsWith(said.join(' '));
    }),
  );
}
