import 'vitest';

/** What the global set-up starts once for all server tests. */
export interface TestServers {
  readonly temporalAddress: string;
  readonly temporalUiUrl: string;
  /** One for each test file that may run at a time: workflow ids and lists belong to a namespace. */
  readonly namespaces: readonly string[];
  /** The Temporal CLI. */
  readonly temporalBinary: string;
  /** Maintenance database of the cluster. */
  readonly postgresUrl: string;
  /** A migrated database without connections, from which rigs copy theirs. */
  readonly templateDatabase: string;
  /** The project's workflows, bundled once. */
  readonly bundlePath: string;
  readonly buildId: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    strata: TestServers;
  }
}
