import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ITEM_FAILURES } from '../contracts/failures.ts';
import type { ModuleTarget } from '../contracts/eval-run.ts';
import { ModelError, isModelError } from './model-error.ts';
import { parseTargetAnswer } from './target-answer.schema.ts';
import type { Target, TargetRequest } from './target.ts';

/** Targets that come with Strata, by name. */
export const BUNDLED_TARGETS: Readonly<Record<string, URL>> = {
  bundled: new URL('../../benchmarks/solver/answer.ts', import.meta.url),
};

type AnswerFunction = (request: TargetRequest) => unknown;

/** A target that is a TypeScript or JavaScript module with an export `answer` or a default export; loaded at the first question. */
export function createModuleTarget(config: ModuleTarget): Target {
  let loading: Promise<AnswerFunction> | undefined;
  return {
    answer: async (request) => {
      loading ??= loadAnswer(config.module);
      const answer = await loading;
      request.signal.throwIfAborted();
      return parseTargetAnswer(await call(answer, request), 'the module');
    },
  };
}

async function call(answer: AnswerFunction, request: TargetRequest): Promise<unknown> {
  try {
    return await answer(request);
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    if (isModelError(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new ModelError(`the module failed: ${message}`, { type: ITEM_FAILURES.providerUnavailable, retryable: true }, error);
  }
}

async function loadAnswer(module: string): Promise<AnswerFunction> {
  const loaded = await importModule(module);
  const answer = loaded['answer'] ?? loaded['default'];
  if (typeof answer === 'function') return answer as AnswerFunction;
  throw cannotLoad(module, 'it exports neither answer nor a default function');
}

async function importModule(module: string): Promise<Record<string, unknown>> {
  const url = BUNDLED_TARGETS[module] ?? pathToFileURL(isAbsolute(module) ? module : resolve(module));
  try {
    return (await import(url.href)) as Record<string, unknown>;
  } catch (cause) {
    throw cannotLoad(module, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function cannotLoad(module: string, why: string, cause?: unknown): ModelError {
  const fault = { type: ITEM_FAILURES.providerRefused, retryable: false };
  return new ModelError(`the module ${module} cannot be used: ${why}`, fault, cause);
}
