/** A signal or action of an event as it is stored. */
export interface NodeRow {
  readonly nodeId: string;
  readonly kind: 'signal' | 'action';
  readonly type: string;
  readonly depth: number;
  readonly parentId: string | null;
  readonly node: unknown;
}

/** A timer that an answer asks for. */
export interface NewTimer {
  /** `wait`: a lane's quiet; `schedule`: a hop; `pause`: a provider asked for it. */
  readonly kind: 'wait' | 'schedule' | 'pause';
  readonly key: string;
  readonly nodeId: string;
  /** Handler to be called again; null: all handlers of the node. */
  readonly handlerId: string | null;
  /** Null: not before the lane's next event, at most `boundMs`. */
  readonly delayMs: number | null;
  readonly boundMs: number;
}

/** What becomes of an action's row. */
export interface ActionSettlement {
  readonly ownerId: string;
  readonly key: string;
  readonly state: 'applied' | 'skipped' | 'failed';
  readonly detail: string | null;
}

/** Who asks for an action, under which key. */
export interface ActionRequest {
  readonly ownerId: string;
  readonly key: string;
  readonly eventId: string;
  readonly nodeId: string;
  /** A reservation of this age may be taken over, ms. */
  readonly holdMs: number;
}

/** Whether the key may be acted on: `inFlight` means another live event does. */
export type Reservation =
  | { readonly kind: 'reserved'; readonly epoch: number; readonly operationId: string | null }
  | { readonly kind: 'applied' }
  | { readonly kind: 'inFlight' };
