import { defineCommand } from 'citty';
import type { FieldSpec } from '../../packages/contracts/fields.ts';
import { pipelineContracts } from '../../packages/contracts/index.ts';
import type { LayerLimit } from '../../packages/contracts/limits.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import { commonArgs } from '../cli/common-args.ts';
import { createOutput } from '../cli/output.ts';

/** `strata pipelines`: every pipeline, what its input takes and how hard it may push. */
export const pipelinesCommand = defineCommand({
  meta: { name: 'pipelines', description: 'list the pipelines with their fields and limits' },
  args: commonArgs,
  run: ({ args }) => {
    const output = createOutput(args.json === true);
    const pipelines = pipelineContracts.map((contract) => ({
      name: contract.entity,
      type: contract.type,
      origin: 'base',
      description: contract.description,
      scope: contract.scopeField ?? 'all',
      fields: contract.fields,
      limits: contract.limits,
      plan: contract.plan,
    }));
    output.document({ pipelines }, () => pipelineContracts.map(describe).join('\n\n'));
  },
});

function describe({ entity, type, description, fields, limits }: PipelineContract): string {
  const lines = Object.entries(fields).map(([name, spec]) => `    ${name.padEnd(16)} ${fieldText(spec)}`);
  const limitText = (Object.entries(limits) as [string, LayerLimit][]).map(([layer, limit]) => `${layer} ${describeLimit(limit)}`).join(', ');
  return [`${entity} (${type}, base)`, `  ${description}`, '  fields', ...lines, `  limits ${limitText}`].join('\n');
}

function fieldText(spec: FieldSpec): string {
  const need = spec.optional === true ? 'optional' : 'default' in spec && spec.default !== undefined ? `default ${spec.default}` : 'required';
  return `${kindText(spec)}, ${need}`;
}

function kindText(spec: FieldSpec): string {
  switch (spec.kind) {
    case 'id':
      return 'text';
    case 'ids':
      return `up to ${spec.max} texts`;
    case 'integer':
    case 'number':
      return `${spec.kind} ${spec.min}..${spec.max}`;
    case 'boolean':
      return 'true or false';
    case 'choice':
      return spec.values.join(' | ');
    default:
      return spec satisfies never;
  }
}

function describeLimit(limit: LayerLimit): string {
  if (limit === 'unlimited') return limit;
  const parallelism = 'parallelism' in limit ? [`${limit.parallelism} at once`] : [];
  const rate = limit.ratePerSecond === undefined ? [] : [`${limit.ratePerSecond}/s`];
  return [...parallelism, ...rate].join(' and ');
}
