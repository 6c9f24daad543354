import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { EvalRunConfig, TargetConfig } from '../../packages/contracts/eval-run.ts';
import { evalRunConfigSchema, targetConfigSchema } from '../../packages/contracts/eval.schema.ts';
import { BUNDLED_TARGETS } from '../../packages/models/module-target.ts';
import { UserError } from '../../packages/runtime/user-error.ts';

const FORMS = `a bundled name (${Object.keys(BUNDLED_TARGETS).join(', ')}), a .ts file, an http address of a JSON agent, or JSON (also @file) with kind openai, http or module`;

/** Reads `--target`: a bundled name, a module's path, an agent's address, JSON, or @file with JSON; UserErrors say what else it could be. */
export function parseTarget(text: string): TargetConfig {
  if (BUNDLED_TARGETS[text] !== undefined) return { kind: 'module', module: text };
  if (text.startsWith('{') || text.startsWith('@'))
    return parseWith(targetConfigSchema, { name: '--target', value: parseJsonArgument('--target', text) });
  if (/^https?:\/\//.test(text)) return parseWith(targetConfigSchema, { name: '--target', value: { kind: 'http', url: text } });
  if (!/\.[cm]?[jt]s$/.test(text)) throw new UserError(`--target "${text}" is not known: give ${FORMS}`);
  if (!existsSync(text)) throw new UserError(`--target ${text}: there is no such file`);
  return { kind: 'module', module: resolve(text) };
}

/** Reads `--config`, JSON or @file: k, passThreshold, trajectoryTimeoutMs, maxConcurrency, judge. */
export function parseRunConfig(text: string | undefined): EvalRunConfig {
  return text === undefined ? {} : parseWith(evalRunConfigSchema, { name: '--config', value: parseJsonArgument('--config', text) });
}

function parseJsonArgument(name: string, text: string): unknown {
  const content = text.startsWith('@') ? readArgumentFile(name, text) : text;
  try {
    return JSON.parse(content) as unknown;
  } catch (cause) {
    throw new UserError(`${name} is no JSON: ${(cause as Error).message}`);
  }
}

/** The content of the file behind `@file`; any other text is its own content. */
export function readArgumentFile(name: string, text: string): string {
  if (!text.startsWith('@')) return text;
  try {
    return readFileSync(text.slice(1), 'utf8');
  } catch (cause) {
    throw new UserError(`${name} ${text}: ${(cause as Error).message}`);
  }
}

function parseWith<T>(schema: z.ZodType<T>, { name, value }: { readonly name: string; readonly value: unknown }): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  throw new UserError(`${name}: ${problems.join('; ')}`);
}
