import { defineCommand } from 'citty';
import { probeContract } from '../../packages/contracts/probe.ts';
import { hasProbeSet } from '../../packages/database/probe-sets.ts';
import { readProbeReport, seedProbe } from '../../packages/database/probe-store.ts';
import { readScopeState } from '../../packages/database/scope-store.ts';
import { createOwnerCheck } from '../../packages/runtime/owner-check.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import { parseWholeNumber } from '../cli/numbers.ts';
import { createOutput } from '../cli/output.ts';
import { stackArgs } from '../cli/pipeline-args.ts';
import { withPipelines } from '../cli/pipeline-session.ts';
import type { PipelineSession } from '../cli/pipeline-session.ts';

const MAX_ITEMS = 10_000_000;
const HOUR_MS = 3_600_000;

const setArgs = { set: { type: 'string', required: true, description: 'name of the set', valueHint: 'name' } } as const;

const seedCommand = defineCommand({
  meta: { name: 'seed', description: 'make the items of a set anew' },
  args: {
    ...stackArgs,
    ...setArgs,
    items: { type: 'string', required: true, description: 'how many', valueHint: 'n' },
    sleep: { type: 'string', default: '0', description: 'how long each takes', valueHint: 'ms' },
    'fail-every': { type: 'string', description: 'every k-th item fails', valueHint: 'k' },
    'fail-times': { type: 'string', description: 'executions of such an item that fail before one succeeds (default: all)', valueHint: 't' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const [failEvery, failTimes] = [args['fail-every'], args['fail-times']];
    if (failTimes !== undefined && failEvery === undefined)
      throw new UserError('--fail-times needs --fail-every: it says how often those items fail');
    const seed = {
      set: requireSet(args.set),
      items: parseWholeNumber(args.items, { name: '--items', from: 0, to: MAX_ITEMS }),
      sleepMs: parseWholeNumber(args.sleep, { name: '--sleep', from: 0, to: HOUR_MS }),
      failEvery: failEvery === undefined ? null : parseWholeNumber(failEvery, { name: '--fail-every', from: 1, to: MAX_ITEMS }),
      failTimes: failTimes === undefined ? null : parseWholeNumber(failTimes, { name: '--fail-times', from: 1, to: 1_000 }),
    };
    await withPipelines(args, async (session) => {
      await requireIdle(session, seed.set);
      await seedProbe(session.db, seed);
    });
    output.document(seed, () => `seeded ${seed.items} items: strata run probe --input '${JSON.stringify({ set: seed.set })}'`);
  },
});

const reportCommand = defineCommand({
  meta: { name: 'report', description: 'what really happened to the items of a set' },
  args: { ...stackArgs, ...setArgs },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const set = requireSet(args.set);
    const report = await withPipelines(args, async ({ db }) => {
      if (!(await hasProbeSet(db, set))) throw new UserError(`no probe set ${set}: make it with \`strata probe seed\``, EXIT.unreachable);
      return readProbeReport(db, set);
    });
    output.document(report, () =>
      Object.entries(report)
        .map(([name, value]) => `${name.padEnd(20)} ${value ?? '–'}`)
        .join('\n'),
    );
  },
});

/** `strata probe`: load and failure trials in a user's own environment. */
export const probeCommand = defineCommand({
  meta: { name: 'probe', description: 'seed items for trials, and report what happened to them' },
  subCommands: { report: reportCommand, seed: seedCommand },
});

function requireSet(set: string): string {
  if (set.trim() === '') throw new UserError('--set must not be blank');
  return set;
}

/** Items must not vanish under a run. */
async function requireIdle({ client, db }: PipelineSession, set: string): Promise<void> {
  const { active } = await readScopeState(db, probeContract.type, set);
  if (active !== null && (await createOwnerCheck(client)(active)))
    throw new UserError(`${active.workflowId} is running on this set: wait for it, or \`strata abort ${active.workflowId}\``);
}
