/** What agent signal asks a model for. */
export type ModelTask = 'satisfaction' | 'domain' | 'skill-intent' | 'agent-step';

/** One structured call: the input is data, never instructions. */
export interface ModelCall {
  readonly task: ModelTask;
  readonly input: Readonly<Record<string, unknown>>;
  /** Aborted at cancellation and at the attempt's time-out. */
  readonly signal: { readonly aborted: boolean };
}

/** A model behind agent signal. What it answers is unknown until its caller has parsed it; it throws a classified ModelError, and retries nothing. */
export interface SignalModel {
  generate(call: ModelCall): Promise<unknown>;
}
