import { pgCore } from '../drizzle.ts';

const { bigint, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, timestamp } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

/** Agent runs of our own: what each was asked, for whom, and how it ended. */
export const agentOperations = pgTable(
  'agent_operations',
  {
    operationId: text('operation_id').primaryKey(),
    ownerId: text('owner_id').notNull(),
    scopeKey: text('scope_key').notNull(),
    userId: text('user_id').notNull(),
    workspaceId: text('workspace_id'),
    agentId: text('agent_id').notNull(),
    /** Why it exists; a run without one makes no receipts. */
    marker: jsonb(),
    prompt: text().notNull(),
    context: text(),
    maxSteps: integer('max_steps').notNull(),
    /** What is said of its action once it has been started. */
    detail: text().notNull(),
    failureCode: text('failure_code').notNull(),
    threadId: text('thread_id'),
    /** Parked candidate and review that it settles. */
    candidate: text(),
    review: text(),
    state: text({ enum: ['reserved', 'running', 'done', 'failed'] })
      .notNull()
      .default('reserved'),
    reason: text(),
    steps: integer().notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
  },
  (table) => [index('agent_operations_scope').on(table.ownerId, table.scopeKey, table.createdAt), index('agent_operations_state').on(table.state)],
);

/** What the model decided at each step: a repeated step asks it nothing. */
export const agentSteps = pgTable(
  'agent_steps',
  {
    operationId: text('operation_id').notNull(),
    step: integer().notNull(),
    decision: jsonb().notNull(),
    decidedAt: instant('decided_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.operationId, table.step] }),
    foreignKey({ name: 'agent_steps_operation', columns: [table.operationId], foreignColumns: [agentOperations.operationId] }).onDelete('cascade'),
  ],
);

/** Tool calls of a run; the result is written with the tool's own effect. */
export const agentToolCalls = pgTable(
  'agent_tool_calls',
  {
    operationId: text('operation_id').notNull(),
    callId: text('call_id').notNull(),
    place: bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity(),
    step: integer().notNull(),
    apiName: text('api_name').notNull(),
    kind: text().notNull(),
    arguments: jsonb().notNull(),
    result: jsonb().notNull(),
    calledAt: instant('called_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.operationId, table.callId] }),
    foreignKey({ name: 'agent_tool_calls_operation', columns: [table.operationId], foreignColumns: [agentOperations.operationId] }).onDelete(
      'cascade',
    ),
  ],
);
