import type { WorkflowDefinition } from '@callkite/contract';
import type { CallRecord } from '../../calls/call-store.ts';

/**
 * States of the USA in which everybody on the line has to agree to a recording, also those of which that is disputed, by
 * the area codes of their numbers.
 */
const statesOfAllParties = {
  california:
    '209 213 279 310 323 341 350 357 369 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 738 747 760 805 818 820 831 837 840 858 909 916 925 949 951',
  connecticut: '203 475 860 959',
  delaware: '302',
  florida: '239 305 321 324 352 386 407 448 561 645 656 689 727 728 754 772 786 813 850 863 904 941 954',
  illinois: '217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 861 872',
  maryland: '227 240 301 410 443 667',
  massachusetts: '339 351 413 508 617 774 781 857 978',
  michigan: '231 248 269 313 517 586 616 679 734 810 906 947 989',
  montana: '406',
  nevada: '702 725 775',
  newHampshire: '603',
  oregon: '458 503 541 971',
  pennsylvania: '215 223 267 272 412 445 484 570 582 610 717 724 814 835 878',
  washington: '206 253 360 425 509 564',
} as const;

const areaCodes = new Set(Object.values(statesOfAllParties).flatMap((codes) => codes.split(' ')));

/** Whether everybody on the line has to agree where this number is at home. People move, and numbers with them. */
const isOfAllParties = (phone: string) => phone.startsWith('+1') && areaCodes.has(phone.slice(2, 5));

/**
 * How a call may be recorded: as the workflow says, but never without a yes where the number of either side is at home in
 * a state in which everybody has to agree.
 */
export function recordingModeOf(
  { recording: { mode } }: Pick<WorkflowDefinition, 'recording'>,
  { from, to }: Pick<CallRecord, 'from' | 'to'>,
): WorkflowDefinition['recording']['mode'] {
  return mode === 'announce' && [from, to].some(isOfAllParties) ? 'ask' : mode;
}
