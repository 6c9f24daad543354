import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineCommand } from 'citty';
import type { Database } from '../../../packages/database/database.ts';
import { EVAL_DEFAULTS } from '../../../packages/contracts/eval-run.ts';
import type { CaseResult } from '../../../packages/contracts/eval-result.ts';
import { findEvalRun } from '../../../packages/database/eval-runs.ts';
import { readCaseRows } from '../../../packages/database/eval-trajectories.ts';
import { deriveCaseResult } from '../../../packages/evals/case-result.ts';
import { buildReport } from '../../../packages/evals/report.ts';
import type { EvalReport } from '../../../packages/evals/report.ts';
import { renderReportHtml } from '../../../packages/evals/report-html.ts';
import { renderReportText } from '../../../packages/evals/report-text.ts';
import { describeTarget } from '../../../packages/models/create-target.ts';
import { EXIT, UserError } from '../../../packages/runtime/user-error.ts';
import { commonArgs, dataArgs } from '../../cli/common-args.ts';
import { withDatabase } from '../../cli/open-database.ts';
import { createOutput } from '../../cli/output.ts';

/** `strata eval report`: what a run amounts to so far, in the terminal, as JSON, and as a page. */
export const evalReportCommand = defineCommand({
  meta: { name: 'report', description: 'show how a run went; --html writes it as one page' },
  args: {
    ...commonArgs,
    ...dataArgs,
    run: { type: 'positional', required: true, description: 'id of the run, or its workflow id agent-eval-run/<id>' },
    html: { type: 'string', description: 'write a self-contained page to this file', valueHint: 'file' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const report = await withDatabase(args.data, (db) => loadReport(db, args.run.replace(/^agent-eval-run\//, '')));
    const page = args.html === undefined ? null : resolve(args.html);
    if (page !== null) await writePage(page, report);
    const { green: good, red: bad, dim, bold } = output.colors;
    output.document({ ...report, ...(page === null ? {} : { html: page }) }, () => {
      const text = renderReportText(report, { good, bad, dim, bold });
      return page === null ? text.trimEnd() : `${text}\npage: ${page}`;
    });
  },
});

async function writePage(page: string, report: EvalReport): Promise<void> {
  await writeFile(page, renderReportHtml(report)).catch((cause: Error) => {
    throw new UserError(`${page} cannot be written: ${cause.message}`);
  });
}

/** Reads a run with all its cases; a UserError (exit 3) if there is no such run. */
async function loadReport(db: Database, id: string): Promise<EvalReport> {
  const run = await findEvalRun(db, id);
  if (run === null) throw new UserError(`there is no evaluation run ${id}: \`strata eval list\` shows them`, EXIT.unreachable);
  const cases: CaseResult[] = [];
  for await (const row of readCaseRows(db, id)) cases.push(deriveCaseResult(row, run.status));
  const { k = EVAL_DEFAULTS.k, passThreshold = EVAL_DEFAULTS.passThreshold } = run.config;
  const { benchmark, status, createdAt, startedAt, finishedAt } = run;
  return buildReport({ id, benchmark, target: describeTarget(run.target), status, k, passThreshold, createdAt, startedAt, finishedAt }, cases);
}
