import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIMITER_METRICS, PIPELINE_EVENTS, PIPELINE_METRICS, SIGNAL_METRICS } from '../../packages/contracts/metrics.ts';
import { ATTRIBUTES, SPANS } from '../../packages/observability/spans.ts';
import { workerEnvSchema } from '../../packages/runtime/config.ts';
import { tracingEnvSchema } from '../../packages/runtime/tracing-config.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const named = (pattern: RegExp): Set<string> => new Set([...text.matchAll(pattern)].map(([, name = '']) => name));

/** Rows of the table of variables: name and default. */
const variables = new Map(
  [...text.matchAll(/^\| `((?:STRATA|DATABASE)_\w+)`\s*\| (.*?)\s*\|/gm)].map(([, name = '', fallback = '']) => [name, fallback]),
);

describe('docs/operations.md', () => {
  test('has every variable of a worker in its table, and no other', () => {
    expect([...variables.keys()].sort()).toEqual(Object.keys(workerEnvSchema.shape).sort());
  });

  test('tells the defaults that apply', () => {
    const defaults = workerEnvSchema.parse({ DATABASE_URL: 'postgres://u@h/d' }) as unknown as Readonly<Record<string, unknown>>;
    for (const [name, fallback] of variables) {
      const value = /^`?(\d+|[\w.]+)`?$/.exec(fallback)?.[1];
      if (typeof defaults[name] === 'number') expect(Number(value), name).toBe(defaults[name]);
      else if (typeof defaults[name] === 'boolean') expect(value, name).toBe(String(defaults[name]));
    }
    expect(variables.get('STRATA_TASK_QUEUES')).toBe('`strata`');
    expect(variables.get('STRATA_LOG_LEVEL')).toBe(`\`${String(defaults['STRATA_LOG_LEVEL'])}\``);
  });

  test('names every metric of Strata, and none that does not exist', () => {
    const metrics = new Set<string>([
      PIPELINE_EVENTS,
      ...Object.values(PIPELINE_METRICS),
      ...Object.values(LIMITER_METRICS),
      ...Object.values(SIGNAL_METRICS),
    ]);
    expect(named(/\b(strata_(?:items?|pipeline|redrives|limiter|signal)_[a-z_]+?)(?:_bucket)?\b(?![a-z_])/g)).toEqual(metrics);
  });

  test('shows the spans and names only attributes that exist', () => {
    for (const name of Object.values(SPANS)) expect(text).toContain(`${name} `.trimEnd());
    const known = new Set<string>([...Object.values(SPANS), ...Object.values(ATTRIBUTES)]);
    const shown = [...named(/`?(strata\.[a-z_]+)`?/g)].filter((name) => name !== 'strata.dump' && name !== 'strata.svc');
    expect(shown.filter((name) => !known.has(name))).toEqual([]);
  });

  test('names the variables of tracing that are read', () => {
    for (const name of Object.keys(tracingEnvSchema.shape).filter((each) => !/_TRACES_ENDPOINT|_PROTOCOL/.test(each))) expect(text).toContain(name);
  });
});
