import { defineTool } from '@callkite/core';
import { startEmbedded } from '@callkite/embedded';
import * as z from 'zod';

// A tool of this server. Agents get it on calls whose workflow names it, and nothing a callee says adds another.
const findParking = defineTool({
  name: 'find_parking',
  description: 'Tells where the person can park for the appointment.',
  input: z.object({ vehicle: z.enum(['car', 'bicycle']).nullable() }),
  // A repeated use has the same key: whatever has effects elsewhere should pass it on.
  handler({ input, call, idempotencyKey }) {
    console.log('looking up parking:', { input, callId: call.id, idempotencyKey });
    return { place: 'behind the house', until: '6 pm' };
  },
});

const { callkite, caller, stop } = await startEmbedded({
  speed: 5,
  port: Number(process.argv[2] ?? 3000),
  callkite: { tools: [findParking] },
  onEvent(event) {
    if (event.type === 'call.spoken') console.log(`${event.role}: ${event.content}`);
    if (event.type === 'call.completed') console.log('result:', event.outcome);
    if (event.type === 'call.finished') void finish(event.callId);
  },
});
const workflow = await callkite.workflows.create(caller, {
  name: 'Reminder with parking',
  definition: {
    objective: 'Remind the person of the appointment tomorrow at 10 am and tell them where to park.',
    steps: [
      { title: 'Remind', instruction: 'Ask whether they will come to the appointment tomorrow at 10 am.' },
      { title: 'Parking', instruction: 'Use find_parking and tell them where they can park.' },
    ],
    tools: ['find_parking'],
  },
});
await callkite.calls.trigger(caller, { workflowId: workflow.id, recipientPhone: '+12025550102' });

async function finish(callId: string) {
  const { toolCalls } = await callkite.calls.get(caller, callId);
  for (const { name, status, result } of toolCalls) console.log(`${name}: ${status}, ${result}`);
  await stop();
}
