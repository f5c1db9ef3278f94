import { classifyUtterance } from '@callkite/core';
import { halves, type Labelled, labelledSet, labels } from './answers/labelled-set.ts';
import { rounded, table } from './figures.ts';

interface Judged extends Labelled {
  readonly kind: string;
}

type Row = Readonly<Record<string, string | number>>;

const isMissed = ({ label, kind }: Judged) => kind === 'unclear' && label !== 'unclear';
const isWrong = (each: Judged) => each.kind !== each.label && !isMissed(each);

const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${rounded((100 * part) / whole)} %`);

function judge(half: (typeof halves)[number]): readonly Judged[] {
  return labelledSet(half).map((each) => ({ ...each, kind: classifyUtterance(each.text).kind }));
}

function errorRate(of: string, judged: readonly Judged[]): Row {
  const part = (which: (each: Judged) => boolean) => percent(judged.filter(which).length, judged.length);
  return { of, utterances: judged.length, wrong: part(isWrong), 'left unclear': part(isMissed) };
}

/** How often words alone mistake who answered, over a half of the labelled set. */
export function answerTables(half: (typeof halves)[number]): {
  /** Labels down, verdicts across. */
  readonly confusion: readonly Row[];
  readonly errorRates: readonly Row[];
} {
  const judged = judge(half);
  const languages = [...new Set(judged.map(({ language }) => language))];
  const cell = (label: string, kind: string) =>
    judged.filter((each) => each.label === label && each.kind === kind).length || '.';
  return {
    confusion: labels.map((label) => ({
      label,
      ...Object.fromEntries(labels.map((kind) => [kind, cell(label, kind)])),
    })),
    errorRates: [
      ...labels.map((label) =>
        errorRate(
          label,
          judged.filter((each) => each.label === label),
        ),
      ),
      ...languages.map((language) =>
        errorRate(
          language,
          judged.filter((each) => each.language === language),
        ),
      ),
      errorRate('all', judged),
    ],
  };
}

export async function benchAnswer(): Promise<void> {
  for (const half of halves) {
    const { confusion, errorRates } = answerTables(half);
    console.log(`\n  ${half}: labels down, verdicts across`);
    table(confusion);
    console.log();
    table(errorRates);
  }
}
