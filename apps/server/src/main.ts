import { nodeProblem } from '../node-version.mjs';

const problem = nodeProblem(process.versions.node);
if (problem === null) {
  // Loaded only now: an old Node cannot even read all of it.
  await import('./run.ts');
} else {
  console.error(problem);
  process.exitCode = 1;
}
