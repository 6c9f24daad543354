import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { record } from './corpus.ts';
import { SCENARIOS } from './scenarios/index.ts';
import { openTheatre } from './scenarios/scenario.ts';
import type { Theatre } from './scenarios/scenario.ts';

/** Run by `npm run histories` alone, never by the check: it writes the corpus anew. */
describe('recorded from real runs', () => {
  let theatre: Theatre;
  beforeAll(async () => {
    theatre = await openTheatre();
  });
  afterAll(() => theatre.close());

  test.each(SCENARIOS.map(({ keeps, play }) => ({ name: keeps.join(', '), keeps, play })))('$name', { timeout: 120_000 }, async ({ keeps, play }) => {
    const played = await play(theatre);
    expect(played.map(({ name }) => name).sort()).toEqual([...keeps].sort());
    for (const { name, handle } of played) await record(name, handle);
  });
});
