import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import type { InjectedSinks, ReplayWorkerOptions, WorkflowBundle } from '@temporalio/worker';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { bundleOptions } from '../../packages/runtime/bundle.ts';
import { payloadConverterOption } from '../../packages/runtime/data-converter.ts';
import { countActivities, countSteadyEvents, measure } from './budgets.ts';
import { isRecorded, listRecorded, readRecorded } from './corpus.ts';
import type { RecordedHistory } from './corpus.ts';
import { readEnding } from './ending.ts';
import type { Ending, EndingSinks } from './ending.ts';
import { SCENARIOS } from './scenarios/index.ts';

const ADVICE =
  "The workflow code no longer does what a recorded run did. Is such a run open somewhere: put the change behind patched('<entity>/<yyyy-mm-dd>-<what>'). " +
  'Has no such run been released: record the corpus anew with `npm run histories` and look at its diff.';
const CORPUS_BYTES = 2_000_000;
const KIB = 1_024;

const names = listRecorded();
const corpus = new Map<string, RecordedHistory>();
const recorded = (name: string): RecordedHistory => {
  const found = corpus.get(name);
  if (found === undefined) throw new Error(`no history ${name}`);
  return found;
};

async function bundleTelling(): Promise<WorkflowBundle> {
  const interceptor = new URL('fixtures/tell-ending.ts', import.meta.url).pathname;
  const options = bundleOptions();
  return bundleWorkflowCode({ ...options, workflowInterceptorModules: [...(options.workflowInterceptorModules ?? []), interceptor] });
}

beforeAll(async () => {
  for (const name of names) corpus.set(name, await readRecorded(name));
});

describe('the corpus', () => {
  test('has a history of every scenario, and no other', () => {
    const kept = SCENARIOS.flatMap(({ keeps }) => keeps);
    expect(
      kept.filter((name) => !isRecorded(name)),
      'not recorded yet: run `npm run histories`',
    ).toEqual([]);
    expect(names).toEqual([...kept].sort());
  });

  test('stays below 2 MB', () => {
    expect([...corpus.values()].reduce((sum, { fileBytes }) => sum + fileBytes, 0)).toBeLessThan(CORPUS_BYTES);
  });
});

/** Replays the whole corpus in one Worker; resolves to what went wrong, by name. */
async function replayCorpus(options: ReplayWorkerOptions): Promise<ReadonlyMap<string, Error>> {
  const faults = new Map<string, Error>();
  for await (const { runId, error } of Worker.runReplayHistories(options, corpus.values())) if (error !== undefined) faults.set(nameOf(runId), error);
  return faults;
}

/** A replayed run has the run id of its first event. */
const nameOf = (runId: string): string => {
  const isRun = ({ history: { events } }: RecordedHistory): boolean =>
    events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId === runId;
  return [...corpus.values()].find(isRun)?.name ?? runId;
};

describe('every recorded history', () => {
  let faults: ReadonlyMap<string, Error>;
  const endings = new Map<string, Ending>();

  beforeAll(async () => {
    const dataConverter = payloadConverterOption();
    faults = await replayCorpus({ workflowBundle: { codePath: inject('strata').bundlePath }, dataConverter });
    const sinks: InjectedSinks<EndingSinks> = {
      ending: { tell: { callDuringReplay: true, fn: ({ runId }, ending) => void endings.set(nameOf(runId), ending) } },
    };
    await replayCorpus({ workflowBundle: await bundleTelling(), dataConverter, sinks });
  }, 120_000);

  test.for(names)('replays with the bundle and the options of production: %s', (name) => {
    expect(faults.get(name), `${ADVICE}\n${faults.get(name)?.message}`).toBeUndefined();
  });

  test.for(names)('ends as it did when it was recorded: %s', (name) => {
    expect(endings.get(name), ADVICE).toEqual(readEnding(recorded(name).history));
  });
});

describe('the budgets of what a history carries', () => {
  test.for(names)('%s', (name) => {
    const sizes = measure(recorded(name).history);
    expect(sizes.chunkInput).toBeLessThanOrEqual(64 * KIB);
    expect(sizes.receipt).toBeLessThanOrEqual(64 * KIB);
    expect(sizes.failure).toBeLessThan(2_000);
    expect(sizes.failureMessage).toBeLessThanOrEqual(1_000);
    expect(sizes.carriedState).toBeLessThanOrEqual(16_000);
    expect(sizes.summary).toBeLessThanOrEqual(200);
    expect(sizes.workflowTask).toBeLessThan(1_000_000);
  });

  test('an item costs a chunk at most 6 events in the steady state: its activity and one workflow task', () => {
    const { events, scheduled } = countSteadyEvents(recorded('pipelineChunk/twenty-cases').history, 'executeItem');
    expect(scheduled).toBe(20);
    expect(events / scheduled).toBeLessThanOrEqual(6);
  });

  test('a slice of six items costs its run at most 12 events, with its share of listing, retry timers and progress', () => {
    const { events, scheduled } = countSteadyEvents(recorded('probe/slice-retries').history, 'executeSlice');
    expect(scheduled).toBeGreaterThan(3);
    expect(events / scheduled).toBeLessThanOrEqual(12);
  });

  test('an event with one handler costs its scope at most 1.2 activities and 8 events, with its share of the claims', () => {
    const { history } = recorded('agentSignalScope/continued');
    const { events, scheduled } = countSteadyEvents(history, 'runHandler');
    expect(scheduled).toBeGreaterThan(5);
    expect(events / scheduled).toBeLessThanOrEqual(8);
    expect(countActivities(history) / scheduled).toBeLessThanOrEqual(1.2);
  });
});
