import { expect, test, vi } from 'vitest';
import type { Claimed, ClaimRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { claimBehind } from './claim.ts';

const settled: StepResult = { answer: { status: 'none' }, settled: 'done' };
const next: ClaimRequest = { ownerId: 'o', scopeKey: 'topic:t', runId: 'r', buildId: '', limit: 20, awaited: [], ended: [], wantsStatus: false };
const claimed: Claimed = { events: [], states: [], nextDueInMs: null, status: null, limits: SIGNAL_LIMITS };

test('behind an event that its call has settled the next are claimed', async () => {
  expect(await claimBehind(async () => claimed, next, settled)).toEqual({ ...settled, claimed });
});

test('an event that goes on, and a call that was not asked to, claim nothing', async () => {
  const claim = vi.fn<() => Promise<Claimed>>(async () => claimed);
  expect(await claimBehind(claim, next, { ...settled, settled: null })).toEqual({ ...settled, settled: null });
  expect(await claimBehind(claim, undefined, settled)).toEqual(settled);
  expect(claim).not.toHaveBeenCalled();
});

test('a claim that fails is no failure of the call, whose answer is stored', async () => {
  expect(await claimBehind(() => Promise.reject(new Error('the database is away')), next, settled)).toEqual(settled);
});
