import { workflowInfo } from '@temporalio/workflow';
import type { RawSignal, ScopeStatus } from '../contracts/agent-signal-scope.ts';
import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { Claimed } from '../contracts/signal-activities.ts';
import { SIGNAL_LIMITS } from '../contracts/signal-limits.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { EventState } from '../contracts/signal-run.ts';

const RAW_BYTES = 32 * 1_024;
const STATUS_EVERY_MS = 2_000;

/** A run of a scope at work; the story and its message handlers share it. */
export interface ScopeStory extends ScopeIdentity {
  limits: SignalLimits;
  /** Something may be in the inbox. */
  isWoken: boolean;
  /** The run is about to end or to continue: whoever waits asks again. */
  isMoving: boolean;
  raw: RawSignal[];
  /** Signals accepted so far, which number rejections. */
  rawTaken: number;
  rejected: number;
  events: number;
  wakes: number;
  emits: number;
  /** Events that producers wait for, with how many of them wait. */
  readonly awaited: Map<string, number>;
  readonly states: Map<string, EventState>;
  status: Claimed['status'];
  statusAtMs: number;
  currentEvent: string | null;
  /** When the earliest timer is due; null: there is none. */
  dueAtMs: number | null;
  idleSinceMs: number;
}

/** A run that has heard nothing yet. */
export const createStory = (
  { ownerId, scopeKey }: ScopeIdentity,
  carried: { readonly raw: readonly RawSignal[]; readonly rejected: number },
): ScopeStory => ({
  ownerId,
  scopeKey,
  limits: SIGNAL_LIMITS,
  isWoken: true,
  isMoving: false,
  raw: [...carried.raw],
  rawTaken: 0,
  rejected: carried.rejected,
  events: 0,
  wakes: 0,
  emits: 0,
  awaited: new Map(),
  states: new Map(),
  status: null,
  statusAtMs: 0,
  currentEvent: null,
  dueAtMs: null,
  idleSinceMs: Date.now(),
});

/** Whether the run has had enough: by its own counts, by its history, or because a newer version is there. */
export const isFull = ({ events, wakes, emits, limits }: ScopeStory): boolean => {
  const { historyLength, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo();
  return (
    events >= limits.continueAfterEvents ||
    wakes >= limits.continueAfterWakes ||
    emits >= limits.continueAfterEmits ||
    historyLength >= limits.historyEvents ||
    continueAsNewSuggested ||
    targetWorkerDeploymentVersionChanged === true
  );
};

/** What came by signal is small enough to be handed over. */
export const isPortable = ({ raw }: ScopeStory): boolean => raw.reduce((sum, { bytes }) => sum + bytes, 0) <= RAW_BYTES;

/** Counting rows takes longer the more there are: a claim counts them no more often than this. */
export const wantsStatus = ({ status, statusAtMs }: ScopeStory): boolean => status === null || Date.now() - statusAtMs >= STATUS_EVERY_MS;

const EMPTY: Omit<ScopeStatus, keyof ScopeIdentity> = {
  pending: 0,
  processing: 0,
  waiting: 0,
  done: 0,
  failed: 0,
  rejected: 0,
  timers: 0,
  currentEvent: null,
  lastFailure: null,
  asOf: '',
};

/** What a query answers, as of the last claim that counted. */
export const describeScope = ({ ownerId, scopeKey, status, currentEvent, rejected }: ScopeStory): ScopeStatus => ({
  ownerId,
  scopeKey,
  ...EMPTY,
  ...status,
  rejected: Math.max(rejected, status?.rejected ?? 0),
  currentEvent,
});

/** The same for the Temporal UI: one markdown table. */
export const describeInMarkdown = (story: ScopeStory): string => {
  const { currentEvent, lastFailure, asOf, ownerId, scopeKey, ...counts } = describeScope(story);
  const rows = Object.entries(counts).map(([name, count]) => `| ${name} | ${count} |`);
  return [
    `**${scopeKey}** of ${ownerId}, as of ${asOf}`,
    '',
    `current event: ${currentEvent ?? 'none'}`,
    '',
    '| events | |',
    '|---|---|',
    ...rows,
    ...(lastFailure === null ? [] : ['', `last failure: ${lastFailure}`]),
  ].join('\n');
};
