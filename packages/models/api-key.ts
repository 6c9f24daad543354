import { ITEM_FAILURES } from '../contracts/failures.ts';
import { ModelError } from './model-error.ts';

/** Environment variables by name; the process edge hands them in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The key in the variable that a config names; undefined if it names none, refused for good if the variable is empty. */
export function readApiKey(name: string | undefined, environment: Environment): string | undefined {
  if (name === undefined) return undefined;
  const key = environment[name]?.trim();
  if (key !== undefined && key !== '') return key;
  throw new ModelError(`the environment variable ${name} is not set on the worker`, {
    type: ITEM_FAILURES.providerRefused,
    retryable: false,
  });
}
