import { controlScenarios } from './controls.ts';
import { entryScenarios } from './entry.ts';
import { evalScenarios } from './evals.ts';
import { flowScenarios } from './flow.ts';
import { itemScenarios } from './items.ts';
import { signalScenarios } from './signals.ts';
import type { Scenario } from './scenario.ts';

/** Every story that the corpus and the canary know. */
export const SCENARIOS: readonly Scenario[] = [
  ...controlScenarios,
  ...entryScenarios,
  ...evalScenarios,
  ...flowScenarios,
  ...itemScenarios,
  ...signalScenarios,
];
