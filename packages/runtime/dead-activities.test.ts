import { expect, test } from 'vitest';
import { findDeadActivities } from './dead-activities.ts';

const [SCHEDULED, STARTED, CANCEL_REQUESTED, PAUSED, PAUSE_REQUESTED] = [1, 2, 3, 4, 5];
const DEAD = new Set(['dead', 'dead too']);

const find = (state: number, lastWorkerIdentity: string) => findDeadActivities([{ activityId: '7', lastWorkerIdentity, state }], DEAD);

test('an activity under way on a dead worker is failed, so that it is retried', () => {
  expect(find(STARTED, 'dead')).toEqual([{ activityId: '7', worker: 'dead', verdict: 'fail' }]);
  expect(find(PAUSE_REQUESTED, 'dead too')).toEqual([{ activityId: '7', worker: 'dead too', verdict: 'fail' }]);
});

test('one whose cancellation was requested is cancelled, so that an abort ends', () => {
  expect(find(CANCEL_REQUESTED, 'dead')).toEqual([{ activityId: '7', worker: 'dead', verdict: 'cancel' }]);
});

test('one that waits for its next attempt, or is paused, is left alone although a dead worker had the attempt before', () => {
  expect(find(SCHEDULED, 'dead')).toEqual([]);
  expect(find(PAUSED, 'dead')).toEqual([]);
});

test('one of a live worker, or that no worker has had, is left alone', () => {
  expect(find(STARTED, 'alive')).toEqual([]);
  expect(find(SCHEDULED, '')).toEqual([]);
  expect(findDeadActivities([{}], DEAD)).toEqual([]);
});

test('of several activities exactly those of the dead are found, in their order', () => {
  const pending = ['alive', 'dead', 'alive', 'dead too'].map((lastWorkerIdentity, index) => ({
    activityId: String(index),
    lastWorkerIdentity,
    state: STARTED,
  }));
  expect(findDeadActivities(pending, DEAD).map(({ activityId }) => activityId)).toEqual(['1', '3']);
});
