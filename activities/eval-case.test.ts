import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EvalCase } from '../packages/contracts/eval-case.ts';
import type { EvalRunConfig } from '../packages/contracts/eval-run.ts';
import type { Trajectory } from '../packages/contracts/trajectory.ts';
import { ModelError } from '../packages/models/model-error.ts';
import type { Target, TargetRequest } from '../packages/models/target.ts';
import { buildIdempotencyKey, evaluateCase } from './eval-case.ts';
import type { EvaluateCaseDeps, EvaluateCaseRequest } from './eval-case.ts';

const sum: EvalCase = { id: 'c 1/é', input: [{ role: 'user', content: '1 + 1?' }], assertions: [{ type: 'equals', values: ['2'] }], metadata: {} };
const unavailable = new ModelError('provider answered 500', { type: 'ProviderUnavailable', retryable: true });
const refused = new ModelError('provider answered 400', { type: 'ProviderRefused', retryable: false });
const limited = new ModelError('provider answered 429', { type: 'RateLimited', retryable: true, retryAfterSeconds: 3 });

type Step = string | Error | ((request: TargetRequest) => Promise<never>);

/** A target that answers the steps in order and a store that keeps what was saved. */
function setUp(steps: readonly Step[], extra: Partial<EvaluateCaseDeps> = {}) {
  const keys: string[] = [];
  const saved = new Map<string, Trajectory>();
  const target: Target = {
    answer: async (request) => {
      keys.push(request.idempotencyKey);
      const step = steps[keys.length - 1] ?? '2';
      if (typeof step === 'function') return step(request);
      if (step instanceof Error) throw step;
      return { output: step, tokens: 10, costUsd: 0.01, steps: 2, calls: 1, toolCalls: 0 };
    },
  };
  let now = 0;
  const saveTrajectory = async (one: Trajectory): Promise<void> => void saved.set(`${one.round}/${one.k}`, one);
  const deps: EvaluateCaseDeps = { target, saveTrajectory, clock: () => (now += 50), ...extra };
  const run = (config: EvalRunConfig = {}, change: Partial<EvaluateCaseRequest> = {}) =>
    evaluateCase(
      {
        runId: 'r1',
        case: sum,
        config,
        round: 0,
        isLastAttempt: false,
        stored: [...saved.values()],
        signal: new AbortController().signal,
        ...change,
      },
      deps,
    );
  return { run, keys, saved };
}

describe('a case with k = 1', () => {
  test('is judged from the target’s answer, with the figures it told and the time it took', async () => {
    const { run, saved } = setUp([' 2 ']);
    expect(await run()).toEqual({
      outcome: 'judged',
      verdict: expect.objectContaining({
        status: 'passed',
        score: 1,
        k: 1,
        output: ' 2 ',
        tokens: 10,
        latencyMs: 50,
        totals: { costUsd: 0.01, latencyMs: 50, tokens: 10, steps: 2, calls: 1, toolCalls: 0 },
      }),
    });
    expect(saved.get('0/0')).toMatchObject({ score: 1, passed: true, grading: [{ type: 'equals' }] });
  });

  test('that answers wrongly is judged failed, which is no failure of the item', async () => {
    expect(await setUp(['3']).run()).toMatchObject({ outcome: 'judged', verdict: { status: 'failed', score: 0 } });
  });

  test('without assertions is completed', async () => {
    expect(await setUp(['3']).run({}, { case: { ...sum, assertions: [] } })).toMatchObject({ outcome: 'judged', verdict: { status: 'completed' } });
  });

  test('passes from the threshold on, 0.6 unless the run says otherwise', async () => {
    const assertions = [
      { type: 'contains' as const, values: ['a'] },
      { type: 'contains' as const, values: ['b'] },
      { type: 'contains' as const, values: ['z'] },
    ];
    const graded = (config: EvalRunConfig) => setUp(['ab']).run(config, { case: { ...sum, assertions } });
    expect(await graded({})).toMatchObject({ verdict: { status: 'passed', score: 2 / 3 } });
    expect(await graded({ passThreshold: 0.7 })).toMatchObject({ verdict: { status: 'failed' } });
  });

  test('with a blank answer is an error: No assistant output', async () => {
    const found = await setUp([' \n']).run();
    expect(found).toMatchObject({
      outcome: 'unjudged',
      failure: { type: 'InvalidOutput', message: 'No assistant output' },
      verdict: { status: 'error', score: 0, tokens: 10 },
    });
  });

  test('that its target refuses is an error at once: Execution error', async () => {
    const { run, saved } = setUp([refused]);
    expect(await run()).toMatchObject({
      outcome: 'unjudged',
      failure: { type: 'ProviderRefused', message: 'Execution error: provider answered 400' },
    });
    expect(saved.get('0/0')).toMatchObject({ error: { type: 'ProviderRefused' }, latencyMs: 50 });
  });

  test('whose target is unavailable is thrown for another attempt, and an error on the last one', async () => {
    const { run, saved, keys } = setUp([unavailable, unavailable]);
    await expect(run()).rejects.toBe(unavailable);
    expect(saved.size).toBe(0);
    expect(await run({}, { isLastAttempt: true })).toMatchObject({ outcome: 'unjudged', failure: { type: 'ProviderUnavailable' } });
    expect(new Set(keys).size).toBe(1);
  });

  test('that is rate-limited is thrown even on the last attempt, since the wait is free', async () => {
    await expect(setUp([limited]).run({}, { isLastAttempt: true })).rejects.toBe(limited);
  });

  test('whose target never answers is a time-out, even if it ignores its signal', async () => {
    const found = await setUp([() => new Promise<never>(() => undefined)]).run({ trajectoryTimeoutMs: 20 });
    expect(found).toMatchObject({
      outcome: 'unjudged',
      failure: { type: 'ItemTimeout', message: 'Execution error: no answer within 20 ms' },
      verdict: { status: 'timeout' },
    });
  });

  test('keeps out of the database what it cannot store', async () => {
    expect(await setUp(['2\0\ud800']).run()).toMatchObject({ verdict: { output: '2\uFFFD\uFFFD' } });
    expect(await setUp(['x'.repeat(1_000_001)]).run()).toMatchObject({ failure: { type: 'PayloadTooLarge' } });
  });
});

