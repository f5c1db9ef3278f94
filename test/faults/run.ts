import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { lyingCarrier } from './lying-carrier.ts';

// `pnpm --dir test faults --calls 10000`: the long campaign, whose report is printed.
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '2000' },
    nodes: { type: 'string', default: '2' },
    'kill-every-ms': { type: 'string', default: '1500' },
    'requests-per-second': { type: 'string', default: '20' },
    'calls-per-second': { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});
const report = await runCampaign({
  calls: Number(values.calls),
  nodes: Number(values.nodes),
  killEveryMs: Number(values['kill-every-ms']),
  requestsPerSecond: Number(values['requests-per-second']),
  callsPerSecond: Number(values['calls-per-second']),
  faults: lyingCarrier,
  failingReceiver: 0.3,
  seed: Number(values.seed),
  patienceMs: 30 * 60_000,
  log: (line) => console.log(line),
});
console.log(JSON.stringify(report, null, 2));
