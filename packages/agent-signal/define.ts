import type { ActionNode, SignalNode, SourceNode } from './nodes.ts';
import type { ExecutorOutcome, RuntimeProcessorResult } from './results.ts';
import type { SourcePayloads } from './source-payloads.schema.ts';
import type { HandlerContext } from './handler-context.ts';

type Handle<Node, Result> = (context: HandlerContext<Node>) => Promise<Result> | Result;

/** A handler as the registry keeps it. */
export interface HandlerDefinition {
  readonly id: string;
  readonly kind: 'source' | 'signal' | 'action';
  readonly types: readonly string[];
  readonly handle: Handle<never, unknown>;
}

type Processed = RuntimeProcessorResult | null | undefined;

interface Declared<Types, Node, Result> {
  /** Unique in the whole registry, like `analyze-intent.satisfaction`. */
  readonly id: string;
  readonly on: Types;
  readonly handle: Handle<Node, Result>;
}

const typesOf = (on: string | readonly string[]): readonly string[] => (typeof on === 'string' ? [on] : on);

type PayloadOf<T extends string> = T extends keyof SourcePayloads ? SourcePayloads[T] : Readonly<Record<string, unknown>>;

/** Declares a handler that interprets a fact and fans out; it has no side effect. */
export const defineSourceHandler = <const T extends string>({
  id,
  on,
  handle,
}: Declared<T | readonly T[], SourceNode<PayloadOf<T>>, Processed>): HandlerDefinition => ({ id, kind: 'source', types: typesOf(on), handle });

/** Declares a handler of a meaning; it has no side effect either. */
export const defineSignalHandler = <Payload = Readonly<Record<string, unknown>>>({
  id,
  on,
  handle,
}: Declared<string | readonly string[], SignalNode<Payload>, Processed>): HandlerDefinition => ({ id, kind: 'signal', types: typesOf(on), handle });

/** Declares the one executor of an action; its payload has an `idempotencyKey`, and what was applied under a key is never applied again. */
export const defineActionHandler = <Payload = Readonly<Record<string, unknown>>>({
  id,
  on,
  handle,
}: Declared<string, ActionNode<Payload & { readonly idempotencyKey: string }>, ExecutorOutcome>): HandlerDefinition => ({
  id,
  kind: 'action',
  types: typesOf(on),
  handle,
});

/** The handlers of one policy. */
export interface PolicyBundle {
  readonly name: string;
  readonly handlers: readonly HandlerDefinition[];
}

/** Bundles the handlers of one policy under its name. */
export const defineAgentSignalHandlers = (name: string, handlers: readonly HandlerDefinition[]): PolicyBundle => ({ name, handlers });
