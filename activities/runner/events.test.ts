import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PipelineEvent } from '../../packages/contracts/metrics.ts';
import type { EventCounter } from './events.ts';
import { createEventCounter } from './events.ts';

let events: string[];
let items: string[];
let redrives: number;
let counter: EventCounter;

beforeEach(() => {
  [events, items, redrives] = [[], [], 0];
  const record = ({ operation, status, errorType = '' }: PipelineEvent, count = 1): void =>
    void events.push(`${operation} ${status} ${errorType} ${count}`.replace('  ', ' '));
  const meter = {
    itemStarted: () => () => undefined,
    itemsWaited: () => undefined,
    itemsEnded: (_pipeline: string, outcome: string, count: number) => void (count > 0 && items.push(`${outcome} ${count}`)),
    redriven: () => void redrives++,
  };
  counter = createEventCounter('probe', { record, meter });
});

const failure = (type: string, nonRetryable: boolean): ApplicationFailure => ApplicationFailure.create({ type, message: type, nonRetryable });

describe('an item with an activity of its own', () => {
  test.each(['done', 'skipped'])('counts as ended when it is %s', (outcome) => {
    counter.ended('executeItem', {}, { itemId: 'a', outcome });
    expect([events, items]).toEqual([['item success 1'], [`${outcome} 1`]]);
  });

  test('has failed with its last attempt only', () => {
    counter.failed('executeItem', failure('ProviderUnavailable', false));
    expect([events, items]).toEqual([['item deferred ProviderUnavailable 1'], []]);
    counter.failed('executeItem', failure('ProviderUnavailable', true));
    expect([events.at(-1), items]).toEqual(['item error ProviderUnavailable 1', ['failed 1']]);
  });

  test.each(['RateLimited', 'ClaimHeld', 'DatabaseUnavailable'])('is deferred by %s', (type) => {
    counter.failed('executeItem', failure(type, false));
    expect([events, items]).toEqual([[`item deferred ${type} 1`], []]);
  });

  test('that was cancelled is interrupted, and one that a stopped run did not start is no success', () => {
    counter.failed('executeItem', new CancelledFailure('interrupted'));
    counter.ended('executeItem', {}, { itemId: 'a', outcome: 'notStarted', stop: 'aborted' });
    expect([events, items]).toEqual([['item abort 1', 'item abort 1'], ['interrupted 1']]);
  });
});

test('a slice counts its items, each by how it ended', () => {
  const retry = [{ itemId: 'a', afterMs: 1 }];
  counter.ended('executeSlice', {}, { succeeded: 5, failed: 2, skipped: 1, interrupted: 3, retry, notStarted: ['b'] });
  expect(events).toEqual(['item success 6', 'item error 2', 'item abort 3', 'item deferred 1']);
  expect(items).toEqual(['done 5', 'skipped 1', 'failed 2', 'interrupted 3']);
});

test('a redrive counts when it has opened a run, a dry run of one does not', () => {
  const request = { args: [{ redriveOf: 'probe/a' }], owner: {} };
  counter.ended('countEligible', request, { run: null });
  counter.ended('countEligible', { ...request, args: [{ set: 'a' }] }, { run: { id: '1', epoch: 1 } });
  expect(redrives).toBe(0);
  counter.ended('countEligible', request, { run: { id: '2', epoch: 1 } });
  expect(redrives).toBe(1);
});

test('a reading of progress is no event', () => {
  counter.ended('readProgress', {}, {});
  counter.failed('readProgress', new Error('late'));
  expect(events).toEqual([]);
});
