import type { TargetConfig } from '../contracts/eval-run.ts';
import type { Environment } from './api-key.ts';
import { createHttpTarget } from './http-target.ts';
import { createModuleTarget } from './module-target.ts';
import { createOpenAiTarget } from './openai-target.ts';
import type { Target } from './target.ts';

/** Builds the target of a run; nothing is loaded or connected before the first question. */
export function createTarget(config: TargetConfig, environment: Environment): Target {
  switch (config.kind) {
    case 'openai':
      return createOpenAiTarget(config, environment);
    case 'http':
      return createHttpTarget(config, environment);
    case 'module':
      return createModuleTarget(config);
    default:
      return unreachable(config);
  }
}

/** A target in words for reports: no key, no query string. */
export function describeTarget(config: TargetConfig): string {
  switch (config.kind) {
    case 'openai':
      return `${config.model} at ${new URL(config.baseUrl).host}`;
    case 'http':
      return `${new URL(config.url).host}${new URL(config.url).pathname}`;
    case 'module':
      return `module ${config.module}`;
    default:
      return unreachable(config);
  }
}

function unreachable(config: never): never {
  throw new Error(`unknown target ${JSON.stringify(config)}`);
}
