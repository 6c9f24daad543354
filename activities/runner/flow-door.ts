import type { FlowLayer } from '../../packages/contracts/flow-limits.ts';
import type { FlowTell } from '../../packages/contracts/flow-messages.ts';
import type { LayerLimits } from '../../packages/contracts/limits.ts';

/** A process's door to the limiters. */
export interface FlowDoor {
  /** Put before every key: several environments can share a namespace. */
  readonly prefix: string;
  /** Sends a message to the limiter of its key, starting one on the task queue where none runs. */
  tell(message: FlowTell, taskQueue: string): Promise<void>;
}

/** Limits and keys of a run that differ from its contract's. */
export interface RunFlow {
  readonly limits?: Partial<LayerLimits>;
  readonly keys?: Partial<Record<FlowLayer, string>>;
}
