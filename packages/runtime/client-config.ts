import { STRATA_QUEUE } from '../contracts/queues.ts';
import { definedOnly } from './env.ts';
import type { Env } from './env.ts';

/** Queue on which commands start runs: the given one, else the first of STRATA_TASK_QUEUES, else `strata`. */
export function resolveTaskQueue(env: Env, given: string | undefined): string {
  const [first] = (given ?? definedOnly(env)['STRATA_TASK_QUEUES'] ?? STRATA_QUEUE).split(',');
  return first?.trim() || STRATA_QUEUE;
}
