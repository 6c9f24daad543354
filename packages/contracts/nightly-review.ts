import { definePipeline } from './pipeline.ts';

/** Asks, for each user whose night it is, for a review of the day before; a Schedule starts it every hour. */
export const nightlyReviewContract = definePipeline({
  type: 'nightlyReview',
  entity: 'nightly-review',
  description: 'Asks for a review of the day before, for every user whose local hour is two or three.',
  fields: {
    /** Nominal firing time, ISO in UTC: the one time of the whole run, however late it is. */
    scheduledAt: { kind: 'id' },
  },
  scopeField: 'scheduledAt',
  texts: { noun: 'users', verb: 'look at', verbPast: 'looked at' },
  limits: { execute: { parallelism: 10, ratePerSecond: 50 } },
  plan: { itemTimeoutMs: 30_000, pageSize: 50 },
  retry: { attempts: 5, firstWaitMs: 1_000, growth: 'exponential' },
  smokeInput: { scheduledAt: '2026-05-03T18:30:00.000Z' },
});
