import { definePipeline } from './pipeline.ts';

/** The living example, which `strata new pipeline` copies: squares the whole numbers up to `upTo`. */
export const squareNumberContract = definePipeline({
  type: 'squareNumber',
  entity: 'square-number',
  description: 'Squares the whole numbers from 1 up to a limit.',
  fields: {
    name: { kind: 'id' },
    upTo: { kind: 'integer', min: 1, max: 1_000_000 },
    largestSquare: { kind: 'integer', min: 1, max: 1_000_000_000_000, default: 1_000_000_000_000 },
  },
  scopeField: 'name',
  texts: { noun: 'numbers', verb: 'square', verbPast: 'squared' },
  limits: { execute: { parallelism: 50, ratePerSecond: 500 } },
  plan: { itemTimeoutMs: 5_000 },
  retry: { attempts: 3, firstWaitMs: 1_000, growth: 'exponential' },
  smokeInput: { name: 'smoke', upTo: 3 },
});
