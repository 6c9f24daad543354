import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, test } from 'vitest';
import { isMessage, listChunkEnds } from '../../bench/histories.ts';
import type { HistoryEvent } from '../../bench/histories.ts';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';

const read = (name: string): readonly HistoryEvent[] => {
  const file = join(REPOSITORY_ROOT, 'tests/replay/histories/probe', `${name}.json`);
  return historyFromJSON(JSON.parse(readFileSync(file, 'utf8'))).events ?? [];
};

const countActivities = (events: readonly HistoryEvent[], name: string): number =>
  events.filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === name).length;

test('a chunk ends where its child does, and the items of the parent are none', () => {
  const events = read('chunks');
  const children = events.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes).length;
  expect(children).toBeGreaterThan(1);
  expect(listChunkEnds(events)).toHaveLength(children);
  expect(listChunkEnds(read('direct'))).toEqual([]);
});

test('a chunk ends where its slice does, in the order of their ends', () => {
  const events = read('slice-retries');
  const ends = listChunkEnds(events);
  expect(ends).toHaveLength(countActivities(events, 'probe.executeSlice'));
  expect(ends.length).toBeGreaterThan(1);
  expect(ends).toEqual([...ends].sort((left, right) => left - right));
});

test('what a workflow hears is its signals and its updates', () => {
  const events = read('pause-resume');
  const signals = events.filter((event) => event.workflowExecutionSignaledEventAttributes).length;
  const updates = events.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes).length;
  expect(signals + updates).toBeGreaterThan(0);
  expect(events.filter(isMessage)).toHaveLength(signals + updates);
  expect(read('direct').filter(isMessage)).toEqual([]);
});
