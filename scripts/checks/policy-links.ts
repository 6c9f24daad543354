import type { PolicyBundle } from '../../packages/agent-signal/define.ts';

/** What is known about the policies of a tree. */
export interface PolicyTree {
  /** Folders under `activities/policies`. */
  readonly folders: readonly string[];
  readonly bundles: readonly PolicyBundle[];
  /** Source types that doors know. */
  readonly sourceTypes: readonly string[];
  /** Those of them that policies have added. */
  readonly addedTypes: readonly string[];
  /** Texts of the tests of agent signal. */
  readonly tests: readonly string[];
}

const RESULT = /^signal\.action\.(?:applied|skipped|failed):(.+)$/u;

const typesOf = ({ bundles }: PolicyTree, kind: string): readonly string[] =>
  bundles.flatMap(({ handlers }) => handlers.filter((handler) => handler.kind === kind).flatMap(({ types }) => types));

const isTested = ({ handlers }: PolicyBundle, tests: readonly string[]): boolean =>
  handlers.some(({ id, types }) => tests.some((text) => text.includes(id) || types.some((type) => text.includes(type))));

/** Links of flows that are missing, each named with what to do; empty: there is none. */
export const findMissingLinks = (tree: PolicyTree): readonly string[] => {
  const { folders, bundles, sourceTypes, addedTypes, tests } = tree;
  const names = bundles.map(({ name }) => name);
  const handled = new Set(typesOf(tree, 'source'));
  const executed = new Set(typesOf(tree, 'action'));
  const awaited = typesOf(tree, 'signal').flatMap((type) => RESULT.exec(type)?.[1] ?? []);
  return [
    ...folders.filter((folder) => !names.includes(folder)).map((folder) => `${folder}: its policy has no line in activities/policies/index.ts`),
    ...[...handled]
      .filter((type) => !sourceTypes.includes(type))
      .map((type) => `${type}: no door knows this source type; add its schema to packages/agent-signal/source-registry.schema.ts`),
    ...addedTypes.filter((type) => !handled.has(type)).map((type) => `${type}: no source handler takes it`),
    ...awaited.filter((type) => !executed.has(type)).map((type) => `${type}: a handler waits for its end, but no action handler executes it`),
    ...bundles.filter((bundle) => !isTested(bundle, tests)).map(({ name }) => `${name}: no test names one of its handlers or types`),
  ];
};
