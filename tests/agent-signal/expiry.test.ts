import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../packages/database/drizzle.ts';
import { countRedrivable } from '../../packages/database/signal-redrive.ts';
import { expireSignalRows } from '../../packages/database/signal-sweep.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  rig = await createRig();
  signals = createSignals(rig);
});
afterEach(() => rig.close());

const age = (days: number) => rig.db.execute(sql`update signal_events set finished_at = finished_at - ${days} * interval '1 day'`);

describe('an event that ended a month ago', () => {
  test('is emptied and stays known', async () => {
    await signals.enqueue(probeEvent('m1', { actions: 1 }));
    await signals.ended(1);
    await age(29);
    expect(await expireSignalRows(rig.db)).toBe(0);
    await age(2);
    expect(await expireSignalRows(rig.db)).toBe(1);
    expect(await signals.trace('m1')).toEqual({ nodes: [], results: [] });
    expect(await signals.enqueue(probeEvent('m1', { actions: 1 }))).toMatchObject({ deduped: true, state: 'done' });
  });

  test('runs with what its redelivery brings when it had failed, and is not redriven without it', async () => {
    await signals.enqueue(probeEvent('m1', { failTimes: -1 }));
    expect(await signals.ended(1)).toMatchObject({ failed: 1 });
    await age(31);
    await expireSignalRows(rig.db);
    expect(await countRedrivable(rig.db, { ownerId: signals.user, scopeKey: 'topic:t1' })).toBe(0);
    await signals.enqueue(probeEvent('m1', { actions: 2 }));
    expect(await signals.ended(1)).toMatchObject({ done: 1, failed: 0 });
    expect(await signals.count('signal_probes')).toBe(2);
  });
});

test('what policies keep for a time is deleted after it, and not before', async () => {
  const tables = ['procedures', 'counts', 'reflections', 'diagnostics', 'candidates', 'turns', 'receipts'];
  for (const hours of [1, -1]) {
    const at = (days: number) => sql`now() - ${days} * interval '1 day' + ${hours} * interval '1 hour'`;
    const key = `k${hours}`;
    await rig.db.execute(
      sql`insert into signal_procedures (owner_id, scope_key, kind, key, domain, expires_at) values ('o', 's', 'marker', ${key}, 'd', ${at(0)})`,
    );
    await rig.db.execute(sql`insert into signal_counts (owner_id, counter, subject, source_id, at) values ('o', 'c', 's', ${key}, ${at(7)})`);
    await rig.db.execute(sql`insert into signal_reflections (owner_id, subject, reason, requested_at) values ('o', 's', ${key}, ${at(7)})`);
    await rig.db.execute(
      sql`insert into signal_diagnostics (owner_id, scope_key, source_id, stage, reason, error, created_at) values ('o', 's', ${key}, 's', 'r', 'e', ${at(30)})`,
    );
    await rig.db.execute(
      sql`insert into signal_candidates (owner_id, message_id, state, candidate, parked_at) values ('o', ${key}, 'parked', '{}', ${at(30)})`,
    );
    await rig.db.execute(sql`insert into signal_turns (owner_id, message_id, turn, completed_at) values ('o', ${key}, '{}', ${at(30)})`);
    await rig.db.execute(
      sql`insert into signal_receipts (owner_id, id, agent_id, topic_id, receipt, created_at) values ('o', ${key}, 'a', 't', '{}', ${at(90)})`,
    );
  }
  expect(await expireSignalRows(rig.db)).toBe(tables.length);
  for (const table of tables) expect(await signals.count(`signal_${table}`), table).toBe(1);
});
