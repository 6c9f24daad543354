import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ASSERTION_TYPES } from '../contracts/eval-case.ts';
import type { Assertion } from '../contracts/eval-case.ts';
import { gradeOutput } from './grade.ts';
import { scoreAssertion } from './scorers.ts';

const score = (output: string, assertion: Assertion): number => scoreAssertion(assertion, output).score;
const on = (type: Assertion['type'], ...values: string[]): Assertion => ({ type, values });

describe('a scorer', () => {
  test.each<[string, Assertion, number]>([
    [' Paris\n', on('equals', 'Paris'), 1],
    ['paris', on('equals', 'Paris'), 0],
    ['b', on('equals', 'a', 'b'), 1],
    ['It is Paris.', on('contains', 'Paris'), 1],
    ['It is paris.', on('contains', 'Paris'), 0],
    ['It is paris.', on('icontains', 'PARIS'), 1],
    ['xyz', on('contains-any', 'a', 'z'), 1],
    ['xyz', on('contains-all', 'x', 'z'), 1],
    ['xyz', on('contains-all', 'x', 'a'), 0],
    ['  No way', on('starts-with', 'No'), 1],
    ['order AB-12', on('regex', '[A-Z]{2}-\\d+'), 1],
    ['ab', on('regex', '^b'), 0],
    ['{"a":1}', on('is-json'), 1],
    ['{a:1}', on('is-json'), 0],
    ['kitten', on('levenshtein', 'sitting'), 1],
    ['kitten', { ...on('levenshtein', 'sitting'), threshold: 2 }, 0],
    ['The result is 1,234.50.', on('numeric', '1234.5'), 1],
    ['between 3 and 7', on('numeric', '7'), 1],
    ['0.30000000000000004', on('numeric', '0.3'), 1],
    ['x = -5', on('numeric', '-5'), 1],
    ['page 10-5', on('numeric', '5'), 1],
    ['about 3.14', { ...on('numeric', '3.14159'), threshold: 0.01 }, 1],
    ['3.2', { ...on('numeric', '3.14159'), threshold: 0.01 }, 0],
    ['none', on('numeric', '7'), 0],
    ['1e999', on('numeric', '7'), 0],
    ['{"b":[1,2],"a":null}', on('json-equals', '{"a":null,"b":[1,2]}'), 1],
    ['```json\n{"a":1}\n```', on('json-equals', '{"a":1}'), 1],
    ['{"a":1}', on('json-equals', '{"a":"1"}'), 0],
    ['[]', on('json-equals', '{}'), 0],
    ['abcd', on('similarity', 'abcx'), 0.75],
    ['abcd', { ...on('similarity', 'abcx'), threshold: 0.7 }, 1],
    ['abcd', { ...on('similarity', 'abcx'), threshold: 0.8 }, 0],
    ['abcd', { ...on('similarity', 'abcx'), negate: true }, 0.25],
    ['abc', { ...on('contains', 'b'), negate: true }, 0],
  ])('of %j by %j gives %d', (output, assertion, expected) => {
    expect(score(output, assertion)).toBe(expected);
  });

  test('never throws, answers from 0 to 1 and gives a reason, whatever comes', () => {
    const assertion = fc.record({
      type: fc.constantFrom(...ASSERTION_TYPES),
      values: fc.array(fc.string(), { maxLength: 3 }),
      threshold: fc.double(),
      negate: fc.boolean(),
    });
    fc.assert(
      fc.property(assertion, fc.string({ unit: 'binary' }), (given, output) => {
        const { score: found, reason } = scoreAssertion(given, output);
        expect(found).toBeGreaterThanOrEqual(0);
        expect(found).toBeLessThanOrEqual(1);
        expect(reason).not.toBe('');
      }),
      { numRuns: 2_000 },
    );
  });

  test('turned round by not- gives the rest to 1', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('equals', 'contains', 'similarity', 'levenshtein', 'is-json'),
        fc.string({ minLength: 1 }),
        fc.string(),
        (type, value, output) => {
          const assertion: Assertion = { type, values: type === 'is-json' ? [] : [value] };
          expect(score(output, { ...assertion, negate: true })).toBeCloseTo(1 - score(output, assertion), 12);
        },
      ),
    );
  });

  test('that cannot judge is not turned into a pass by not-', () => {
    expect(score('x', { ...on('regex', '('), negate: true })).toBe(0);
    expect(score('x', { ...on('llm-rubric', 'y'), negate: true })).toBe(0);
  });
});

describe('a hostile answer does not hang a worker', () => {
  const within = (ms: number, work: () => unknown): void => {
    const start = performance.now();
    work();
    expect(performance.now() - start).toBeLessThan(ms);
  };

  test('by a pattern that backtracks for ever elsewhere', () => {
    within(10_000, () => expect(score(`${'a'.repeat(50_000)}!`, on('regex', '^(a+)+$'))).toBe(0));
    within(10_000, () => expect(score('x'.repeat(50_000), on('regex', '(x+x+)+y'))).toBe(0));
  });

  test('by numbers without end', () => {
    for (const output of ['1,111'.repeat(200_000), `${'1'.repeat(1_000_000)}x`, '-'.repeat(1_000_000), '1e'.repeat(500_000)]) {
      within(10_000, () => expect(score(output, on('numeric', '7'))).toBe(0));
    }
  });

  test('by texts too long to compare', () => {
    const long = 'ab'.repeat(500_000);
    within(10_000, () => expect(scoreAssertion(on('similarity', `${'ba'.repeat(400_000)}`), long)).toMatchObject({ score: 0 }));
    within(10_000, () => expect(score(long, on('levenshtein', 'short'))).toBe(0));
    within(10_000, () => expect(score(long, on('similarity', long))).toBe(1));
  });

  test('by JSON nested deeper than the stack', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(score(deep, on('json-equals', deep))).toBe(1);
    expect(score(deep, on('json-equals', '[]'))).toBe(0);
  });
});

describe('several assertions', () => {
  const input = [{ role: 'user' as const, content: 'q' }];

  test('share the score evenly, none gives none', async () => {
    const assertions = [on('contains', 'a'), on('contains', 'z'), on('similarity', 'abcx')];
    expect((await gradeOutput({ assertions, input, output: 'abcd' })).score).toBeCloseTo(1.75 / 3);
    expect(await gradeOutput({ assertions: [], input, output: 'abcd' })).toEqual({ score: null, grading: [] });
  });

  test('ask the judge for rubrics, with threshold and not-', async () => {
    const judge = async () => ({ score: 0.7, reason: 'fair' });
    const graded = async (extra: Partial<Assertion>) =>
      (await gradeOutput({ assertions: [{ ...on('llm-rubric', 'r'), ...extra }], input, output: 'x', judge })).score;
    expect([await graded({}), await graded({ threshold: 0.8 }), await graded({ threshold: 0.8, negate: true })]).toEqual([0.7, 0, 1]);
  });

  test('let the judge fail aloud, and a missing one too', async () => {
    const assertions = [on('llm-rubric', 'r')];
    await expect(gradeOutput({ assertions, input, output: 'x' })).rejects.toThrow('needs a judge');
    const judge = () => Promise.reject(new Error('judge is ill'));
    await expect(gradeOutput({ assertions, input, output: 'x', judge })).rejects.toThrow('judge is ill');
  });
});
