import type { CallDetail, WorkflowDefinitionInput } from '@callkite/contract';
import { expect } from 'vitest';
import { type Embedded, eventually } from '../embedded.ts';

/** A resource that the API makes. @returns its id */
export async function created(embedded: Embedded, path: string, body: object): Promise<string> {
  const response = await embedded.request('POST', path, body);
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** Runs a workflow of this definition and waits for the result. */
export async function spokenCall(
  embedded: Embedded,
  to: string,
  definition: WorkflowDefinitionInput,
): Promise<CallDetail> {
  const id = await created(embedded, '/workflows', { name: 'Spoken', definition });
  await embedded.request('POST', '/call', { workflow_id: id, recipient_phone: to });
  const listed = await embedded.request('GET', `/calls?workflow_id=${id}`);
  const { calls } = (await listed.json()) as { calls: { call_id: string }[] };
  return eventually(
    'the result',
    async () => {
      const found = (await (
        await embedded.request('GET', `/calls/${calls[0]?.call_id}`)
      ).json()) as CallDetail;
      return found.call_summary === null ? null : found;
    },
    100_000,
  );
}
