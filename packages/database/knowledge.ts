import { isoText, readRow, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** Whose knowledge. */
export interface Keeper {
  readonly ownerId: string;
  readonly userId: string;
  readonly agentId: string;
}

/** Writes a memory; answers its id. */
export const insertMemory = async (
  executor: Executor,
  {
    ownerId,
    userId,
    agentId,
    title,
    content,
    layer,
    operationId,
  }: Keeper & { readonly title: string; readonly content: string; readonly layer: string; readonly operationId: string },
): Promise<string> =>
  (
    await readRow<{ id: string }>(
      executor,
      sql`insert into user_memories (owner_id, user_id, agent_id, layer, title, content, operation_id)
          values (${ownerId}, ${userId}, ${agentId}, ${layer}, ${title}, ${content}, ${operationId}) returning id::text as id`,
    )
  ).id;

/** Newest memories of an agent. */
export const listMemories = (executor: Executor, { ownerId, agentId, limit }: Pick<Keeper, 'ownerId' | 'agentId'> & { readonly limit: number }) =>
  readRows<{ readonly id: string; readonly title: string; readonly content: string }>(
    executor,
    sql`select id::text as id, title, content from user_memories where owner_id = ${ownerId} and agent_id = ${agentId} order by created_at desc, id desc limit ${limit}`,
  );

/** A skill's document. */
export interface SkillRow {
  readonly documentId: string;
  readonly name: string;
  readonly content: string;
  readonly updatedAt: string;
}

const skillColumns = sql`document_id::text as "documentId", name, content, ${isoText(sql`updated_at`)} as "updatedAt"`;

/** Creates a skill unless the agent has one of that name; answers the one that it has, and whether it is new. */
export const createSkill = async (
  executor: Executor,
  { ownerId, agentId, name, content }: Pick<Keeper, 'ownerId' | 'agentId'> & { readonly name: string; readonly content: string },
): Promise<SkillRow & { readonly isNew: boolean }> => {
  const [created] = await readRows<SkillRow>(
    executor,
    sql`insert into agent_skills (owner_id, agent_id, name, content) values (${ownerId}, ${agentId}, ${name}, ${content})
        on conflict (owner_id, agent_id, name) do nothing returning ${skillColumns}`,
  );
  if (created !== undefined) return { ...created, isNew: true };
  const known = await readRow<SkillRow>(
    executor,
    sql`select ${skillColumns} from agent_skills where owner_id = ${ownerId} and agent_id = ${agentId} and name = ${name}`,
  );
  return { ...known, isNew: false };
};

/** Replaces a skill's content if nobody has changed it since; undefined: somebody has, or it is not ours to change. */
export const replaceSkill = async (
  executor: Executor,
  {
    ownerId,
    agentId,
    documentId,
    content,
    expectedUpdatedAt,
    historyId,
  }: Pick<Keeper, 'ownerId' | 'agentId'> & {
    readonly documentId: string;
    readonly content: string;
    readonly expectedUpdatedAt: string;
    readonly historyId: string;
  },
): Promise<SkillRow | undefined> =>
  (
    await readRows<SkillRow>(
      executor,
      sql`update agent_skills set content = ${content}, updated_at = clock_timestamp(),
            history = history || jsonb_build_array(jsonb_build_object('id', ${historyId}::text, 'content', content))
          where owner_id = ${ownerId} and agent_id = ${agentId} and document_id::text = ${documentId} and is_managed
            and ${isoText(sql`updated_at`)} = ${expectedUpdatedAt} returning ${skillColumns}`,
    )
  )[0];

/** Skills of an agent, newest change first. */
export const listSkills = (
  executor: Executor,
  { ownerId, agentId, limit }: Pick<Keeper, 'ownerId' | 'agentId'> & { readonly limit: number },
): Promise<readonly SkillRow[]> =>
  readRows(
    executor,
    sql`select ${skillColumns} from agent_skills where owner_id = ${ownerId} and agent_id = ${agentId} order by updated_at desc, document_id desc limit ${limit}`,
  );

/** Stores a proposal, or refreshes the pending one of the same subject; answers whether it is new. */
export const storeProposal = async (
  executor: Executor,
  {
    ownerId,
    subject,
    summary,
    evidence,
  }: { readonly ownerId: string; readonly subject: string; readonly summary: string; readonly evidence: unknown },
): Promise<{ readonly id: string; readonly isNew: boolean }> =>
  readRow(
    executor,
    sql`insert into review_proposals as p (owner_id, subject, summary, evidence, expires_at)
        values (${ownerId}, ${subject}, ${summary}, ${JSON.stringify(evidence)}::jsonb, now() + interval '72 hours')
        on conflict (owner_id, subject, state) do update set summary = excluded.summary, evidence = excluded.evidence,
          expires_at = least(p.created_at + interval '7 days', now() + interval '72 hours')
        returning p.id::text as id, xmax = 0 as "isNew"`,
  );
