import { isoText, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** A receipt as it is stored: what its columns and a listing need of it. */
interface StoredReceipt {
  readonly id: string;
  readonly agentId: string;
  readonly topicId: string;
  readonly kind: string;
  readonly status: string;
  readonly title: string;
}

/** Stores receipts of a run; those that are there stay as they are. */
export const storeReceipts = async (executor: Executor, ownerId: string, receipts: readonly StoredReceipt[]): Promise<void> => {
  if (receipts.length === 0) return;
  await executor.execute(sql`
    insert into signal_receipts (owner_id, id, agent_id, topic_id, receipt)
    select ${ownerId}, r->>'id', r->>'agentId', r->>'topicId', r from jsonb_array_elements(${JSON.stringify(receipts)}::jsonb) as r
    on conflict (owner_id, id) do nothing`);
};

/** What is listed: of an agent, of a topic where one is named. */
export interface ReceiptQuery {
  readonly ownerId: string;
  readonly agentId?: string | undefined;
  readonly topicId?: string | undefined;
  readonly limit: number;
  /** Opaque: where the page before ended. */
  readonly cursor?: string | undefined;
  /** Exclusive. */
  readonly sinceCreatedAt?: string | undefined;
}

/** A page of receipts. */
export interface ReceiptPage {
  readonly receipts: readonly (StoredReceipt & Readonly<Record<string, unknown>> & { readonly createdAt: string })[];
  readonly nextCursor: string | null;
}

const placeOf = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('utf8');

/** Whether a text is a cursor that a page has named. */
export const isReceiptCursor = (cursor: string): boolean => /^\d{1,18}$/u.test(placeOf(cursor));

/** Receipts of the last 90 days, newest first. */
export const listReceipts = async (
  executor: Executor,
  { ownerId, agentId, topicId, limit, cursor, sinceCreatedAt }: ReceiptQuery,
): Promise<ReceiptPage> => {
  const before = cursor === undefined ? null : placeOf(cursor);
  const rows = await readRows<{ receipt: StoredReceipt & Record<string, unknown>; createdAt: string; place: string }>(
    executor,
    sql`select receipt, ${isoText(sql`created_at`)} as "createdAt", place::text as place from signal_receipts
        where owner_id = ${ownerId} and created_at > now() - interval '90 days'
          and (${agentId ?? null}::text is null or agent_id = ${agentId ?? null}) and (${topicId ?? null}::text is null or topic_id = ${topicId ?? null})
          and (${before}::bigint is null or place < ${before}::bigint)
          and (${sinceCreatedAt ?? null}::timestamptz is null or created_at > ${sinceCreatedAt ?? null}::timestamptz)
        order by place desc limit ${limit + 1}`,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    receipts: page.map(({ receipt, createdAt }) => ({ ...receipt, createdAt })),
    nextCursor: rows.length > limit && last !== undefined ? Buffer.from(last.place).toString('base64url') : null,
  };
};
