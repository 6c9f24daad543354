import { defineCommand } from 'citty';
import type { FailedItem } from '../../packages/database/failures.ts';
import type { PipelineClient } from '../../packages/runtime/pipeline-client.ts';
import { parseWholeNumber } from '../cli/numbers.ts';
import { createOutput } from '../cli/output.ts';
import { runArgs, stackArgs } from '../cli/pipeline-args.ts';
import { withPipelines } from '../cli/pipeline-session.ts';

const PAGE = 1_000;
const REASON_CHARACTERS = 200;

/** `strata failures`: the items that are failed now in a run's scope and epoch, which is what a redrive takes. */
export const failuresCommand = defineCommand({
  meta: { name: 'failures', description: 'list the failed items of a run with the reason of each' },
  args: {
    ...stackArgs,
    ...runArgs,
    limit: { type: 'string', default: '100', description: 'most items shown', valueHint: 'n' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const limit = parseWholeNumber(args.limit, { name: '--limit', from: 1, to: 1_000_000 });
    const { failed, failures } = await withPipelines(args, ({ pipelines }) => readFailures(pipelines, args.run, limit));
    output.document({ workflowId: args.run, failed, failures }, () => describe(failed, failures));
  },
});

async function readFailures(pipelines: PipelineClient, run: string, limit: number): Promise<{ failed: number; failures: readonly FailedItem[] }> {
  const failures: FailedItem[] = [];
  for (let after: string | null = null; ;) {
    const page = await pipelines.failures(run, { after, limit: Math.min(PAGE, limit - failures.length) });
    for (const { error, ...item } of page.items) failures.push({ ...item, error: shorten(error) });
    after = page.next;
    if (after === null || failures.length >= limit) return { failed: page.failed, failures };
  }
}

function shorten(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ');
  return line.length > REASON_CHARACTERS ? `${line.slice(0, REASON_CHARACTERS)}…` : line;
}

function describe(failed: number, failures: readonly FailedItem[]): string {
  if (failed === 0) return 'no failed items';
  const table = [
    ['item', 'type', 'attempts', 'reason'],
    ...failures.map(({ itemId, errorType, attempts, error }) => [itemId, errorType, String(attempts), error]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const rest = failed > failures.length ? [`${failed - failures.length} more: see --limit`] : [];
  return [...lines, ...rest].join('\n');
}
