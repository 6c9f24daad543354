import { defineCommand } from 'citty';
import type { FlowChange } from '../../packages/contracts/flow-activities.ts';
import { NO_LIMIT } from '../../packages/contracts/flow-limits.ts';
import type { FlowLimit } from '../../packages/contracts/flow-limits.ts';
import { changeFlow, listFlow, viewFlow } from '../../packages/runtime/flow-operator.ts';
import type { FlowOperatorDeps, FlowView } from '../../packages/runtime/flow-operator.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import { parseWholeNumber } from '../cli/numbers.ts';
import { createOutput } from '../cli/output.ts';
import { stackArgs } from '../cli/pipeline-args.ts';
import { withPipelines } from '../cli/pipeline-session.ts';
import type { PipelineSession, SessionArgs } from '../cli/pipeline-session.ts';

const MOST = 10_000;

const keyArgs = { key: { type: 'positional', required: true, description: 'key, like agentEvalRun.execute' } } as const;

const depsOf = ({ client, db }: PipelineSession): FlowOperatorDeps => ({ client, db, prefix: process.env['STRATA_FLOW_PREFIX'] ?? '' });

const limitText = ({ limit: { parallelism, ratePerSecond } }: Pick<FlowView, 'limit'>): string => {
  const parts = [parallelism === null ? '' : `${parallelism} at once`, ratePerSecond === null ? '' : `${ratePerSecond}/s`].filter(
    (part) => part !== '',
  );
  return parts.length === 0 ? 'unlimited' : parts.join(', ');
};

const stateText = ({ isPaused, heldUntil, isActive }: FlowView): string => {
  if (isPaused) return 'paused';
  if (heldUntil !== null) return `held until ${heldUntil}`;
  return isActive ? 'open' : 'idle';
};

const lineOf = (view: FlowView): string =>
  `${view.key.padEnd(32)} ${limitText(view).padEnd(24)} by ${view.source.padEnd(11)} ${stateText(view).padEnd(8)} ${view.permits} permits, ${view.runs.length} runs`;

const describe = (view: FlowView): string =>
  [
    lineOf(view),
    ...view.runs.map((run) => `  ${run.workflowId.padEnd(40)} holds ${run.permits}, could use ${run.want}, waits for ${run.startsWaiting} starts`),
  ].join('\n');

const listCommand = defineCommand({
  meta: { name: 'list', description: 'list the keys that limit pipelines' },
  args: stackArgs,
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const keys = await withPipelines(args, (session) => listFlow(depsOf(session)));
    output.document({ keys }, () => keys.map(lineOf).join('\n'));
  },
});

const getCommand = defineCommand({
  meta: { name: 'get', description: 'show a limit, who holds its permits and who waits' },
  args: { ...stackArgs, ...keyArgs },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const view = await withPipelines(args, (session) => viewFlow(depsOf(session), args.key));
    if (view === null) throw new UserError(`no key ${args.key}: see \`strata flow list\``, EXIT.unreachable);
    output.document(view, () => describe(view));
  },
});

async function change(args: SessionArgs & { readonly json?: boolean | undefined }, wanted: FlowChange): Promise<void> {
  const output = createOutput(args.json === true);
  const view = await withPipelines(args, (session) => changeFlow(depsOf(session), wanted));
  output.document(view, () => describe(view));
}

const setCommand = defineCommand({
  meta: { name: 'set', description: 'set a limit; it outlives deployments' },
  args: {
    ...stackArgs,
    ...keyArgs,
    parallelism: { type: 'string', description: 'items in flight, 1 to 10000', valueHint: 'n' },
    rate: { type: 'string', description: 'starts per second, 1 to 10000', valueHint: 'r' },
    unlimited: { type: 'boolean', description: 'lift the limit' },
    default: { type: 'boolean', description: 'give the setting up: the default applies again' },
  },
  run: async ({ args }) => change(args, { key: args.key, limit: requireLimit(args) }),
});

function definePause(verb: 'pause' | 'resume', description: string) {
  return defineCommand({
    meta: { name: verb, description },
    args: { ...stackArgs, ...keyArgs },
    run: async ({ args }) => change(args, { key: args.key, isPaused: verb === 'pause' }),
  });
}

/** `strata flow`: limits that all runs of a key share. */
export const flowCommand = defineCommand({
  meta: { name: 'flow', description: 'read and change the limits that runs share' },
  subCommands: {
    get: getCommand,
    list: listCommand,
    pause: definePause('pause', 'start nothing more on a key; what is in flight ends'),
    resume: definePause('resume', 'go on after a pause'),
    set: setCommand,
  },
});

interface LimitArgs {
  readonly parallelism?: string | undefined;
  readonly rate?: string | undefined;
  readonly unlimited?: boolean | undefined;
  readonly default?: boolean | undefined;
}

function requireLimit({ parallelism, rate, unlimited, default: isDefault }: LimitArgs): FlowLimit | null {
  const isNumbers = parallelism !== undefined || rate !== undefined;
  if ([isNumbers, unlimited === true, isDefault === true].filter(Boolean).length !== 1)
    throw new UserError('say --parallelism or --rate or both, or --unlimited, or --default');
  if (isDefault === true) return null;
  if (unlimited === true) return NO_LIMIT;
  const number = (text: string | undefined, name: string): number | null =>
    text === undefined ? null : parseWholeNumber(text, { name, from: 1, to: MOST });
  return { parallelism: number(parallelism, '--parallelism'), ratePerSecond: number(rate, '--rate') };
}
