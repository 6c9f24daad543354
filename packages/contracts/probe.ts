import { definePipeline } from './pipeline.ts';

/** Built-in pipeline for load and failure trials: items of a set, each recording every execution. Unlimited unless its input says otherwise. */
export const probeContract = definePipeline({
  type: 'probe',
  entity: 'probe',
  description: 'Load and failure trials: walks the items of a probe set and records each execution.',
  fields: {
    set: { kind: 'id' },
    pageSize: { kind: 'integer', min: 1, max: 5_000, optional: true },
    chunkSize: { kind: 'integer', min: 1, max: 500, optional: true },
    dispatch: { kind: 'choice', values: ['item', 'slice'], optional: true },
    commit: { kind: 'choice', values: ['batch', 'transaction'], optional: true },
    parallelism: { kind: 'integer', min: 1, max: 10_000, optional: true },
    ratePerSecond: { kind: 'integer', min: 1, max: 10_000, optional: true },
    flowKey: { kind: 'id', optional: true },
  },
  scopeField: 'set',
  limits: { process: 'unlimited', paginate: 'unlimited', execute: 'unlimited' },
  smokeInput: { set: 'smoke' },
});
