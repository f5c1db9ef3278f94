import { type Callee, defineCallee } from './callee.ts';
import { colleagues } from './colleagues.ts';
import { anyoneElse, cooperativeCallees } from './cooperative-callees.ts';
import { difficultCallees } from './difficult-callees.ts';
import { machineCallees } from './machine-callees.ts';
import { unreachableCallees } from './unreachable-callees.ts';

const ownNumbers = defineCallee({
  name: 'own number',
  description: "The accounts' own numbers have no voice URL: the call ends as soon as it is answered",
  numbers: [/^\+120255501[89]\d$/],
  pickUp: { afterMs: 0 },
  converse: (line) => line.hangUp(),
});

/** The callees every emulator has, the specific ones before the pattern that matches all fictional numbers. */
export const builtInCallees: readonly Callee[] = [
  ...cooperativeCallees,
  ...unreachableCallees,
  ...machineCallees,
  ...difficultCallees,
  ...colleagues,
  ownNumbers,
  anyoneElse,
];
