import { createProbeActivities, probeFlow } from '../../activities/probe.ts';
import { createPipelineActivities } from '../../activities/runner/create.ts';
import type { ItemContext, ItemOutcome, RunnerDeps } from '../../activities/runner/definition.ts';
import type { PipelineInput } from '../contracts/fields.ts';
import type { RetryPlan, RunPlan } from '../contracts/run-plan.ts';
import { createActivities } from '../../workers/deps.ts';
import type { WorkerDeps } from '../../workers/deps.ts';
import { probeContract } from '../contracts/probe.ts';
import { probeSource } from '../database/probe-store.ts';
import { waitUntil } from '../runtime/wait-until.ts';

type ProbeFields = (typeof probeContract)['fields'];

type ProbeItem = ItemContext<ProbeFields>;

type ProbeContract = typeof probeContract;

/** The probe's contract with other numbers: shorter waits, smaller pages. */
export const varyProbe = ({
  plan,
  retry,
  ...rest
}: Partial<Omit<ProbeContract, 'plan' | 'retry'>> & { readonly plan?: Partial<RunPlan>; readonly retry?: Partial<RetryPlan> }): ProbeContract => ({
  ...probeContract,
  ...rest,
  plan: { ...probeContract.plan, ...plan },
  retry: { ...probeContract.retry, ...retry },
});

export interface StageInput {
  readonly contract?: ProbeContract;
  /** What an item does once it may pass; by default it is done. */
  readonly behave?: (item: ProbeItem, deps: RunnerDeps) => Promise<ItemOutcome>;
  /** Runs before a run is counted. */
  readonly preflight?: () => Promise<void>;
  /** Runs while a run is opened. */
  readonly markRunning?: () => Promise<void>;
}

/** All activities as they are, but for the probe's waits between attempts: tenths of seconds in place of seconds. */
export const withBriefRetries = (deps: WorkerDeps): object => ({
  ...createActivities(deps),
  ...createProbeActivities(deps, varyProbe({ retry: { firstWaitMs: 100 } })),
});

/** Items that stand where a test put them: those that may not pass wait inside their activity until released or interrupted. */
export interface Stage {
  /** Ids of all executions so far, in the order of their start. */
  readonly starts: readonly string[];
  readonly inFlight: () => number;
  readonly ended: () => number;
  /** From now on items wait unless `mayPass` accepts them. */
  readonly hold: (mayPass: (itemId: string) => boolean) => void;
  /** Lets those that wait now go on; later ones are still held. */
  readonly releaseWaiting: () => void;
  /** Lets all go on, now and later. */
  readonly open: () => void;
  readonly waitFor: (expected: { readonly ended: number; readonly inFlight: number }) => Promise<void>;
  readonly createActivities: (deps: RunnerDeps) => object;
}

/** Number of a seeded probe item. */
export const seqOf = (itemId: string): number => Number(itemId.replace('item-', ''));

interface StageParts {
  readonly contract: ProbeContract;
  readonly preflight: StageInput['preflight'];
  readonly markRunning: StageInput['markRunning'];
  readonly executeItem: (item: ProbeItem, deps: RunnerDeps) => Promise<ItemOutcome>;
}

/** How a run's own numbers come from the probe's input. */
export const planOf = ({ pageSize, chunkSize, dispatch }: PipelineInput<ProbeFields>): Partial<RunPlan> => ({
  ...(pageSize === undefined ? {} : { pageSize }),
  ...(chunkSize === undefined ? {} : { chunkSize }),
  ...(dispatch === undefined ? {} : { dispatch: dispatch as RunPlan['dispatch'] }),
});

const createStageActivities = ({ contract, preflight, markRunning, executeItem }: StageParts, deps: RunnerDeps): object =>
  createPipelineActivities<ProbeFields>(
    contract,
    {
      preflight: async ({ input }) => {
        await preflight?.();
        return { plan: planOf(input) };
      },
      flow: probeFlow,
      eligible: ({ set }) => probeSource(set),
      markRunning: async () => markRunning?.(),
      executeItem: (item) => executeItem(item, deps),
    },
    deps,
  );

/** Makes a stage; hand its `createActivities` to `createRig`. */
export const createStage = ({ contract = probeContract, behave, preflight, markRunning }: StageInput = {}): Stage => {
  const starts: string[] = [];
  const waiting = new Set<() => void>();
  let mayPass = (_itemId: string): boolean => true;
  let [inFlight, ended] = [0, 0];
  const pass = ({ itemId, signal }: ProbeItem): Promise<void> => {
    if (mayPass(itemId)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      waiting.add(resolve);
      signal.addEventListener('abort', () => {
        waiting.delete(resolve);
        reject(signal.reason as Error);
      });
    });
  };
  const releaseWaiting = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const executeItem = async (item: ProbeItem, deps: RunnerDeps): Promise<ItemOutcome> => {
    starts.push(item.itemId);
    inFlight++;
    try {
      await pass(item);
      return (await behave?.(item, deps)) ?? { kind: 'done' };
    } finally {
      inFlight--;
      ended++;
    }
  };
  return {
    starts,
    inFlight: () => inFlight,
    ended: () => ended,
    hold: (next) => void (mayPass = next),
    releaseWaiting,
    open: () => {
      mayPass = () => true;
      releaseWaiting();
    },
    waitFor: (expected) =>
      waitUntil({
        what: `${expected.ended} items ended and ${expected.inFlight} in flight`,
        timeoutMs: 40_000,
        probe: async () => ended === expected.ended && inFlight === expected.inFlight,
      }),
    createActivities: (deps) => createStageActivities({ contract, preflight, markRunning, executeItem }, deps),
  };
};
