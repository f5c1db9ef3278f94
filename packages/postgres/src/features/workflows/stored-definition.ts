import type { WorkflowDefinition } from '@callkite/contract';

/** Fields that came later, as what an earlier version stored without them means. */
const laterFields = { languages: [] } satisfies Partial<WorkflowDefinition>;

/** A definition as this version knows it: an earlier one may have stored it, and may still do so beside this one. */
export function currentDefinition(stored: WorkflowDefinition): WorkflowDefinition {
  return { ...laterFields, ...stored };
}
