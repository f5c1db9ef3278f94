import { lowerFirst, sentences, withoutFinalStop, words } from './wording.ts';

const LANGUAGES: [RegExp, string][] = [
  [/\b(?:in|auf|en) (?:spanish|español)\b|\bspanish-speaking\b/iu, 'es-ES'],
  [/\b(?:in|auf|en) (?:german|deutsch|allemand)\b|\bgerman-speaking\b/iu, 'de-DE'],
  [/\b(?:in|auf|en) (?:french|français|französisch)\b|\bfrench-speaking\b/iu, 'fr-FR'],
  [/(?:^|\s)(?:llam[ae]|pregunta|confirma|recuérdale|la cita|mañana)(?:\s|$)/iu, 'es-ES'],
  [/(?:^|\s)(?:rufe?n?|frag[et]?n?|bestätige|termin|bitte)(?:\s|$)/iu, 'de-DE'],
  [/(?:^|\s)(?:appele[rz]?|demande[rz]?|confirme[rz]|rendez-vous)(?:\s|$)/iu, 'fr-FR'],
];

/** The language the call is to be held in, as a BCP-47 tag. */
export function languageOf(task: string): string {
  return LANGUAGES.find(([pattern]) => pattern.test(task))?.[1] ?? 'en-US';
}

/** The task without labels, tags and quotes that a prompt may have put around it. */
export function bareTask(input: string): string {
  return input
    .replaceAll(/<\/?[a-z_-]+>|```\w*/gi, ' ')
    .replaceAll(/^#{1,6} .*$/gm, ' ')
    .replace(/^\s*(?:the )?(?:task|request|prompt|description)(?: description)?\s*:\s*/i, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^["“](.*)["”]$/u, '$1');
}

const NAME = "(?:(?:Mr|Mrs|Ms|Dr|Prof)\\.? )?\\p{Lu}[\\p{L}'’-]*(?: \\p{Lu}[\\p{L}'’-]*)*";

const CALL_PREFIXES = [
  /^(?:please |kindly |can you |could you |i (?:want|need|would like|'d like) (?:you )?to )*(?:call|phone|ring|dial|contact|reach out to)\s+(.+?)(?:\s+(?:at|on) \+?\d[\d\s().-]{6,}\d)?(?:,? (?:and then |and )|,? (?:in order )?(?=to )|,? (?=about |regarding |for |because |that )|[,:] |[.!]\s*$)/iu,
  /^(?:por favor,? )?(?:llam[ae]r?|telefone[ae]r?) a (.+?) (?:para|y) /iu,
  /^(?:bitte )?(?:rufe?n?(?: sie)?) (.+?) an(?:,? um|,? und) /iu,
  /^(?:appele[rz]?|téléphone[rz]? à) (.+?) (?:pour|et) /iu,
];

const ON_BEHALF_OF =
  / (?:on behalf of|from the team at) ((?:the )?\p{Lu}[\p{L}&'’-]*(?: (?:of |& |and )?\p{Lu}[\p{L}&'’-]*)*)/u;

/** A task sentence, taken apart. */
export interface CallTask {
  /** The main action as an imperative, such as `confirm the appointment on Tuesday`. */
  action: string;
  callee: string | undefined;
  /** For whom the call is made. */
  onBehalfOf: string | undefined;
  /** The sentences that follow the main one. */
  rest: string[];
}

/** What the client says of itself, said by the agent about the client. */
function forClient(text: string): string {
  return text.replaceAll(/\b(?:my|our)\b/gi, 'the').replaceAll(/\bfor me\b/gi, 'for my client');
}

export function readTask(task: string): CallTask {
  const behalf = ON_BEHALF_OF.exec(task);
  const [first = task, ...rest] = sentences(forClient(task.replace(ON_BEHALF_OF, '')));
  const closed = `${withoutFinalStop(first)}.`;
  const call = CALL_PREFIXES.map((pattern) => pattern.exec(closed)).find((match) => match !== null);
  const remainder = call ? first.slice(call[0].length) : first.replace(/^(?:please|kindly)\s+/iu, '');
  const action = withoutFinalStop(remainder)
    .replace(/^to /iu, '')
    .replace(/^(?:about|regarding) /iu, 'talk about ')
    .replace(/^that /iu, 'let them know that ');
  const imperative = lowerFirst(
    withoutFinalStop(action === '' ? (rest.shift() ?? 'find out what they need') : action),
  );
  return {
    action: words(imperative).length > 1 ? imperative : `talk about ${imperative || 'the matter'}`,
    callee: call?.[1] === undefined ? calleeOf(imperative) : withoutFinalStop(call[1]),
    onBehalfOf: behalf?.[1],
    rest,
  };
}

/** Whom an action is aimed at: `remind Maria that …`, `ask the restaurant if …`, `… with Jordan`. */
function calleeOf(action: string): string | undefined {
  const aimed = new RegExp(
    `^(?:ask|remind|tell|inform|notify|invite|thank|let|wish|congratulate)\\s+(${NAME}|the \\p{Ll}+(?= (?:if|whether|for|to|about|that|what|when|how)\\b))`,
    'u',
  );
  return aimed.exec(action)?.[1] ?? new RegExp(`\\bwith (${NAME})`, 'u').exec(action)?.[1];
}
