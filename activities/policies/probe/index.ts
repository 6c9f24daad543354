import { setTimeout as delay } from 'node:timers/promises';
import { createAction } from '../../../packages/agent-signal/builders.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSourceHandler } from '../../../packages/agent-signal/define.ts';
import type { PolicyBundle } from '../../../packages/agent-signal/define.ts';
import { ITEM_FAILURES } from '../../../packages/contracts/failures.ts';
import { writeProbe } from '../../../packages/database/signal-actions.ts';
import { itemFailure } from '../../runner/failures.ts';
import type { PolicyDeps } from '../deps.ts';

const PROBE_ACTION = 'action.probe.write';

/** The built-in trial policy: an event takes a time, fails so often, and asks for so many actions, each of which writes one row. */
export const createProbePolicy = ({ db }: Pick<PolicyDeps, 'db'>): PolicyBundle =>
  defineAgentSignalHandlers('probe', [
    defineSourceHandler({
      id: 'probe.event',
      on: 'probe.event',
      handle: async ({ node, source, attempt, signal }) => {
        const {
          sleepMs = 0,
          failTimes = 0,
          actions = 0,
        } = node.payload as { readonly sleepMs?: number; readonly failTimes?: number; readonly actions?: number };
        if (sleepMs > 0) await delay(sleepMs, undefined, { signal });
        if (failTimes < 0) throw itemFailure(ITEM_FAILURES.providerRefused, 'HTTP 400');
        if (attempt <= failTimes) throw itemFailure(ITEM_FAILURES.providerUnavailable, 'HTTP 503', { retryable: true });
        if (actions === 0) return null;
        return {
          status: 'dispatch' as const,
          actions: Array.from({ length: actions }, (_, index) =>
            createAction({
              parent: node,
              type: PROBE_ACTION,
              id: `${source.sourceId}:action:${index}`,
              payload: { idempotencyKey: `${source.sourceId}:${index}` },
            }),
          ),
        };
      },
    }),
    defineActionHandler({
      id: 'probe.write',
      on: PROBE_ACTION,
      handle: async ({ node, scope, eventId }) => {
        await writeProbe(db, { ownerId: scope.ownerId, key: node.payload.idempotencyKey, eventId });
        return { status: 'applied', detail: 'written' };
      },
    }),
  ]);