describe('an abort', () => {
  test('is thrown as it came, stores nothing and starts no further trajectory', async () => {
    const stop = new AbortController();
    const reason = new Error('aborted by a person');
    const { run, saved, keys } = setUp(['2', () => new Promise<never>(() => stop.abort(reason))]);
    await expect(run({ k: 3 }, { signal: stop.signal, isLastAttempt: true })).rejects.toBe(reason);
    expect([...saved.keys()]).toEqual(['0/0']);
    expect(keys).toHaveLength(2);
  });
});

describe('a case with k > 1', () => {
  test('asks k times in sequence, each under its own key, and passes if any does', async () => {
    const { run, keys } = setUp(['3', '2', '3']);
    expect(await run({ k: 3 })).toMatchObject({
      verdict: { status: 'passed', score: 1, passAtK: true, passAllK: false, output: '2', costUsd: 0.01, totals: { costUsd: 0.03 } },
    });
    expect(keys).toEqual([0, 1, 2].map((k) => buildIdempotencyKey('r1', sum.id, { round: 0, k })));
  });

  test('repeats on a retry only the trajectories without a stored result', async () => {
    const { run, keys } = setUp(['3', unavailable, '2', '2']);
    await expect(run({ k: 3 })).rejects.toBe(unavailable);
    expect(await run({ k: 3 })).toMatchObject({ verdict: { passAtK: true, passAllK: false } });
    expect(keys.map((key) => key.at(-1))).toEqual(['0', '1', '1', '2']);
  });

  test('asks for all of them anew in a new round', async () => {
    const { run, keys } = setUp([]);
    await run({ k: 2 });
    await run({ k: 2 }, { round: 1 });
    expect(keys.map((key) => key.slice(-5))).toEqual(['r0/k0', 'r0/k1', 'r1/k0', 'r1/k1']);
  });

  test('is judged by those that could be, however the others ended', async () => {
    expect(await setUp([refused, '3']).run({ k: 2 })).toMatchObject({ outcome: 'judged', verdict: { status: 'failed', passAtK: false } });
    expect(await setUp([refused, '']).run({ k: 2 })).toMatchObject({ outcome: 'unjudged', verdict: { status: 'error' } });
  });

  test('never asks twice for what is stored, wherever attempts break off', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.boolean(), { maxLength: 12 }), async (k, failures) => {
        const { run, keys } = setUp(failures.map((fails) => (fails ? unavailable : '2')));
        const breaks = failures.filter(Boolean).length;
        for (let attempt = 0; attempt <= breaks; attempt++) {
          const found = await run({ k }).catch(() => null);
          if (found === null) continue;
          expect(found.verdict).toMatchObject({ status: 'passed', ...(k > 1 ? { passAllK: true } : {}) });
          const asked = failures.slice(0, keys.length).filter(Boolean).length;
          expect(keys).toHaveLength(k + asked);
          return;
        }
        expect.unreachable('more attempts than failures');
      }),
    );
  });
});

describe('a judge', () => {
  const rubric = { ...sum, assertions: [{ type: 'llm-rubric' as const, values: ['is right'] }] };

  test('that fails does not make the target answer again', async () => {
    let judged = 0;
    const judge = async () => {
      judged++;
      if (judged === 1) throw unavailable;
      return { score: 0.9, reason: 'fine' };
    };
    const { run, keys, saved } = setUp(['2'], { judge });
    await expect(run({}, { case: rubric })).rejects.toBe(unavailable);
    expect(saved.get('0/0')).toMatchObject({ output: '2' });
    expect(await run({}, { case: rubric })).toMatchObject({ verdict: { status: 'passed', score: 0.9, latencyMs: 50 } });
    expect(keys).toHaveLength(1);
  });

  test('that fails for good makes the case an error with its text', async () => {
    const { run } = setUp(['2'], { judge: () => Promise.reject(refused) });
    expect(await run({}, { case: rubric })).toMatchObject({
      outcome: 'unjudged',
      failure: { type: 'ProviderRefused', message: 'provider answered 400' },
      verdict: { score: 0, output: '2' },
    });
  });

  test('that is missing is told before the target is paid', async () => {
    const { run, keys } = setUp(['2']);
    expect(await run({}, { case: rubric })).toMatchObject({ outcome: 'unjudged', failure: { message: expect.stringContaining('needs a judge') } });
    expect(keys).toEqual([]);
  });
});

test('an idempotency key names run, case, round and place in characters that a header can carry', () => {
  expect(buildIdempotencyKey('r1', 'c 1/é\n', { round: 2, k: 1 })).toBe('agent-eval-run/r1/c%201%2F%C3%A9%0A/r2/k1');
  expect(() => new Headers({ key: buildIdempotencyKey('ü', '🙂', { round: 0, k: 0 }) })).not.toThrow();
});
