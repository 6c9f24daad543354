import { CancellationScope, condition, defineSignal, setHandler } from '@temporalio/workflow';
import { FLOW_MESSAGES } from '../contracts/flow-messages.ts';
import type { FlowOwner } from '../contracts/flow-control.ts';
import type { FlowKeys, FlowLayer } from '../contracts/flow-limits.ts';
import type { ChunkNeed, FlowGrant } from '../contracts/flow-messages.ts';
import { Gate } from '../flow-control/gate.ts';
import type { GateState } from '../flow-control/gate.ts';
import { flowCalls } from './limiter-calls.ts';

const LAYERS = ['process', 'paginate', 'execute'] as const satisfies readonly FlowLayer[];
/** A run that waits says so again after this time: its limiter may have been terminated and have forgotten it. */
const REPEAT_MS = 30_000;

const grantSignal = defineSignal<[FlowGrant]>(FLOW_MESSAGES.grant);
const chunkNeedSignal = defineSignal<[ChunkNeed]>(FLOW_MESSAGES.chunkNeed);

/** Gates of a run as continue-as-new carries them. */
export type CarriedFlow = Partial<Record<FlowLayer, GateState>>;

/** A run's limits: a gate per limited layer, and the messages between it and the limiters. */
export interface Flow {
  readonly gates: Readonly<Record<FlowLayer, Gate | null>>;
  /** Tells the limiters what they have to know; returns at once. */
  flush(): void;
  /** Waits for one permit of a layer and takes it; answers its start time, ms (null: at once). */
  enter(layer: FlowLayer, isStopped: () => boolean): Promise<number | null>;
  /** Wants nothing more of these layers, gives their permits back, and waits until the limiters know. */
  leave(...layers: readonly FlowLayer[]): Promise<void>;
  /** Waits until no message is under way. */
  settle(): Promise<void>;
  carry(): CarriedFlow;
}

export interface FlowInbox {
  /** Makes the flow once the keys are known; what came before is not lost. */
  open(keys: FlowKeys, owner: FlowOwner, carried: CarriedFlow): Flow;
  /** Called on every message. */
  onChange: () => void;
  onChunkNeed: (need: ChunkNeed) => void;
}

/** Sets a run's handlers for limiters and chunks; call it before the first await. */
export const installFlow = (): FlowInbox => {
  const early: FlowGrant[] = [];
  let flow: { accept(grant: FlowGrant): void } | null = null;
  const inbox: FlowInbox = {
    open: (keys, owner, carried) => {
      const opened = createFlow(inbox, { keys, owner, carried });
      flow = opened;
      for (const grant of early.splice(0)) opened.accept(grant);
      return opened;
    },
    onChange: () => undefined,
    onChunkNeed: () => undefined,
  };
  setHandler(grantSignal, (grant) => {
    if (typeof grant !== 'object' || grant === null || grant.v !== 1) return;
    if (flow === null) early.push(grant);
    else flow.accept(grant);
    inbox.onChange();
  });
  setHandler(chunkNeedSignal, (need) => {
    if (typeof need === 'object' && need !== null) inbox.onChunkNeed(need);
  });
  return inbox;
};

interface FlowInput {
  readonly keys: FlowKeys;
  readonly owner: FlowOwner;
  readonly carried: CarriedFlow;
}

type Gates = Flow['gates'];

/** Sends what a gate has to say, one message of a layer at a time; `onSent` hears when one has arrived. */
const createTeller = (gates: Gates, onSent: () => void) => {
  const telling = new Set<FlowLayer>();
  const tell = (layer: FlowLayer): void => {
    const gate = gates[layer];
    const ask = gate === null || telling.has(layer) ? null : gate.nextAsk();
    if (gate === null || ask === null) return;
    telling.add(layer);
    // What a run gives back must arrive, also while it is being cancelled.
    CancellationScope.nonCancellable(() => flowCalls.tell(ask))
      .catch(() => gate.repeat())
      .finally(() => {
        telling.delete(layer);
        tell(layer);
        onSent();
      });
  };
  return { tell, isQuiet: () => telling.size === 0 };
};

const createFlow = (inbox: FlowInbox, { keys, owner, carried }: FlowInput): Flow & { accept(grant: FlowGrant): void } => {
  const gateOf = (layer: FlowLayer): Gate | null => {
    const key = keys[layer];
    return key === null ? null : new Gate(key, owner, carried[layer]);
  };
  const gates = { process: gateOf('process'), paginate: gateOf('paginate'), execute: gateOf('execute') };
  const { tell, isQuiet } = createTeller(gates, () => inbox.onChange());
  const settle = (): Promise<void> => condition(isQuiet);
  return {
    gates,
    accept: (grant) => {
      for (const layer of LAYERS) gates[layer]?.accept(grant, Date.now());
    },
    flush: () => LAYERS.forEach(tell),
    enter: async (layer, isStopped) => {
      const gate = gates[layer];
      if (gate === null) return null;
      const isOpen = (): boolean => gate.free(Date.now()) > 0 && gate.startable(Date.now()) > 0;
      while (!isOpen() && !isStopped()) {
        gate.demand(1, 1);
        tell(layer);
        const opensAtMs = gate.opensAtMs(Date.now());
        const isSooner = await condition(() => isOpen() || isStopped(), opensAtMs === null ? REPEAT_MS : Math.max(1, opensAtMs - Date.now()));
        if (!isSooner && opensAtMs === null) gate.repeat();
      }
      return isStopped() ? null : (gate.take(1, 1, Date.now())[0] ?? null);
    },
    leave: async (...layers) => {
      for (const layer of layers) {
        gates[layer]?.demand(0, 0);
        tell(layer);
      }
      await settle();
    },
    settle,
    carry: () => Object.fromEntries(LAYERS.flatMap((layer) => (gates[layer] === null ? [] : [[layer, gates[layer].carry()]]))) as CarriedFlow,
  };
};
