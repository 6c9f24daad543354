import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentEvalRunContract } from './agent-eval-run.ts';
import { parsePipelineInput } from './input.schema.ts';
import { probeContract } from './probe.ts';

const problemsOf = (args: readonly unknown[], contract: Parameters<typeof parsePipelineInput>[0] = probeContract) => {
  const parsed = parsePipelineInput(contract, args);
  return parsed.ok ? [] : parsed.problems;
};

const problemOf = (extra: object): { path: string; message: string } => {
  const problems = problemsOf([{ set: 's', ...extra }]);
  expect(problems).toHaveLength(1);
  const { path, message } = problems[0] ?? { path: '', message: '' };
  return { path, message };
};

describe('the one argument', () => {
  test('whatever it is, is answered and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }), { maxLength: 3 }), (args) => {
        const parsed = parsePipelineInput(probeContract, args);
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
    );
  });

  test('of a valid shape is accepted as it is, with the defaults filled in', () => {
    const valid = fc.record(
      {
        set: fc.stringMatching(/^\S{1,50}$/),
        dryRun: fc.boolean(),
        force: fc.boolean(),
        maxItems: fc.integer({ min: 1 }),
        pageSize: fc.integer({ min: 1, max: 5_000 }),
        failureThreshold: fc.oneof(fc.record({ count: fc.nat() }), fc.record({ share: fc.double({ min: 0, max: 0.999, noNaN: true }) })),
      },
      { requiredKeys: ['set'] },
    );
    fc.assert(
      fc.property(valid, (input) => {
        expect(parsePipelineInput(probeContract, [input])).toEqual({ ok: true, input: { dryRun: false, force: false, ...input } });
      }),
    );
  });

  test('with a key nobody knows is refused, whatever else it holds', () => {
    const known = new Set([
      ...Object.keys(probeContract.fields),
      'dryRun',
      'force',
      'itemIds',
      'maxItems',
      'maxConcurrency',
      'redriveOf',
      'failureThreshold',
      'requestId',
    ]);
    fc.assert(
      fc.property(
        fc.string().filter((key) => !known.has(key) && key !== '__proto__'),
        fc.jsonValue(),
        (key, value) => {
          expect(problemsOf([{ set: 's', [key]: value }])).toMatchObject([{ path: key, code: 'unknown_key' }]);
        },
      ),
    );
    expect(problemsOf([JSON.parse('{"set":"s","__proto__":{"dryRun":true}}')])).toMatchObject([{ path: '__proto__', code: 'unknown_key' }]);
  });

  test.each([[[]], [[null]], [[[]]], [['foo']], [[7]], [[true]]])('B1: %j is refused with "expected an object"', (args) => {
    expect(problemsOf(args)).toEqual([{ path: '', code: 'invalid_argument', message: 'expected an object' }]);
  });

  test('B4: two of them are refused with "exactly one argument"', () => {
    expect(problemsOf([{ set: 's' }, { set: 't' }])[0]?.message).toContain('exactly one argument');
  });
});

describe('refusals name the field and the bound', () => {
  test('B2: every missing field at once', () => {
    expect(problemsOf([{}], agentEvalRunContract).map(({ message }) => message)).toEqual(['Missing runId in payload', 'Missing userId in payload']);
  });

  test('B3: an unknown key, with the nearest known one', () => {
    expect(problemOf({ dry_run: true })).toEqual({ path: 'dry_run', message: 'unknown key dry_run, did you mean dryRun?' });
    expect(problemOf({ paralelism: 'four' }).message).toBe('unknown key paralelism, did you mean parallelism?');
  });

  test.each([
    ['maxItems', '0', 0, '>=1'],
    ['maxItems', '-1', -1, '>=1'],
    ['maxItems', '1.5', 1.5, 'int'],
    ['maxItems', 'a numeral in quotes', '15', 'number'],
    ['itemIds', 'no ids', [], '>=1'],
    ['itemIds', '1,001 ids', Array.from({ length: 1_001 }, (_, n) => `i${n}`), '<=1000'],
    ['itemIds', 'text', 'a', 'array'],
    ['itemIds', '1,000 ids of 100 bytes', Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(100, 'x')), '64 KiB'],
  ])('B5: %s of %s', (field, _name, value, bound) => {
    const { path, message } = problemOf({ [field]: value });
    expect(path).toBe(field);
    expect(message).toContain(`${field}: `);
    expect(message).toContain(bound);
  });

  test('B5: 1,000 ids of at most 64 KiB and a single id are accepted', () => {
    expect(problemsOf([{ set: 's', itemIds: Array.from({ length: 1_000 }, (_, n) => `i${n}`) }])).toEqual([]);
    expect(problemsOf([{ set: 's', itemIds: ['a'] }])).toEqual([]);
  });

  test.each([
    [{}, 'failureThreshold', 'expected {count: integer ≥ 0} or {share: 0 ≤ s < 1}'],
    [{ count: 1, share: 0.1 }, 'failureThreshold', 'expected {count: integer ≥ 0} or {share: 0 ≤ s < 1}'],
    [{ counts: 1 }, 'failureThreshold', 'expected {count: integer ≥ 0} or {share: 0 ≤ s < 1}'],
    [{ count: -1 }, 'failureThreshold.count', '>=0'],
    [{ share: 1.5 }, 'failureThreshold.share', '<1'],
    [{ share: 1 }, 'failureThreshold.share', '<1'],
    [{ share: -0.1 }, 'failureThreshold.share', '>=0'],
  ])('B6: failureThreshold %j', (failureThreshold, field, bound) => {
    const { path, message } = problemOf({ failureThreshold });
    expect(path).toBe(field);
    expect(message).toContain(`${field}: `);
    expect(message).toContain(bound);
  });

  test.each([
    ['force', true],
    ['itemIds', ['a']],
    ['maxItems', 1],
  ])('B6: redriveOf with %s', (field, value) => {
    expect(problemOf({ redriveOf: 'probe/s', [field]: value })).toEqual({ path: field, message: `${field}: cannot be combined with redriveOf` });
    expect(problemsOf([{ set: 's', redriveOf: 'probe/s', force: false, dryRun: true }])).toEqual([]);
  });

  test('B9: item ids with any characters are accepted, and those that no text column holds are refused', () => {
    const odd = ['org/42?x=1#f', 'a%2Fb', "x'y", 'x'.repeat(300), '😀'.repeat(250)];
    expect(problemsOf([{ set: 's', itemIds: odd }])).toEqual([]);
    expect(problemOf({ itemIds: ['a', ' \t'] })).toEqual({ path: 'itemIds.1', message: 'itemIds.1: must not be blank' });
    expect(problemOf({ itemIds: ['a\0b'] }).message).toContain('without NUL');
    expect(problemOf({ itemIds: ['\ud83d'] }).message).toContain('well-formed');
  });
});
