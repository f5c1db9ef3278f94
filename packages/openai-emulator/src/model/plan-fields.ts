import type { Blank } from './fill-schema.ts';
import type { PlanStep } from './plan-wording.ts';
import { lowerFirst } from './wording.ts';
import type { WorkflowPlan } from './workflow-plan.ts';

function stepValue(step: PlanStep, name: string): unknown {
  if (/title|name|label|heading/.test(name)) return step.title;
  if (/when|condition|only_if|applies/.test(name)) return step.when ?? undefined;
  if (/^(?:id|key|slug)$/.test(name)) return step.title.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, '_');
  return /instruction|description|prompt|text|goal|action|content|detail|say|task/.test(name)
    ? step.instruction
    : undefined;
}

/** What a plan says about a blank of a workflow schema. */
export function planValue(plan: WorkflowPlan, { name, parent, index, schema, description }: Blank): unknown {
  if (/steps?$|stages|actions|agenda/.test(parent) && index !== undefined) {
    const step = plan.steps[index];
    return step && stepValue(step, name);
  }
  if (/steps?$|stages|agenda/.test(name)) {
    const step = index === undefined ? undefined : plan.steps[index];
    if (index === undefined) return schemaWantsTexts(schema) ? plan.steps.map(stepText) : plan.steps;
    return step && stepText(step);
  }
  if (/facts?$|context|details|known/.test(name)) return index === undefined ? plan.facts : plan.facts[index];
  if (/language|locale/.test(name))
    return (
      schema.enum?.find((option) => option === plan.language || option === plan.language.slice(0, 2)) ??
      plan.language
    );
  if (/behalf|caller|organi[sz]ation|company/.test(name)) return plan.onBehalfOf;
  if (/agent.*name|assistant.*name/.test(name) || (name === 'name' && /agent|assistant/.test(parent)))
    return plan.agentName;
  if (/(?:recipient|callee|contact|customer|person).*name|^(?:recipient|callee)$/.test(name))
    return plan.calleeName;
  if (/voice_?mail/.test(name) || (name === 'message' && /voice_?mail/.test(parent)))
    return plan.voicemailMessage;
  if (/opening|greeting|introduction|first_(?:message|line|sentence)/.test(name))
    return /introduc|disclos/i.test(description) ? plan.purpose : plan.opening;
  if (/objective|goal|purpose|summary|description/.test(name)) return plan.objective;
  return /^(?:name|title|workflow_name|workflow_title|label)$/.test(name) ? plan.title : undefined;
}

function stepText({ instruction, when }: PlanStep): string {
  return when === null ? instruction : `If ${when}: ${lowerFirst(instruction)}`;
}

function schemaWantsTexts(schema: Blank['schema']): boolean {
  return schema.items?.type === 'string';
}
