/** Shape of one input field of a pipeline, as plain data: the strict parser and the TypeScript type are both derived from it. */
export type FieldSpec =
  | { readonly kind: 'id'; readonly optional?: true }
  | { readonly kind: 'ids'; readonly max: number; readonly optional?: true }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly optional?: true; readonly default?: number }
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly optional?: true; readonly default?: number }
  | { readonly kind: 'boolean'; readonly optional?: true; readonly default?: boolean }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly optional?: true; readonly default?: string };

export type FieldSpecs = Readonly<Record<string, FieldSpec>>;

type Value<S extends FieldSpec> = S extends { kind: 'id' }
  ? string
  : S extends { kind: 'ids' }
    ? readonly string[]
    : S extends { kind: 'integer' | 'number' }
      ? number
      : S extends { kind: 'boolean' }
        ? boolean
        : S extends { kind: 'choice'; values: readonly (infer V)[] }
          ? V
          : never;

type OptionalKeys<F extends FieldSpecs> = { [K in keyof F]: F[K] extends { optional: true } ? K : never }[keyof F];

/** Parsed value of a set of fields: optional ones may be absent, defaults are filled in. */
export type FieldValues<F extends FieldSpecs> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Value<F[K]>;
} & { readonly [K in OptionalKeys<F>]?: Value<F[K]> };

/** Controls that stand beside a pipeline's own fields; a contract that reuses a name does not compile. */
export interface Controls {
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly itemIds?: readonly string[];
  readonly maxItems?: number;
  readonly maxConcurrency?: number;
  readonly redriveOf?: string;
  readonly failureThreshold?: FailureThreshold;
  readonly requestId?: string;
}

/** Exceeded when `failed > count`, or `failed > share × toProcess`. */
export type FailureThreshold = { readonly count: number } | { readonly share: number };

export type PipelineInput<F extends FieldSpecs = FieldSpecs> = FieldValues<F> & Controls;

/** The start payload as a caller writes it: only required fields must be there. */
export type StartInput = Readonly<Record<string, unknown>>;
