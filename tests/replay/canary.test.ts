import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCENARIOS } from './scenarios/index.ts';
import { openTheatre } from './scenarios/scenario.ts';
import type { Theatre } from './scenarios/scenario.ts';

/** No cache: each workflow task replays its run from the start, so what is not determined by the history shows within one run. */
describe('played without a cache of workflows, and replayed once more at the end', () => {
  let theatre: Theatre;
  beforeAll(async () => {
    theatre = await openTheatre({ maxCachedWorkflows: 0 });
  });
  afterAll(() => theatre.close());

  test.concurrent.each(SCENARIOS.map(({ keeps, play }) => ({ name: keeps.join(', '), keeps, play })))(
    '$name',
    { timeout: 120_000 },
    async ({ keeps, play }) => {
      const played = await play(theatre);
      expect(played.map(({ name }) => name).sort()).toEqual([...keeps].sort());
    },
  );
});
