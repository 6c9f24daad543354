import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeByteLength } from './digest.ts';
import { chunkWorkflowId, encodeIdPart, MAX_ID_BYTES, runWorkflowId } from './ids.ts';
import { pipelineContracts } from './index.ts';

const PART = /^[A-Za-z0-9._:-]+$/;
const AWKWARD = ['org/42?x=1#f', 'a%2Fb', "x'y", 'x'.repeat(300), '😀'.repeat(250), '..', '.', ' ', 'ä', '\ud83d'];
const keys = fc.oneof(
  fc.string({ minLength: 1, maxLength: 300 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  fc.constantFrom(...AWKWARD),
);

describe('an id part', () => {
  test('B9: is safe, short, and the same for the same key', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const part = encodeIdPart(key);
        expect(part).toMatch(PART);
        expect(part).not.toMatch(/^\.+$/);
        expect(computeByteLength(part)).toBeLessThanOrEqual(64);
        expect(encodeIdPart(key)).toBe(part);
      }),
    );
  });

  test('is the key itself where that is safe', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_:-][A-Za-z0-9._:-]{0,63}$/), (key) => {
        expect(encodeIdPart(key)).toBe(key);
      }),
    );
  });

  test('of different keys is different', () => {
    fc.assert(
      fc.property(keys, keys, (left, right) => {
        fc.pre(left !== right);
        expect(encodeIdPart(left)).not.toBe(encodeIdPart(right));
      }),
    );
    const cut = ['a/b', 'a?b', 'a b', 'a//b', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
    expect(new Set(cut.map(encodeIdPart)).size).toBe(cut.length);
  });
});

describe('derived workflow ids', () => {
  test('B9: have at most 200 bytes and safe parts, for every registered pipeline and any scope', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pipelineContracts), keys, fc.nat(1_000_000), fc.nat(1_000_000), (contract, scope, page, epoch) => {
        const { entity } = contract;
        const ids = [
          runWorkflowId({ entity, scope }),
          runWorkflowId({ entity, scope, dryRun: true }),
          chunkWorkflowId({ entity, scope, epoch, page, chunk: 250 }),
        ];
        for (const id of ids) {
          expect(computeByteLength(id)).toBeLessThanOrEqual(MAX_ID_BYTES);
          expect(id.split('/').every((part) => PART.test(part))).toBe(true);
        }
        expect(new Set(ids).size).toBe(3);
      }),
    );
  });

  test('read as documented', () => {
    expect(runWorkflowId({ entity: 'agent-eval-run', scope: 'r1' })).toBe('agent-eval-run/r1');
    expect(runWorkflowId({ entity: 'agent-eval-run', scope: 'r1', dryRun: true })).toBe('agent-eval-run/r1-dry-run');
    expect(chunkWorkflowId({ entity: 'probe', scope: 's', epoch: 2, page: 3, chunk: 1 })).toBe('probe/s/e2/3/1');
  });
});
