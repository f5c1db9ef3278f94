import * as z from 'zod';
import { displayName, timestamp } from './fields.ts';
import { workflowDefinition } from './workflow-definition.ts';

/** Answer of `GET /workflows`: every workflow that is not deleted. */
export const workflowSummaries = z.object({
  workflows: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type WorkflowSummaries = z.infer<typeof workflowSummaries>;

export const createWorkflowRequest = z.strictObject({ name: displayName, definition: workflowDefinition });
export type CreateWorkflowRequest = z.input<typeof createWorkflowRequest>;

export const updateWorkflowRequest = z
  .strictObject({
    name: displayName.optional(),
    definition: workflowDefinition.optional(),
    expected_version: z
      .int()
      .min(1)
      .optional()
      .describe('Refuse with 409 when the workflow has been changed since this version'),
  })
  .refine(
    ({ name, definition }) => name !== undefined || definition !== undefined,
    'give a name or a definition',
  );
export type UpdateWorkflowRequest = z.input<typeof updateWorkflowRequest>;

export const workflowVersionQuery = z.strictObject({
  version: z.coerce
    .number<number>()
    .int()
    .min(1)
    .optional()
    .describe('An earlier version; the current one when absent'),
});

export const workflowResource = z.object({
  id: z.string(),
  name: z.string(),
  source: z.enum(['api', 'prompt']).describe('`prompt`: generated for one prompt call'),
  version: z.int(),
  definition: workflowDefinition,
  created_at: timestamp,
  updated_at: timestamp,
});
export type WorkflowResource = z.infer<typeof workflowResource>;
