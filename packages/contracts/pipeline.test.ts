import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLimitProblem } from './limits.ts';
import type { LayerLimit } from './limits.ts';
import { definePipeline } from './pipeline.ts';
import { findPlanProblem } from './run-plan.ts';
import type { RunPlan } from './run-plan.ts';

const define = (more: { plan?: Partial<RunPlan>; limits?: { execute: LayerLimit } } = {}) =>
  definePipeline({
    type: 'trial',
    entity: 'trial',
    description: 'A trial.',
    fields: { set: { kind: 'id' } },
    scopeField: 'set',
    smokeInput: { set: 's' },
    ...more,
  });

const { plan } = define();

describe('a definition', () => {
  test('has the house numbers unless it says otherwise', () => {
    expect(plan).toMatchObject({ dispatch: 'item', pageSize: 50, chunkSize: 20, chunksInFlight: 8, pagesAhead: 2, eventBudget: 3_000 });
    expect(define({ plan: { pageSize: 100 } }).plan).toMatchObject({ pageSize: 100, chunkSize: 20 });
    expect(define().limits).toEqual({
      process: { parallelism: 1, ratePerSecond: 1 },
      paginate: { parallelism: 20, ratePerSecond: 5 },
      execute: { parallelism: 10, ratePerSecond: 5 },
    });
    expect(define().retry).toEqual({ attempts: 5, firstWaitMs: 2_000, growth: 'exponential' });
  });

  test('whose page could need more than 100 chunks is refused', () => {
    expect(() => define({ plan: { pageSize: 2_001, chunkSize: 20 } })).toThrow(/pageSize 2001 is more than 100 chunks of 20/);
    expect(define({ plan: { pageSize: 2_000, chunkSize: 20 } }).plan.pageSize).toBe(2_000);
  });

  test('cannot be changed', () => {
    expect(Object.isFrozen(define())).toBe(true);
  });
});

describe('the plan of a run', () => {
  test.each([
    ['pageSize', [0, -1, 1.5, 5_001, Number.NaN]],
    ['chunkSize', [0, 501, 0.5]],
    ['chunksInFlight', [0, 101]],
    ['pagesAhead', [-1, 101, 1.5]],
    ['maxConcurrency', [0, 101]],
    ['eventBudget', [0, 10_001]],
  ] as const)('with %s of %j is refused by name', (field, values) => {
    for (const value of values) expect(findPlanProblem({ ...plan, [field]: value })).toMatch(new RegExp(`^${field} `));
  });

  test('P17: may have a page of 125 chunks, and none that one history cannot bear', () => {
    expect(findPlanProblem({ ...plan, pageSize: 2_500, chunkSize: 20 })).toBeUndefined();
    expect(findPlanProblem({ ...plan, pageSize: 5_000, chunkSize: 20 })).toBeUndefined();
    expect(findPlanProblem({ ...plan, pageSize: 5_000, chunkSize: 19 })).toMatch(/250 chunks/);
  });
});

describe('the limit of a layer', () => {
  const limitsOf = (execute: unknown) => ({ ...define().limits, execute: execute as LayerLimit });

  test('is an integer from 1 to 10,000 for each number given, or unlimited', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (parallelism, ratePerSecond) => {
        for (const limit of [{ parallelism }, { ratePerSecond }, { parallelism, ratePerSecond }, 'unlimited'] as const)
          expect(findLimitProblem(limitsOf(limit))).toBeUndefined();
      }),
    );
  });

  test.each([
    [{ parallelism: 0 }],
    [{ parallelism: -1 }],
    [{ parallelism: 1.5 }],
    [{ parallelism: '15' }],
    [{ ratePerSecond: 0 }],
    [{ ratePerSecond: 1e9 }],
    [{}],
  ])('%j is refused with its path', (limit) => {
    expect(findLimitProblem(limitsOf(limit))).toMatch(/^limits\.execute/);
    expect(() => define({ limits: { execute: limit as LayerLimit } })).toThrow(/limits\.execute/);
  });
});
