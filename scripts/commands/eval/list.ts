import { defineCommand } from 'citty';
import { listBenchmarks } from '../../../packages/database/eval-benchmarks.ts';
import type { BenchmarkRow } from '../../../packages/database/eval-benchmarks.ts';
import { listEvalRuns } from '../../../packages/database/eval-runs.ts';
import type { EvalRunRow } from '../../../packages/database/eval-runs.ts';
import { describeTarget } from '../../../packages/models/create-target.ts';
import { commonArgs, dataArgs } from '../../cli/common-args.ts';
import { withDatabase } from '../../cli/open-database.ts';
import { createOutput } from '../../cli/output.ts';

const SHOWN_RUNS = 20;

/** `strata eval list`: the benchmarks and the newest runs. */
export const evalListCommand = defineCommand({
  meta: { name: 'list', description: 'list benchmarks and their newest runs' },
  args: {
    ...commonArgs,
    ...dataArgs,
    benchmark: { type: 'string', description: 'runs of this benchmark only', valueHint: 'name' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const { benchmark } = args;
    const found = await withDatabase(args.data, async (db) => ({
      benchmarks: await listBenchmarks(db),
      runs: await listEvalRuns(db, { limit: SHOWN_RUNS, ...(benchmark === undefined ? {} : { benchmark }) }),
    }));
    output.document(found, () => renderList(found));
  },
});

function renderList({ benchmarks, runs }: { readonly benchmarks: readonly BenchmarkRow[]; readonly runs: readonly EvalRunRow[] }): string {
  if (benchmarks.length === 0) return 'no benchmark yet: strata eval import benchmarks/bundled.jsonl --benchmark bundled';
  const width = Math.max(...benchmarks.map(({ name }) => name.length));
  const lines = benchmarks.map(({ name, cases, runs: count }) => `${name.padEnd(width)}  ${cases} cases, ${count} runs`);
  const runLines = runs.map(
    (run) => `${run.id}  ${run.benchmark}  ${run.status}  ${describeTarget(run.target)}  ${run.createdAt.slice(0, 16).replace('T', ' ')}`,
  );
  return [...lines, ...(runLines.length === 0 ? [] : ['', 'newest runs', ...runLines])].join('\n');
}
