import type { Blank } from './fill-schema.ts';
import { words } from './wording.ts';

/** How a call went. */
export type Outcome =
  | 'confirmed'
  | 'completed'
  | 'rescheduled'
  | 'declined'
  | 'opted_out'
  | 'callback'
  | 'wrong_number'
  | 'voicemail'
  | 'transferred'
  | 'silence'
  | 'incomplete';

/** Words other people use for the outcomes, the closest first. */
const NAMES: Record<Outcome, string> = {
  confirmed:
    'confirmed agreed accepted success successful achieved objective_met met completed complete done positive yes',
  completed:
    'completed complete done finished success successful achieved objective_met met goodbye normal answered',
  rescheduled: 'rescheduled reschedule changed moved follow_up partial completed complete success',
  declined:
    'declined decline refused rejected not_interested unsuccessful not_met failed failure negative no completed',
  opted_out:
    'opted_out opt_out optout do_not_call dnc stop unsubscribed unsubscribe removed declined refused negative failed',
  callback: 'callback call_back later busy follow_up not_now incomplete',
  wrong_number: 'wrong_number wrong_person failed unsuccessful incomplete',
  voicemail: 'voicemail machine no_answer incomplete',
  transferred: 'transferred transfer handoff human completed',
  silence:
    'silence silent no_response no_reply unresponsive no_answer inaudible unreachable incomplete failed',
  incomplete: 'incomplete unresolved partial not_met failed',
};

/** Options that claim nothing, for an outcome without a name of its own. */
const NEUTRAL = 'other unknown unclear inconclusive neutral none';

export const OUTCOME_SENTENCES: Record<Outcome, string> = {
  confirmed: 'The callee confirmed.',
  completed: 'The conversation was completed.',
  rescheduled: 'The callee asked for another time.',
  declined: 'The callee declined.',
  opted_out: 'The callee asked not to be called again.',
  callback: 'The callee asked to be called at another time.',
  wrong_number: 'The number belongs to someone else.',
  voicemail: 'A voicemail message was left.',
  transferred: 'The callee asked to speak to a person.',
  silence: 'The callee did not respond.',
  incomplete: 'The call ended before everything was settled.',
};

/** Picks the option of an enum that names the outcome, or undefined when none does. */
function matchOutcome(outcome: Outcome, options: unknown[]): unknown {
  const candidates = options
    .filter((option) => typeof option === 'string')
    .map((option) => ({ option, parts: words(option.replaceAll(/[_-]/g, ' ')) }));
  for (const name of `${NAMES[outcome]} ${NEUTRAL}`.split(' ')) {
    const wanted = name.split('_');
    const match =
      candidates.find(({ parts }) => parts.join('_') === name) ??
      candidates.find(
        ({ parts }) =>
          name.length > 3 &&
          wanted.every((part) => parts.includes(part)) &&
          parts.includes('not') === wanted.includes('not'),
      );
    if (match) return match.option;
  }
  return undefined;
}

/** The value of a blank that asks how the call went; undefined for one that asks something else. */
export function outcomeValue(outcome: Outcome, { name, schema }: Blank): unknown {
  const isAboutOutcome = /outcome|result|disposition|status|reason|sentiment|resolution|ended|why/.test(name);
  if (schema.enum) return isAboutOutcome ? matchOutcome(outcome, schema.enum) : undefined;
  if (/success|achieved|objective_met|goal_met|completed|confirmed/.test(name)) {
    const succeeded = outcome === 'confirmed' || outcome === 'completed' || outcome === 'rescheduled';
    return name.includes('confirmed') ? outcome === 'confirmed' : succeeded;
  }
  if (/opt(?:ed)?_out|do_not_call/.test(name)) return outcome === 'opted_out';
  return isAboutOutcome ? OUTCOME_SENTENCES[outcome] : undefined;
}
