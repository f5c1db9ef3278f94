import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startEmbedded } from '@callkite/embedded';

const [demo = 'voice', name = 'callkite-demo-voice.wav'] = process.argv.slice(2);
if (demo !== 'voice') throw new Error(`There is no demo ${demo}: try \`pnpm demo voice\``);
// pnpm runs this elsewhere than it was asked to.
const file = path.resolve(process.env.INIT_CWD ?? '.', name);

console.log(
  'Placing a spoken call on the emulated network. It takes as long as a call does, about half a minute.\n',
);
const { callkite, caller, carrier, organizationId, stop } = await startEmbedded({
  callkite: { voiceMode: 'realtime' },
  carrier: { recordAudio: true },
  onEvent(event) {
    if (event.type === 'call.spoken') console.log(`${event.role}: ${event.content}`);
    if (event.type === 'call.completed') void finish();
  },
});
const workflow = await callkite.workflows.create(
  { organizationId, mode: 'live' },
  {
    name: 'Appointment reminder',
    definition: {
      objective: 'Remind the recipient of the appointment on Tuesday at 3 pm and ask whether they will come.',
      steps: [
        { title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' },
        { title: 'Wrap up', instruction: 'Thank them and say goodbye.' },
      ],
    },
  },
);
await callkite.calls.trigger(caller, { workflowId: workflow.id, recipientPhone: '+12025550101' });

async function finish(): Promise<void> {
  const streams = carrier.calls().flatMap(({ mediaStreams }) => mediaStreams);
  for (const { streamSid } of streams) {
    const wav = carrier.recording(streamSid);
    if (wav) await writeFile(file, wav);
  }
  await stop();
  console.log(`\nBoth sides, the callee on the left and the agent on the right: ${file}`);
}
