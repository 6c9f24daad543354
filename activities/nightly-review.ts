import { Context } from '@temporalio/activity';
import { DateTime } from 'luxon';
import { parseEvent } from '../packages/agent-signal/events.schema.ts';
import { nightlyReviewContract } from '../packages/contracts/nightly-review.ts';
import { listNightlyAgents, nightlyUsers, readTimezone, repeatOpenReview } from '../packages/database/nightly-reviews.ts';
import { admitEvent } from '../packages/database/signal-admission.ts';
import type { AgentSignalScopeDeps } from './agent-signal-scope.ts';
import { nightlySourceId } from './policies/reviews/request.ts';
import { createPipelineActivities } from './runner/create.ts';
import type { RunnerDeps } from './runner/definition.ts';
import { refuse } from './runner/failures.ts';

export type NightlyReviewDeps = RunnerDeps & AgentSignalScopeDeps;

const HOURS: readonly number[] = [2, 3];

/** The day before, from midnight to midnight of the user's own clock; null: it is not their night. */
export const findReviewWindow = (
  scheduledAt: string,
  timezone: string | undefined,
): { readonly localDate: string; readonly timezone: string; readonly from: string; readonly to: string } | null => {
  const zoned = DateTime.fromISO(scheduledAt, { zone: timezone ?? 'UTC' });
  const local = zoned.isValid ? zoned : DateTime.fromISO(scheduledAt, { zone: 'UTC' });
  if (!HOURS.includes(local.hour)) return null;
  const to = local.startOf('day');
  const from = to.minus({ days: 1 }).startOf('day');
  const iso = (at: DateTime): string => at.toUTC().toISO({ includeOffset: true }) ?? '';
  return { localDate: from.toISODate() ?? '', timezone: local.zoneName ?? 'UTC', from: iso(from), to: iso(to) };
};

interface Request {
  readonly userId: string;
  readonly agentId: string;
  readonly scheduledAt: string;
  readonly window: NonNullable<ReturnType<typeof findReviewWindow>>;
}

/** Asks for one review; of one that has been asked for, only a review that is open again is repeated. */
const ask = async (
  { db, signals }: NightlyReviewDeps,
  { userId, agentId, scheduledAt, window }: Request,
): Promise<'dispatched' | 'deduped' | 'refused'> => {
  const { localDate, timezone, from, to } = window;
  const payload = { agentId, userId, localDate, timezone, requestedAt: scheduledAt, reviewWindowStart: from, reviewWindowEnd: to };
  const body = { sourceType: 'agent.nightly_review.requested', sourceId: nightlySourceId(payload), payload, userId, agentId };
  const parsed = parseEvent(body, { door: 'server', caller: { kind: 'service' }, limits: signals.limits });
  if (!parsed.ok) return 'refused';
  const { taskQueue } = Context.current().info;
  const admission = await admitEvent(db, parsed.event, signals);
  if (admission.kind === 'duplicate') {
    if (!(await repeatOpenReview(db, admission.eventId))) return 'deduped';
    await signals.wake(parsed.event, taskQueue);
    return 'dispatched';
  }
  if (admission.kind !== 'accepted') return 'refused';
  if (admission.sendsWake) await signals.wake(parsed.event, taskQueue);
  return 'dispatched';
};

/** Activities of the nightly review: its items are users, each asked about once. */
export const createNightlyReviewActivities = (deps: NightlyReviewDeps, contract = nightlyReviewContract) =>
  createPipelineActivities(
    contract,
    {
      preflight: async ({ input }) => {
        if (!DateTime.fromISO(input.scheduledAt).isValid)
          throw refuse(`scheduledAt must be a time like 2026-05-03T18:00:00.000Z, not "${input.scheduledAt}"`);
        return {};
      },
      eligible: ({ scheduledAt }) => nightlyUsers(scheduledAt, deps.signals.isOnByDefault),
      executeItem: async ({ itemId: userId, input: { scheduledAt } }) => {
        const window = findReviewWindow(scheduledAt, await readTimezone(deps.db, userId));
        if (window === null) return { kind: 'skipped', reason: 'not the night of this user' };
        const answers: string[] = [];
        for (const agentId of await listNightlyAgents(deps.db, { userId, ...window }))
          answers.push(await ask(deps, { userId, agentId, scheduledAt, window }));
        const count = (wanted: string): number => answers.filter((answer) => answer === wanted).length;
        return {
          kind: 'done',
          result: { localDate: window.localDate, dispatched: count('dispatched'), deduped: count('deduped'), refused: count('refused') },
        };
      },
    },
    deps,
  );
