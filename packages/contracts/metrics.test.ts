import { expect, test } from 'vitest';
import { limiterLabel } from './metrics.ts';

test.each(['probe.execute', 'agent-eval-run.process', 'memory-user-memory.paginate'])('the flow key %s of a contract is a label', (key) => {
  expect(limiterLabel(key)).toBe(key);
});

test.each(['probe.execute/user-1', 'user-1', 'gpt-5', 'probe.item', 'Probe.execute', ''])(
  'the flow key "%s", of which there may be any number, is not',
  (key) => {
    expect(limiterLabel(key)).toBe('other');
  },
);
