import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { arithmeticCases } from './benchmark/arithmetic-cases.ts';
import type { Draft } from './benchmark/case.ts';
import { dateCases } from './benchmark/date-cases.ts';
import { extractionCases } from './benchmark/extraction-cases.ts';
import { rewritingCases } from './benchmark/rewriting-cases.ts';
import { unitCases } from './benchmark/unit-cases.ts';

const CATEGORIES: readonly (readonly [string, readonly Draft[]])[] = [
  ['arithmetic', arithmeticCases],
  ['units', unitCases],
  ['dates', dateCases],
  ['extraction', extractionCases],
  ['rewriting', rewritingCases],
];

/** The lines of the bundled benchmark; the same at each call. */
export function buildBenchmarkLines(): string[] {
  return CATEGORIES.flatMap(([category, drafts]) =>
    drafts.map(({ question, assertion }, index) =>
      JSON.stringify({
        id: `${category}-${String(index + 1).padStart(3, '0')}`,
        input: [{ role: 'user', content: question }],
        assertions: [assertion],
        metadata: { category },
      }),
    ),
  );
}

/** Where the bundled benchmark is kept. */
export const BUNDLED_BENCHMARK = fileURLToPath(new URL('../benchmarks/bundled.jsonl', import.meta.url));

if (import.meta.main) writeFileSync(BUNDLED_BENCHMARK, `${buildBenchmarkLines().join('\n')}\n`);
