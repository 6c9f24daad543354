/** The pipeline that others are copied from: real, tested, and part of every deployment. */
export const EXAMPLE = 'square-number';

/** The files of one pipeline, from the root of the checkout: contract, activities, workflow, test. */
export const filesOf = (entity: string): readonly string[] => [
  `packages/contracts/${entity}.ts`,
  `activities/${entity}.ts`,
  `workflows/${entity}.ts`,
  `tests/pipelines/${entity}.test.ts`,
];

/** The files that hold one sorted line for each pipeline. */
export const REGISTRIES: readonly string[] = ['packages/contracts/pipelines.ts', 'activities/index.ts', 'workflows/index.ts'];
