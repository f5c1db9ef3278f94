import type { JsonSchema } from '../json-schema.ts';
import { readTranscript, summarizeCall, summaryValue } from './call-summary.ts';
import type { ModelRequest } from './dialogue.ts';
import { type Blank, fillSchema, type Knowledge } from './fill-schema.ts';
import { entityValue } from './known-entities.ts';
import { planValue } from './plan-fields.ts';
import { sentences, shorten } from './wording.ts';
import { planWorkflow } from './workflow-plan.ts';

function inputOf(request: ModelRequest): string {
  return request.turns
    .filter((turn) => turn.role === 'user')
    .map((turn) => turn.text)
    .join('\n');
}

/** Plain answers for a schema that is neither a workflow nor a call summary. */
function generalValue(input: string, blank: Blank): unknown {
  const value = entityValue(blank, input);
  if (value !== undefined) return value;
  if (/summary|answer|text|message|content|description|reply|response/.test(blank.name))
    return sentences(input)[0];
  return /title|subject|headline/.test(blank.name) ? shorten(sentences(input)[0] ?? '', 60) : undefined;
}

function knowledgeFor(schema: JsonSchema, input: string, instructions: string): Knowledge {
  const names = Object.keys(schema.properties ?? {}).join(' ');
  const lines = readTranscript(input);
  const isSummary =
    lines.length > 0 || (/summar|outcome/i.test(names) && /transcript/i.test(`${instructions} ${input}`));
  if (isSummary) {
    const summary = summarizeCall(lines);
    return (blank) => summaryValue(summary, blank);
  }
  if (/steps|objective|opening|voicemail/i.test(names)) {
    const plan = planWorkflow(input, /\bon behalf of ([^.\n]+)/i.exec(instructions)?.[1]?.trim());
    return (blank) => planValue(plan, blank) ?? entityValue(blank, input);
  }
  return (blank) => generalValue(input, blank);
}

/** The JSON text that answers a request for structured output. */
export function structuredOutput(request: ModelRequest, schema: JsonSchema): string {
  return JSON.stringify(fillSchema(schema, knowledgeFor(schema, inputOf(request), request.instructions)));
}
