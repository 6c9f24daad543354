import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, computeByteLength, computeDigest } from './digest.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 300 });

test('the digest is sha256 of the UTF-8 bytes, as every other tool computes it', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(computeDigest(value)).toBe(createHash('sha256').update(value, 'utf8').digest('hex'));
    }),
  );
});

test('the byte length is that of UTF-8', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(computeByteLength(value)).toBe(Buffer.byteLength(value, 'utf8'));
    }),
  );
});

const shuffleKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffleKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, shuffleKeys(member)]),
  );
};

test('canonical JSON is JSON of the same value, whatever the order of its keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const canonical = canonicalJson(value);
      expect(canonicalJson(shuffleKeys(value))).toBe(canonical);
      expect(JSON.stringify(JSON.parse(canonical))).toBe(canonical);
      expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(canonical);
    }),
  );
});

test('canonical JSON tells different values apart and leaves undefined members out', () => {
  expect(canonicalJson({ b: 1, a: [{ d: 1, c: undefined }] })).toBe('{"a":[{"d":1}],"b":1}');
  expect(new Set([{ a: 1 }, { a: '1' }, { a: [1] }, { a: null }, {}].map(canonicalJson)).size).toBe(5);
});
