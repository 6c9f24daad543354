import { expect, test } from 'vitest';
import { loadWorkerConfig } from './config.ts';
import { UserError } from './user-error.ts';

const DATABASE_URL = 'postgres://strata:secret@127.0.0.1:5432/strata';

function refusal(env: Record<string, string>): UserError {
  try {
    loadWorkerConfig(env);
  } catch (error) {
    if (error instanceof UserError) return error;
  }
  throw new Error('the settings were accepted');
}

test('a worker needs only DATABASE_URL', () => {
  const config = loadWorkerConfig({ DATABASE_URL });
  expect(config).toMatchObject({ databaseUrl: DATABASE_URL, taskQueues: ['strata'], setCurrent: false, workflowBundle: undefined });
});

test('settings are frozen', () => {
  expect(Object.isFrozen(loadWorkerConfig({ DATABASE_URL }))).toBe(true);
});

test('an empty variable counts as unset', () => {
  expect(loadWorkerConfig({ DATABASE_URL, STRATA_TASK_QUEUES: '', STRATA_ACTIVITY_SLOTS: '' }).taskQueues).toEqual(['strata']);
  expect(refusal({ DATABASE_URL: '' }).message).toContain('DATABASE_URL is required to start a worker');
});

test('every problem is listed at once, with exit code 2', () => {
  const { message, exitCode } = refusal({
    STRATA_ACTIVITY_SLOTS: 'many',
    STRATA_SET_CURRENT: 'yes',
    STRATA_LOG_LEVEL: 'loud',
    STRATA_TASK_QUEUES: 'a,,b',
  });
  expect(exitCode).toBe(2);
  for (const name of ['DATABASE_URL', 'STRATA_ACTIVITY_SLOTS', 'STRATA_SET_CURRENT', 'STRATA_LOG_LEVEL', 'STRATA_TASK_QUEUES'])
    expect(message).toContain(name);
});

test('a database URL of another kind is refused without repeating its password', () => {
  const { message } = refusal({ DATABASE_URL: 'mysql://root:hunter2@db/x' });
  expect(message).toContain('DATABASE_URL must be a URL like postgres://');
  expect(message).not.toContain('hunter2');
});

test('fewer connections than activity slots are refused', () => {
  expect(refusal({ DATABASE_URL, STRATA_DATABASE_POOL_SIZE: '5', STRATA_ACTIVITY_SLOTS: '6' }).message).toContain('at least STRATA_ACTIVITY_SLOTS');
});

test('queues are trimmed', () => {
  expect(loadWorkerConfig({ DATABASE_URL, STRATA_TASK_QUEUES: 'a, b' }).taskQueues).toEqual(['a', 'b']);
});

test('addresses for metrics and probes are host and port, and none by default', () => {
  expect(loadWorkerConfig({ DATABASE_URL })).toMatchObject({ metricsAddress: undefined, healthAddress: undefined });
  const given = { STRATA_METRICS_ADDRESS: '0.0.0.0:9464', STRATA_HEALTH_ADDRESS: '[::]:9465' };
  expect(loadWorkerConfig({ DATABASE_URL, ...given })).toMatchObject({ metricsAddress: '0.0.0.0:9464', healthAddress: '[::]:9465' });
  const { message } = refusal({ DATABASE_URL, STRATA_METRICS_ADDRESS: '9464', STRATA_HEALTH_ADDRESS: 'http://x:1/', STRATA_LOG_FORMAT: 'xml' });
  for (const name of ['STRATA_METRICS_ADDRESS', 'STRATA_HEALTH_ADDRESS', 'STRATA_LOG_FORMAT']) expect(message).toContain(name);
});
