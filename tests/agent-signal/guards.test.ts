import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeGuard } from '../../packages/database/signal-guards.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await createRig({ workers: 0, replay: false });
});
afterEach(() => rig.close());

const call = (name: string, ttlMs = 60_000) =>
  changeGuard(rig.db, { scopeId: '1', key: 'lane::throttle', ttlMs }, (state) => ({ state: { name }, answer: state }));

test('a guard call counts even where the expired row of its lane is deleted meanwhile', async () => {
  await call('first', 0);
  const sweep = await rig.pool.connect();
  try {
    await sweep.query('begin; select from signal_guards for update');
    const second = call('second');
    await delay(200);
    await sweep.query('delete from signal_guards where expires_at < now(); commit');
    expect(await second).toBeNull();
  } finally {
    sweep.release();
  }
  expect(await call('third')).toEqual({ name: 'second' });
});

test('guard calls at the same time are one after the other', async () => {
  const found = await Promise.all(Array.from({ length: 10 }, (_, index) => call(`c${index}`)));
  const names = found.map((state) => (state as { readonly name: string } | null)?.name);
  expect(names.filter((name) => name === undefined)).toHaveLength(1);
  expect(new Set(names).size).toBe(10);
});
