import { NO_LIMIT } from '../../packages/contracts/flow-limits.ts';
import type { FlowKey, FlowKeys, FlowLayer } from '../../packages/contracts/flow-limits.ts';
import type { FieldSpecs, PipelineInput } from '../../packages/contracts/fields.ts';
import { toFlowLimit } from '../../packages/contracts/limits.ts';
import { loadFlowSettings } from '../../packages/database/flow-settings.ts';
import type { Runner } from './definition.ts';

/** Key of one layer for this input, with the limit that the contract or the input brings; a layer without one has no limit of its own. */
const flowKeyFor = <F extends FieldSpecs>({ contract, definition, deps }: Runner<F>, input: PipelineInput<F>, layer: FlowLayer): FlowKey => {
  const own = definition.flow?.(input) ?? {};
  const limit = toFlowLimit(own.limits?.[layer] ?? contract.limits[layer]);
  return { key: `${deps.flow.prefix}${own.keys?.[layer] ?? `${contract.type}.${layer}`}`, limit: limit ?? NO_LIMIT };
};

/** Keys of the layers that are limited: by the contract, by the input, by a key that the input names, or by an operator. */
export const loadFlowKeys = async <F extends FieldSpecs>(runner: Runner<F>, input: PipelineInput<F>): Promise<FlowKeys> => {
  const keys = {
    process: flowKeyFor(runner, input, 'process'),
    paginate: flowKeyFor(runner, input, 'paginate'),
    execute: flowKeyFor(runner, input, 'execute'),
  };
  const settings = await loadFlowSettings(
    runner.deps.db,
    Object.values(keys).map(({ key }) => key),
  );
  const named = runner.definition.flow?.(input).keys ?? {};
  const limited = (layer: FlowLayer): FlowKey | null => {
    const { key, limit } = keys[layer];
    const setting = settings.get(key);
    const isFree = setting?.limit === null ? limit === NO_LIMIT && named[layer] === undefined : setting?.limit === NO_LIMIT;
    return isFree && setting?.isPaused !== true ? null : { key, limit };
  };
  return { process: limited('process'), paginate: limited('paginate'), execute: limited('execute') };
};
