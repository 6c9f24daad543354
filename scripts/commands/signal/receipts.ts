import { defineCommand } from 'citty';
import { isReceiptCursor, listReceipts } from '../../../packages/database/signal-receipts.ts';
import { UserError } from '../../../packages/runtime/user-error.ts';
import { createOutput } from '../../cli/output.ts';
import { signalArgs, withSignals } from '../../cli/signal-session.ts';
import { describeReceipts } from '../../cli/signal-text.ts';

const MOST = 50;

const parseLimit = (text: string): number => {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw new UserError(`--limit must be a whole number from 1 to ${MOST}, not ${text}`);
};

const parseSince = (text: string | undefined): string | undefined => {
  if (text === undefined || !Number.isNaN(Date.parse(text))) return text;
  throw new UserError(`--since must be a time like 2026-05-04T10:00:00Z, not ${text}`);
};

const parseCursor = (cursor: string | undefined): string | undefined => {
  if (cursor === undefined || isReceiptCursor(cursor)) return cursor;
  throw new UserError(`--cursor must be the nextCursor of another page, not ${cursor}`);
};

/** `strata signal receipts`: what agents really wrote, newest first. */
export const signalReceiptsCommand = defineCommand({
  meta: { name: 'receipts', description: 'what agents really wrote for the owner, newest first' },
  args: {
    ...signalArgs,
    agent: { type: 'string', description: 'of one agent only', valueHint: 'id' },
    topic: { type: 'string', description: 'of one topic only', valueHint: 'id' },
    since: { type: 'string', description: 'newer than this time', valueHint: 'time' },
    limit: { type: 'string', default: '20', description: `how many, 1 to ${MOST}`, valueHint: 'n' },
    cursor: { type: 'string', description: 'where the page before ended (its nextCursor)', valueHint: 'cursor' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const query = {
      agentId: args.agent,
      topicId: args.topic,
      sinceCreatedAt: parseSince(args.since),
      limit: parseLimit(args.limit),
      cursor: parseCursor(args.cursor),
    };
    const page = await withSignals(args, ({ doors, ownerId }) => listReceipts(doors.db, { ...query, ownerId }));
    output.document(page, () => describeReceipts(page));
  },
});
