import { classifyUtterance } from '@callkite/core';
import { halves, type Labelled, labelledSet, labels } from './answers/labelled-set.ts';
import { rounded, table } from './figures.ts';

interface Judged extends Labelled {
  readonly kind: string;
}

const isMissed = ({ label, kind }: Judged) => kind === 'unclear' && label !== 'unclear';
const isWrong = (each: Judged) => each.kind !== each.label && !isMissed(each);
const isTakenForMachine = (each: Judged) => each.label === 'person' && isWrong(each);
const isTakenForPerson = (each: Judged) => each.kind === 'person' && isWrong(each);

const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${rounded((100 * part) / whole)} %`);

function errorRates(name: string, judged: readonly Judged[]): Record<string, string | number> {
  const part = (which: (each: Judged) => boolean) => percent(judged.filter(which).length, judged.length);
  return { of: name, utterances: judged.length, wrong: part(isWrong), 'left unclear': part(isMissed) };
}

/** How often words alone mistake who answered, over the labelled set. */
export async function benchAnswer(): Promise<void> {
  for (const half of halves) {
    const judged = labelledSet(half).map((each) => ({ ...each, kind: classifyUtterance(each.text).kind }));
    console.log(`\n  ${half}: labels down, verdicts across`);
    table(
      labels.map((label) => ({
        label,
        ...Object.fromEntries(
          labels.map((kind) => [
            kind,
            judged.filter((each) => each.label === label && each.kind === kind).length || '.',
          ]),
        ),
      })),
    );
    console.log();
    const languages = [...new Set(judged.map(({ language }) => language))];
    table([
      ...labels.map((label) =>
        errorRates(
          label,
          judged.filter((each) => each.label === label),
        ),
      ),
      ...languages.map((language) =>
        errorRates(
          language,
          judged.filter((each) => each.language === language),
        ),
      ),
      errorRates('all', judged),
    ]);
    const persons = judged.filter(({ label }) => label === 'person');
    const others = judged.filter(({ label }) => label !== 'person');
    console.log(
      `\n  persons taken for machines: ${percent(persons.filter(isTakenForMachine).length, persons.length)}` +
        `, others taken for persons: ${percent(others.filter(isTakenForPerson).length, others.length)}`,
    );
  }
}
