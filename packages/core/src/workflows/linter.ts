import type { WorkflowDefinition } from '@callkite/contract';

/** Something wrong with a workflow. `path` is the field, with dots, such as `definition.steps.1.title`. */
export interface WorkflowIssue {
  readonly path: string;
  readonly message: string;
}

const maximumBytes = 65_536;
const maximumDepth = 32;
const maximumKeys = 200;

function depthAndKeys(value: unknown): { depth: number; keys: number } {
  let depth = 0;
  let keys = 0;
  const open: { value: unknown; level: number }[] = [{ value, level: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    depth = Math.max(depth, next.level);
    if (typeof next.value !== 'object' || next.value === null) continue;
    const inner = Object.values(next.value);
    keys += inner.length;
    if (depth > maximumDepth || keys > maximumKeys) break;
    for (const each of inner) open.push({ value: each, level: next.level + 1 });
  }
  return { depth, keys };
}

function languageIsKnown(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function repeated(values: readonly string[]): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const key = value.toLowerCase();
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}

/**
 * What the schema cannot see: limits on the whole, and parts that contradict each other.
 * @returns nothing when the definition is sound
 */
export function lintWorkflow(definition: WorkflowDefinition): WorkflowIssue[] {
  const issues: WorkflowIssue[] = [];
  const { depth, keys } = depthAndKeys(definition.metadata);
  if (depth > maximumDepth || keys > maximumKeys) {
    issues.push({
      path: 'definition.metadata',
      message: `use at most ${maximumKeys} keys and ${maximumDepth} levels`,
    });
  } else if (Buffer.byteLength(JSON.stringify(definition)) > maximumBytes) {
    issues.push({ path: 'definition', message: `shorten it to at most ${maximumBytes} bytes of JSON` });
  }
  if (!languageIsKnown(definition.language)) {
    issues.push({ path: 'definition.language', message: 'use a well-formed language tag such as en-US' });
  }
  for (const index of repeated(definition.steps.map(({ title }) => title))) {
    issues.push({
      path: `definition.steps.${index}.title`,
      message: 'give every step a title of its own: an earlier step has this one',
    });
  }
  const lists = {
    forms: definition.forms,
    tools: definition.tools,
    'abilities.transfer': definition.abilities.transfer,
  };
  for (const [name, ids] of Object.entries(lists)) {
    for (const index of repeated(ids)) {
      issues.push({
        path: `definition.${name}.${index}`,
        message: 'name it once: an earlier entry is the same',
      });
    }
  }
  const { silenceSeconds, maximumDurationSeconds } = definition.endRules;
  if (silenceSeconds >= maximumDurationSeconds) {
    issues.push({
      path: 'definition.endRules.silenceSeconds',
      message: 'make it shorter than maximumDurationSeconds',
    });
  }
  return issues;
}
