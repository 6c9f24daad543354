import { pipelineContracts } from '../../packages/contracts/index.ts';
import type { RunStatus } from '../../packages/runtime/run-status.ts';

/** Items that have ended, and how many there are to process; undefined before the count. */
export function doneOf({ toProcess, remaining }: RunStatus): { readonly done: number; readonly total: number } | undefined {
  return toProcess === undefined ? undefined : { done: toProcess - (remaining ?? toProcess), total: toProcess };
}

/** A rate for people: `12.5/s`. */
export function rateText({ ratePerSecond }: Pick<RunStatus, 'ratePerSecond'>): string {
  return ratePerSecond === null ? '–/s' : `${ratePerSecond}/s`;
}

/** A time left for people: `42 s`, `3 min 20 s`, `1 h 5 min`. */
export function etaText({ etaSeconds }: Pick<RunStatus, 'etaSeconds'>): string {
  if (etaSeconds === null) return '–';
  if (etaSeconds < 60) return `${etaSeconds} s`;
  if (etaSeconds < 3_600) return `${Math.floor(etaSeconds / 60)} min ${etaSeconds % 60} s`;
  return `${Math.floor(etaSeconds / 3_600)} h ${Math.floor((etaSeconds % 3_600) / 60)} min`;
}

/** A run in one line: state, counters, rate, time left. */
export function lineOf(status: RunStatus): string {
  const progress = doneOf(status);
  const parts = [stateText(status)];
  if (progress !== undefined) parts.push(`${progress.done}/${progress.total} ${nounOf(status)}`);
  if (status.failed > 0) parts.push(`${status.failed} failed`);
  if (status.inFlight > 0) parts.push(`${status.inFlight} in flight`);
  if (status.ratePerSecond !== null) parts.push(rateText(status));
  if (status.etaSeconds !== null) parts.push(`${etaText(status)} left`);
  return parts.join(' · ');
}

/** A run's state, and why it waits. */
export function stateText({ state, noWorkerSince }: RunStatus): string {
  return noWorkerSince === undefined ? state : `${state}, no worker since ${noWorkerSince}`;
}

/** A run in full, one fact a line. */
export function describeStatus(status: RunStatus): string {
  const facts: readonly (readonly [string, unknown])[] = [
    ['run', status.workflowId],
    ['state', stateText(status)],
    ['message', status.message],
    ['failure', status.failure?.type],
    ['eligible', status.totalEligible],
    ['to process', status.toProcess],
    ['already processed', status.alreadyProcessed],
    ['deferred', status.deferred || undefined],
    ['not eligible', status.notEligible || undefined],
    ['succeeded', status.succeeded],
    ['failed', status.failed],
    ['skipped', status.skipped || undefined],
    ['interrupted', status.interrupted || undefined],
    ['remaining', status.remaining],
    ['in flight', status.inFlight || undefined],
    ['rate', status.ratePerSecond === null ? undefined : rateText(status)],
    ['time left', status.etaSeconds === null ? undefined : etaText(status)],
    ['pages · chunks · direct', `${status.pages} · ${status.chunks} · ${status.direct}`],
    ['epoch', status.epoch],
    ['started', status.startedAt],
    ['finished', status.finishedAt],
    ['as of', status.finishedAt === undefined ? status.asOf : undefined],
    ['failed items', status.failedItems],
  ];
  return facts
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name.padEnd(24)} ${String(value)}`)
    .join('\n');
}

function nounOf({ pipeline }: RunStatus): string {
  return pipelineContracts.find(({ type }) => type === pipeline)?.texts.noun ?? 'items';
}
