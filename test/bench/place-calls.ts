import { fictionalNumber } from '../faults/fictional-number.ts';

/** Asks for so many calls, to the numbers from the `first` on. */
export async function placeCalls(
  url: string,
  access: { key: string; workflowId: string },
  first: number,
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${url}/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        workflow_id: access.workflowId,
        recipient_phone: fictionalNumber(200 + first + index),
      }),
    });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(`refused: ${answer}`);
  }
}
