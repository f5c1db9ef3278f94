import { benchAccept } from './accept.ts';
import { benchAnswer } from './answer.ts';
import { benchDensity } from './density.ts';
import { benchDialing } from './dialing.ts';
import { benchInterrupts } from './interrupts.ts';
import { benchRelayTokens } from './relay-tokens.ts';
import { benchTurns } from './turns.ts';
import { benchVoice } from './voice.ts';
import { benchWidget } from './widget.ts';

const benches = {
  answer: benchAnswer,
  accept: benchAccept,
  dialing: benchDialing,
  turns: benchTurns,
  density: benchDensity,
  'relay-tokens': benchRelayTokens,
  interrupts: benchInterrupts,
  voice: benchVoice,
  widget: benchWidget,
};

// `pnpm bench` runs all, `pnpm bench accept turns` some.
const asked = process.argv.slice(2).filter((argument) => argument !== '--');
for (const name of asked) {
  if (!(name in benches)) {
    console.error(`There is no bench ${name}. Choose from: ${Object.keys(benches).join(', ')}.`);
    process.exit(1);
  }
}
for (const [name, run] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n${name}`);
  await run();
}
