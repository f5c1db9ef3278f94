import { startEmbedded } from '@callkite/embedded';

// Database, phone network (at five times the speed of life) and model run inside this process.
const { callkite, caller, stop } = await startEmbedded({
  speed: 5,
  port: Number(process.argv[2] ?? 3000),
  onEvent(event) {
    if (event.type === 'call.spoken') console.log(`${event.role}: ${event.content}`);
    if (event.type === 'call.completed') console.log('result:', event.outcome);
    if (event.type === 'call.finished') void stop();
  },
});
await callkite.calls.prompt(caller, {
  prompt: 'Remind Jordan Avery of the appointment tomorrow at 10 am and ask whether they will come.',
  recipientPhone: '+12025550102',
});
