import { expect } from 'vitest';
import { SCOPE_MESSAGES } from '../../../packages/contracts/agent-signal-scope.ts';
import { waitUntil } from '../../../packages/runtime/wait-until.ts';
import { probeEvent } from '../../agent-signal/signals.ts';
import type { ExecutionRef, Played, Scenario, Theatre } from './scenario.ts';

const played = ({ signals: { rig } }: Theatre, name: string, { workflowId, runId }: ExecutionRef): Played => ({
  name,
  handle: rig.client.workflow.getHandle(workflowId, runId),
});

const completed = async ({ signals: { signals } }: Theatre, scopeKey: string): Promise<void> => {
  await signals.scope(scopeKey).result();
};

/** Scopes with what they hear, and the agent runs that they start. */
export const signalScenarios: readonly Scenario[] = [
  {
    keeps: ['agentSignalScope/chain'],
    play: async (theatre) => {
      const { signals } = theatre.signals;
      const scopeKey = 'topic:chain';
      expect(await signals.emit(probeEvent('c1', { actions: 2 }, { scopeKey }))).toMatchObject({ run: { status: 'completed' } });
      expect(await signals.emit(probeEvent('c2', { failTimes: 1 }, { scopeKey }))).toMatchObject({ run: { status: 'completed' } });
      expect(await signals.emit(probeEvent('c3', { failTimes: -1 }, { scopeKey }))).toMatchObject({ run: { status: 'failed' } });
      await completed(theatre, scopeKey);
      return [played(theatre, 'agentSignalScope/chain', signals.scope(scopeKey))];
    },
  },
  {
    keeps: ['agentSignalScope/by-signal'],
    play: async (theatre) => {
      const { signals, rig } = theatre.signals;
      const scopeKey = 'topic:by-signal';
      await rig.client.workflow.signalWithStart('agentSignalScope', {
        workflowId: signals.scope(scopeKey).workflowId,
        taskQueue: rig.taskQueue,
        args: [{ ownerId: signals.user, scopeKey }],
        signal: SCOPE_MESSAGES.sourceEvent,
        signalArgs: ['oops'],
      });
      await signals.scope(scopeKey).signal(SCOPE_MESSAGES.sourceEvent, probeEvent('s1', { actions: 1 }, { scopeKey }));
      await signals.scope(scopeKey).signal('nobody-knows-it', {});
      await signals.ended(1, scopeKey);
      await waitUntil({ what: 'both rejections', timeoutMs: 20_000, probe: async () => (await signals.status(scopeKey))?.rejected === 2 });
      await completed(theatre, scopeKey);
      return [played(theatre, 'agentSignalScope/by-signal', signals.scope(scopeKey))];
    },
  },
  {
    keeps: ['agentSignalScope/continued', 'agentSignalScope/last-of-chain'],
    play: async (theatre) => {
      const { signals } = theatre.signals;
      const scopeKey = 'topic:continued';
      const answers = [];
      for (let n = 1; n <= 9; n++) answers.push(await signals.enqueue(probeEvent(`n${n}`, {}, { scopeKey })));
      await signals.ended(9, scopeKey);
      await completed(theatre, scopeKey);
      const { workflowId, workflowRunId } = answers[0] as { workflowId: string; workflowRunId: string };
      return [
        played(theatre, 'agentSignalScope/continued', { workflowId, runId: workflowRunId }),
        played(theatre, 'agentSignalScope/last-of-chain', { workflowId }),
      ];
    },
  },
  {
    keeps: ['agentSignalScope/start-refused'],
    play: async (theatre) => {
      const { rig } = theatre.signals;
      const workflowId = `agent-signal/nobody/refused-${rig.taskQueue}`;
      const handle = await rig.client.workflow.start('agentSignalScope', { workflowId, taskQueue: rig.taskQueue, args: [{ scopeKey: 'topic:t1' }] });
      await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
      return [played(theatre, 'agentSignalScope/start-refused', { workflowId })];
    },
  },
  {
    keeps: ['agentSignalScope/memory', 'execAgent/memory'],
    play: async (theatre) => {
      const { signals, rig } = theatre.signals;
      const scopeKey = 'topic:memory';
      const payload = { message: 'Remember: I always prefer short answers', messageId: 'm1', agentId: 'a1', topicId: 'memory' };
      await signals.enqueue({ sourceType: 'agent.user.message', sourceId: 'm1', scopeKey, payload });
      await waitUntil({ what: 'a receipt', timeoutMs: 30_000, probe: async () => (await signals.count('signal_receipts')) > 0 });
      await completed(theatre, scopeKey);
      const { rows } = await rig.pool.query<{ id: string }>(`select operation_id as id from agent_operations`);
      return [
        played(theatre, 'agentSignalScope/memory', signals.scope(scopeKey)),
        played(theatre, 'execAgent/memory', { workflowId: `exec-agent/${rows[0]?.id}` }),
      ];
    },
  },
];
