import { sql } from '../packages/database/drizzle.ts';
import { ITEM_FAILURES } from '../packages/contracts/failures.ts';
import { squareNumberContract } from '../packages/contracts/square-number.ts';
import type { Transaction } from '../packages/database/database.ts';
import { createPipelineActivities } from './runner/create.ts';
import type { RunnerDeps } from './runner/definition.ts';
import { itemFailure, refuse } from './runner/failures.ts';

export type SquareNumberDeps = RunnerDeps;

/** Tells whoever listens, once the transaction commits: stands for a write to a table of your own. */
const announce = async (tx: Transaction, text: string): Promise<void> => {
  await tx.execute(sql`select pg_notify('square-number', ${text})`);
};

/** Activities of the living example: a number is squared into the result of its item, 1 is skipped, a square that is too large fails. */
export const createSquareNumberActivities = (deps: SquareNumberDeps, contract = squareNumberContract) =>
  createPipelineActivities(
    contract,
    {
      preflight: async ({ input }) => {
        if (input.largestSquare < 4) throw refuse(`No number has a square of at most ${input.largestSquare}`);
        return { plan: input.upTo > 10_000 ? { dispatch: 'slice', pageSize: 2_500, chunkSize: 250 } : {} };
      },
      eligible: ({ upTo }) => ({
        query: sql`select n::text as item_id, n as sort_key from generate_series(1, ${upTo}::integer) n`,
        sortType: 'integer',
      }),
      executeItem: async ({ itemId, input }) => {
        const square = Number(itemId) ** 2;
        if (square === 1) return { kind: 'skipped', reason: '1 is its own square' };
        if (square > input.largestSquare) throw itemFailure(ITEM_FAILURES.invalidOutput, `${square} is more than ${input.largestSquare}`);
        return { kind: 'done', result: { square }, write: (tx) => announce(tx, itemId) };
      },
      finalize: ({ tx, input, outcome }) => announce(tx, `${input.name} ${outcome}`),
    },
    deps,
  );
