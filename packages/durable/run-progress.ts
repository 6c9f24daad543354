import type { RunProgress } from '../contracts/run.ts';
import { computeProcessed, computeRemaining } from '../contracts/texts.ts';
import type { LedgerCounts } from '../contracts/finish-activities.ts';
import { NO_ITEMS } from '../contracts/counts.ts';
import { maxItemCounts } from './item-counts.ts';
import type { LedgerReading, RunMemory } from './run-state.ts';

/** Rate between two readings, items per second; null without a reading before or without time between. */
export const readLedger = (before: LedgerReading | null, counts: LedgerCounts): LedgerReading => {
  const items = { ...NO_ITEMS, succeeded: counts.succeeded, failed: counts.failed, skipped: counts.skipped };
  const seconds = before === null ? 0 : (Date.parse(counts.asOf) - Date.parse(before.asOf)) / 1_000;
  const ended = before === null ? 0 : computeProcessed(items) - computeProcessed(before.items);
  return { items, inFlight: counts.inFlight, asOf: counts.asOf, ratePerSecond: seconds > 0 ? Math.round((ended / seconds) * 100) / 100 : null };
};

/** The progress query's answer: receipts so far and the last ledger reading, whichever counted more. */
export const describeProgress = (workflowId: string, memory: RunMemory): RunProgress => {
  const { counts, reading } = memory;
  const items = maxItemCounts(memory.items, reading?.items ?? {});
  const remaining = counts === null ? null : computeRemaining(counts.toProcess, items);
  const ratePerSecond = memory.ended === null ? (reading?.ratePerSecond ?? null) : null;
  const etaSeconds = remaining === null || ratePerSecond === null || ratePerSecond === 0 ? null : Math.ceil(remaining / ratePerSecond);
  return {
    workflowId,
    state: memory.ended ?? memory.control,
    requestId: memory.requestId,
    epoch: memory.epoch,
    ...counts,
    ...items,
    ...memory.work,
    remaining,
    inFlight: memory.ended === null ? (reading?.inFlight ?? 0) : 0,
    ratePerSecond,
    etaSeconds,
    asOf: reading?.asOf ?? null,
    startedAt: memory.startedAt,
  };
};

const cell = (value: number | string | null): string => (value === null ? '–' : String(value));

/** Current details of a run for the Temporal UI: one markdown table, < 20 kB. */
export const describeDetails = (progress: RunProgress, noun: string): string => {
  const total = progress.toProcess ?? null;
  const done = total === null ? null : total - (progress.remaining ?? 0);
  const percent = total === null || total === 0 || done === null ? '' : ` (${Math.floor((done / total) * 100)} %)`;
  const rows: readonly [string, string][] = [
    ['state', progress.state],
    ['processed', `${cell(done)} of ${cell(total)} ${noun}${percent}`],
    ['succeeded', cell(progress.succeeded)],
    ['failed', cell(progress.failed)],
    ['skipped', cell(progress.skipped)],
    ['already processed', cell(progress.alreadyProcessed ?? null)],
    ['deferred', cell(progress.deferred ?? null)],
    ['in flight', cell(progress.inFlight)],
    ['rate', progress.ratePerSecond === null ? '–' : `${progress.ratePerSecond}/s`],
    ['time left', progress.etaSeconds === null ? '–' : `${progress.etaSeconds} s`],
    ['pages · chunks · direct', `${progress.pages} · ${progress.chunks} · ${progress.direct}`],
    ['as of', cell(progress.asOf)],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
};
