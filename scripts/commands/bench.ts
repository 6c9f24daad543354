import { defineCommand } from 'citty';
import { requireSection, writeSection } from '../../bench/section.ts';
import { toMarkdown, toText } from '../../bench/report.ts';
import { RATE_ROWS, TRIAL_ROWS } from '../../bench/row-names.ts';
import type { RowName } from '../../bench/row-names.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import type { ExitCode } from '../../packages/runtime/user-error.ts';
import { commonArgs } from '../cli/common-args.ts';
import { parseWholeNumber } from '../cli/numbers.ts';
import { createOutput } from '../cli/output.ts';
import { suggestName } from '../cli/nearest.ts';

const ROWS: readonly RowName[] = [...RATE_ROWS, ...TRIAL_ROWS];

/** `strata bench`: speed, memory and recovery, measured beside their raw floors on servers of its own. */
export const benchCommand = defineCommand({
  meta: { name: 'bench', description: 'measure speed, memory and recovery beside their raw floors, on servers of its own' },
  args: {
    ...commonArgs,
    items: { type: 'string', description: 'items of the rows by item, the others in proportion (default: 2000)', valueHint: 'n' },
    rows: { type: 'string', description: `some of ${ROWS.join(', ')} (default: all)`, valueHint: 'a,b' },
    rounds: { type: 'string', default: '5', description: 'how often the rates are measured, alternating', valueHint: 'n' },
    write: { type: 'string', description: 'write the report between the markers of a Markdown file, too', valueHint: 'file' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const items = args.items === undefined ? undefined : parseWholeNumber(args.items, { name: '--items', from: 20, to: 1_000_000 });
    const rounds = parseWholeNumber(args.rounds, { name: '--rounds', from: 1, to: 99 });
    const rows = parseRows(args.rows);
    if (args.write !== undefined) await requireSection(args.write);
    const ending = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => ending.abort(new UserError('interrupted', EXIT.endedBadly)));
    const { runBench } = await import('../../bench/run-bench.ts');
    const report = await runBench({ rows, items, rounds, signal: ending.signal, say: (sentence) => process.stderr.write(`${sentence}\n`) });
    if (args.write !== undefined) await writeSection(args.write, toMarkdown(report));
    output.document(report, () => toText(report));
    return exitOf(report.rows);
  },
});

function parseRows(text: string | undefined): readonly RowName[] {
  if (text === undefined) return ROWS;
  const given = text.split(',').map((name) => name.trim());
  for (const name of given) if (!(ROWS as readonly string[]).includes(name)) throw new UserError(`unknown row "${name}": ${suggestName(name, ROWS)}`);
  return ROWS.filter((name) => given.includes(name));
}

function exitOf(rows: readonly { readonly seconds: number | null; readonly figures?: unknown }[]): ExitCode {
  return rows.some(({ seconds, figures }) => seconds === null && figures === undefined) ? EXIT.endedBadly : EXIT.done;
}
