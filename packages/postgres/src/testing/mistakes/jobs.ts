import { type Mistake, part, saysDone } from './mistake.ts';

const leased = 'a leased job is nobody else’s until the lease runs out';
const expired = 'an expired lease changes nothing, even before somebody else has the job';
const rescheduled = 'a rescheduled job is due later and keeps or forgets its tries';
const turns = 'exclusive work takes turns, also after work that failed, and uses the store';
const points = 'a limiter lets exactly its points through, for each key';

export const jobMistakes: readonly Mistake[] = [
  [
    'hands a job out again while it is leased',
    leased,
    part('jobs', ({ claim }) => ({ claim: (options) => claim({ ...options, leaseMs: 1 }) })),
  ],
  [
    'never takes a job from somebody who died',
    leased,
    part('jobs', ({ claim }) => ({ claim: (options) => claim({ ...options, leaseMs: 1e9 }) })),
  ],
  [
    'lets a late worker complete the job of another',
    expired,
    part('jobs', ({ complete }) => ({ complete: saysDone(complete) })),
  ],
  ['keeps a job that was completed', leased, part('jobs', () => ({ complete: async () => true }))],
  [
    'does not extend a lease',
    'an extended lease lasts',
    part('jobs', () => ({ extend: async (jobs) => jobs.map(({ id }) => id) })),
  ],
  [
    'does a job again at once',
    rescheduled,
    part('jobs', ({ reschedule }) => ({
      reschedule: (job, options) => reschedule(job, { ...options, delayMs: 0 }),
    })),
  ],
  [
    'forgets how often a job was tried',
    rescheduled,
    part('jobs', ({ reschedule }) => ({
      reschedule: (job, options) => reschedule(job, { ...options, resetTries: true }),
    })),
  ],
  [
    'loses buried jobs',
    'a buried job is not claimed again, but counted',
    part('jobs', ({ complete }) => ({ bury: (job) => complete(job) })),
  ],
  [
    'lets one organization take all workers',
    'an organization holds no more leases of a kind than it may',
    part('jobs', ({ claim }) => ({ claim: (options) => claim({ ...options, perOrganization: 10_000 }) })),
  ],
  ['does exclusive work side by side', turns, (good) => ({ ...good, exclusively: (_, work) => work() })],
  [
    'never ends exclusive work that failed',
    turns,
    (good) => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        ...good,
        exclusively(name, work) {
          const turn = last.then(() => good.exclusively(name, work));
          last = turn;
          return turn;
        },
      };
    },
  ],
  [
    'lets one more through than a limit allows',
    points,
    (good) => ({
      ...good,
      createRateLimiter: (options) => good.createRateLimiter({ ...options, points: options.points + 1 }),
    }),
  ],
  [
    'counts all keys of a limiter together',
    points,
    (good) => ({
      ...good,
      createRateLimiter(options) {
        const limiter = good.createRateLimiter(options);
        const consume = limiter.consume.bind(limiter);
        limiter.consume = () => consume('everybody');
        return limiter;
      },
    }),
  ],
  [
    'has a clock of its own',
    'a ping tells the store’s time',
    (good) => ({ ...good, ping: async () => ({ nowMs: performance.now() }) }),
  ],
];
