import * as z from 'zod';
import { displayName, timestamp } from './fields.ts';
import { workflowDefinition } from './workflow-definition.ts';

const workflowSource = z
  .enum(['api', 'prompt'])
  .describe('`api`: created by a request. `prompt`: generated for one prompt call');

/** Query of `GET /workflows`. Fields it does not know are ignored. */
export const workflowListQuery = z.object({
  source: workflowSource
    .optional()
    .describe(
      'Only workflows of this source: `api` leaves out those that were generated for prompt calls. All when absent',
    ),
});
export type WorkflowListQuery = z.input<typeof workflowListQuery>;

/** Answer of `GET /workflows`: every workflow that is not deleted, or those of one source. */
export const workflowSummaries = z.object({
  workflows: z
    .array(
      z.object({
        id: z.string().describe('Id of the workflow, for `workflow_id` of `POST /call`'),
        name: z.string().describe('Name of the workflow'),
      }),
    )
    .describe('Every workflow of the organization that is not deleted'),
});
export type WorkflowSummaries = z.infer<typeof workflowSummaries>;

const workflowName = displayName
  .describe('Name of the workflow, as in lists and webhooks')
  .meta({ examples: ['Appointment reminder'] });

export const createWorkflowRequest = z.strictObject({
  name: workflowName,
  definition: workflowDefinition.describe('What the agent does on a call'),
});
export type CreateWorkflowRequest = z.input<typeof createWorkflowRequest>;

export const updateWorkflowRequest = z
  .strictObject({
    name: workflowName.optional(),
    definition: workflowDefinition
      .optional()
      .describe('What the agent does on a call. Replaces the definition as a whole'),
    expected_version: z
      .int()
      .min(1)
      .optional()
      .describe(
        'The version you saw last: when the workflow has been changed since, the request is refused with 409. Not checked when absent',
      ),
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
    .describe('Which version to return; the current one when absent'),
});

export const workflowResource = z.object({
  id: z.string().describe('Id of the workflow'),
  name: z.string().describe('Name of the workflow'),
  source: workflowSource,
  version: z.int().describe('Goes up by one with every change, from 1'),
  definition: workflowDefinition.describe('What the agent does on a call'),
  created_at: timestamp.describe('When the workflow was created'),
  updated_at: timestamp.describe('When this version was stored'),
});
export type WorkflowResource = z.infer<typeof workflowResource>;

/** Answer to writing a workflow: the workflow, and what will not work as it is written. */
export const writtenWorkflow = workflowResource.extend({
  warnings: z
    .array(
      z.object({
        path: z
          .string()
          .describe('The field, with dots')
          .meta({ examples: ['definition.steps.1.instruction'] }),
        message: z.string().describe('What to do about it'),
      }),
    )
    .describe(
      'What will not work on a call as it is written. The workflow is stored all the same; empty when nothing was noticed',
    ),
});
export type WrittenWorkflow = z.infer<typeof writtenWorkflow>;
