import { calleeIntent } from './callee-intent.ts';
import { findEntities } from './entities.ts';
import type { Blank } from './fill-schema.ts';
import { entityValue } from './known-entities.ts';
import { OUTCOME_SENTENCES, type Outcome, outcomeValue } from './outcome.ts';
import { sentences, shorten, withoutFinalStop } from './wording.ts';

interface TranscriptLine {
  speaker: 'agent' | 'callee';
  text: string;
}

export interface CallSummary {
  summary: string;
  outcome: Outcome;
  /** Everything the callee said. */
  said: string;
}

const SPEAKER_LINE =
  /^\s*(?:[-*]\s*)?(?:[[(]?[\d:.\s]+(?:s|ms)?[\])]?\s*)?\**(assistant|agent|ai|bot|user|callee|caller|customer|human|contact|recipient)\**\s*(?:[[(][^\])]*[\])]\s*)?:\**\s*(.*)$/iu;

/** Reads the `assistant: …` and `user: …` lines of a text; a line without a speaker goes on with the one before. */
export function readTranscript(text: string): TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = SPEAKER_LINE.exec(line);
    if (match) {
      const speaker = /assistant|agent|ai|bot/i.test(match[1] ?? '') ? 'agent' : 'callee';
      lines.push({ speaker, text: (match[2] ?? '').trim() });
      continue;
    }
    const last = lines.at(-1);
    const continues = line.trim() !== '' && !/^\s*[<#`]/.test(line);
    if (last && continues) last.text += ` ${line.trim()}`;
  }
  return lines;
}

/** Outcomes that settle a call whatever else was said, and those that the last decisive reply settles. */
function outcomeOf(lines: TranscriptLine[]): Outcome {
  const replies = lines.filter((line) => line.speaker === 'callee').map((line) => line.text);
  const intents = replies.map(calleeIntent);
  if (intents.includes('opt_out')) return 'opted_out';
  if (intents.includes('voicemail')) return 'voicemail';
  if (intents.includes('wrong_number')) return 'wrong_number';
  if (intents.every((intent) => intent === 'silence')) return 'silence';

  let outcome: Outcome | undefined;
  let question = '';
  for (const { speaker, text } of lines) {
    if (speaker === 'agent') {
      question = sentences(text).findLast((sentence) => sentence.endsWith('?')) ?? '';
      continue;
    }
    const intent = calleeIntent(text);
    if (intent === 'reschedule') outcome = 'rescheduled';
    else if (intent === 'decline' || (intent === 'negative' && question !== '')) outcome = 'declined';
    else if (intent === 'not_now') outcome = 'callback';
    else if (intent === 'human_request') outcome ??= 'transferred';
    else if (intent === 'positive' && question !== '') outcome ??= 'confirmed';
    else if (
      outcome === 'declined' &&
      findEntities(text).some(({ kind }) => kind === 'date' || kind === 'time')
    ) {
      outcome = 'rescheduled';
    } else if (intent === 'statement' && question !== '') outcome ??= 'completed';
  }
  return outcome ?? 'incomplete';
}

const DECISIVE: Partial<Record<Outcome, ReadonlySet<ReturnType<typeof calleeIntent>>>> = {
  confirmed: new Set(['positive']),
  declined: new Set(['decline', 'negative']),
  rescheduled: new Set(['reschedule', 'negative']),
  callback: new Set(['not_now']),
  opted_out: new Set(['opt_out']),
  wrong_number: new Set(['wrong_number']),
  transferred: new Set(['human_request']),
  completed: new Set(['statement']),
};

/** The question the callee answered when the outcome was settled, and the answer. */
function decisiveExchange(
  lines: TranscriptLine[],
  outcome: Outcome,
): { question: string; reply: string } | undefined {
  const intents = DECISIVE[outcome];
  if (outcome === 'rescheduled') {
    const proposal = lines.find(
      ({ speaker, text }) =>
        speaker === 'callee' && findEntities(text).some(({ kind }) => kind === 'date' || kind === 'time'),
    );
    if (proposal) return { question: '', reply: proposal.text };
  }
  let question = '';
  for (const { speaker, text } of lines) {
    if (speaker === 'agent') question = sentences(text).findLast((sentence) => sentence.endsWith('?')) ?? '';
    else if (intents?.has(calleeIntent(text))) return { question, reply: text };
  }
  return undefined;
}

/** Sums a call up in one to three sentences that only repeat what the transcript holds. */
export function summarizeCall(lines: TranscriptLine[]): CallSummary {
  const outcome = outcomeOf(lines);
  const replies = lines.filter((line) => line.speaker === 'callee' && calleeIntent(line.text) !== 'silence');
  const said = replies.map((line) => line.text).join('\n');
  const parts: string[] = [];
  const exchange = decisiveExchange(lines, outcome);
  const base = withoutFinalStop(OUTCOME_SENTENCES[outcome]);
  if (outcome === 'completed' && exchange) {
    parts.push(
      `Asked "${exchange.question}", the callee answered "${shorten(withoutFinalStop(exchange.reply), 120)}".`,
    );
  } else if (exchange?.question && (outcome === 'confirmed' || outcome === 'declined')) {
    parts.push(`${base} when asked "${exchange.question}".`);
  } else if (exchange) {
    parts.push(`${base}: "${shorten(withoutFinalStop(exchange.reply), 120)}".`);
  } else parts.push(`${base}.`);

  const values = findEntities(said.replaceAll('\n', '. '))
    .filter((entity) => entity.kind !== 'name')
    .map((entity) => withoutFinalStop(entity.text));
  const mentioned = [...new Set(values)].filter((value) => !parts[0]?.includes(value)).slice(0, 4);
  if (mentioned.length > 0) parts.push(`They mentioned ${mentioned.join(', ')}.`);
  const question = replies.find((line) => calleeIntent(line.text) === 'question');
  if (question && question.text !== exchange?.reply)
    parts.push(`They asked "${shorten(question.text, 120)}".`);
  return { summary: parts.join(' '), outcome, said };
}

/** What a summary says about a blank of its schema. */
export function summaryValue(summary: CallSummary, blank: Blank): unknown {
  if (/summary|synopsis|recap|description|overview/.test(blank.name)) return summary.summary;
  return outcomeValue(summary.outcome, blank) ?? entityValue(blank, summary.said);
}
