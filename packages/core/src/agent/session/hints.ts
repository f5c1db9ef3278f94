import type { WorkflowDefinition } from '@callkite/contract';
import type { CallRecord } from '../../calls/call-store.ts';

const maximumHints = 60;
const longestHint = 60;

/** Words that begin a sentence are capitalized for no other reason. */
const properNames =
  /(?<=[\p{L}\p{N},;:]\s)\p{Lu}[\p{L}\p{N}'’&-]*(?:\s+(?:\p{Lu}|\p{N})[\p{L}\p{N}'’&-]*)*/gu;
const addresses = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const streets =
  /\b\p{N}+\s+\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*|\p{Lu}[\p{L}'’-]*(?:stra(?:ß|ss)e|straat|weg|platz|gasse)\s*\p{N}*/gu;

const namesIn = (text: string) =>
  [addresses, streets, properNames].flatMap((pattern) => [...text.matchAll(pattern)].map(([name]) => name));

/**
 * Words of this call that a recognizer would not expect: names, e-mail addresses, streets, products. The most telling
 * first, at most 60, none with a comma.
 */
export function recognitionHints(
  definition: WorkflowDefinition,
  organizationName: string | null,
  call: Pick<CallRecord, 'recipientName' | 'recipientEmail' | 'recipientContext'>,
): readonly string[] {
  const { agent, objective, facts, steps, opening, purpose } = definition;
  const texts = [
    call.recipientContext ?? '',
    objective,
    opening ?? '',
    purpose ?? '',
    ...facts,
    ...steps.map(({ instruction }) => instruction),
  ];
  const hints = [
    call.recipientName ?? '',
    call.recipientEmail ?? '',
    agent.onBehalfOf ?? organizationName ?? '',
    agent.name ?? '',
    ...texts.flatMap(namesIn),
  ]
    .map((hint) =>
      hint
        .replace(/[,;\s]+/gu, ' ')
        .replace(/[.!?]+$/, '')
        .trim(),
    )
    .filter((hint) => hint !== '' && hint.length <= longestHint);
  const unique = new Map(hints.map((hint) => [hint.toLowerCase(), hint]));
  return [...unique.values()].slice(0, maximumHints);
}
