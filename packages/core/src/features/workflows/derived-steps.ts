import type { WorkflowDefinition } from '@callkite/contract';

type Step = WorkflowDefinition['steps'][number];

const longestTitle = 60;
/** Where one sentence asks for two things: "confirm the visit and ask whether …". */
const nextTask =
  /(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?)(?=(?:ask|confirm|tell|remind|find out|offer|invite|book|schedule|check|collect|explain|request|verify|let (?:them|him|her) know|make sure|agree)\b)/i;

function titleOf(instruction: string): string {
  const words = instruction.replace(/[.!?]+$/, '');
  if (words.length <= longestTitle) return words;
  return `${words.slice(0, longestTitle).replace(/\s+\S*$/, '')} …`;
}

/**
 * What the agent does, one thing after the other: the steps of the workflow, or, where it has none, what its objective
 * asks for, sentence by sentence.
 */
export function stepsOf({
  steps,
  objective,
}: Pick<WorkflowDefinition, 'steps' | 'objective'>): readonly Step[] {
  if (steps.length > 0) return steps;
  return objective
    .split(/(?<=[.!?])\s+|\n+/u)
    .flatMap((sentence) => sentence.split(nextTask))
    .map((part) => part.replace(/^[\s#*-]+/, '').trim())
    .filter((part) => part !== '')
    .slice(0, 12)
    .map((part) => {
      const instruction = /[.!?]$/.test(part) ? part : `${part}.`;
      return {
        title: titleOf(instruction),
        instruction: instruction.charAt(0).toUpperCase() + instruction.slice(1),
      };
    });
}
