import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeByteLength } from './digest.ts';
import { cutText, findUnserializable, isDeeper, toStorable } from './json-value.ts';

const isStorable = (json: string): boolean => !/\\u0000|\\ud[89a-f]/i.test(json);

class Money {
  readonly cents = 5;
}

const cycle: Record<string, unknown> = {};
cycle['self'] = { back: cycle };

describe('plain JSON', () => {
  test('is made storable wherever it holds NUL or half a character, keys too, and is left alone otherwise', () => {
    const broken = { 'a\0': ['x\0', { b: '\ud83d' }], n: 1, none: null };
    expect(toStorable(broken)).toEqual({ 'a\uFFFD': ['x\uFFFD', { b: '\uFFFD' }], n: 1, none: null });
    fc.assert(fc.property(fc.jsonValue(), (value) => findUnserializable(toStorable(value)) === undefined));
  });

  test('is accepted and survives the round trip', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        fc.pre(isStorable(json));
        expect(findUnserializable(value)).toBeUndefined();
        expect(JSON.stringify(JSON.parse(json))).toBe(json);
      }),
    );
  });

  test('is as deep as its objects and lists lie within each other', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
    expect(isDeeper(nested(64), 64)).toBe(false);
    expect(isDeeper({ a: [1, nested(63)] }, 64)).toBe(true);
    expect(isDeeper(nested(100_000), 64)).toBe(true);
    expect(isDeeper('text', 0)).toBe(false);
  });

  test.each([
    ['NaN', Number.NaN, 'NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
    ['BigInt', 1n, 'bigint'],
    ['Date', new Date(0), 'Date'],
    ['Map', new Map(), 'Map'],
    ['Set', new Set(), 'Set'],
    ['Error', new TypeError('x'), 'TypeError'],
    ['Buffer', Buffer.from('x'), 'Buffer'],
    ['undefined', undefined, 'undefined'],
    ['a function', () => 1, 'function'],
    ['a symbol', Symbol('x'), 'symbol'],
    ['an instance of a class', new Money(), 'Money'],
    ['NUL', 'a\0b', 'text with NUL'],
    ['half an emoji', '😀'.slice(0, 1), 'text with half a character'],
  ])('L3: %s is refused wherever it hides, with its path', (_name, bad, kind) => {
    expect(findUnserializable(bad)).toBe(`result: ${kind}`);
    expect(findUnserializable({ a: [1, { b: bad }] })).toBe(`result.a[1].b: ${kind}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(9), fc.stringMatching(/^[a-z]{1,5}$/)), { maxLength: 6 }), (path) => {
        const value = path.reduceRight<unknown>(
          (inner, step) => (typeof step === 'number' ? [...Array.from({ length: step }, () => 0), inner] : { before: 1, [step]: inner }),
          bad,
        );
        const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
        expect(findUnserializable(value)).toBe(`result${place}: ${kind}`);
      }),
    );
  });

  test('with a hole in a list, a key that no column holds, or a cycle is refused', () => {
    // oxlint-disable-next-line no-sparse-arrays -- the hole is the case
    expect(findUnserializable([1, , 3])).toBe('result[1]: undefined');
    expect(findUnserializable({ 'a\0': 1 })).toBe('result: key of text with NUL');
    expect(findUnserializable(cycle)).toBe('result.self.back: cycle');
    const shared = { x: 1 };
    expect(findUnserializable([shared, shared])).toBeUndefined();
  });
});

describe('cut text', () => {
  test('fits its bytes, is a beginning of the original, and stays whole where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 3, max: 120 }), (text, maxBytes) => {
        const cut = cutText(text, maxBytes);
        expect(computeByteLength(cut)).toBeLessThanOrEqual(maxBytes);
        if (computeByteLength(text) <= maxBytes) expect(cut).toBe(text.replaceAll('\0', '\uFFFD'));
        else expect(text.startsWith(cut.slice(0, -1).replaceAll('\uFFFD', '\0')) && cut.endsWith('…')).toBe(true);
      }),
    );
  });

  test('never holds NUL or half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\0', '\ud83d', '\ude00', 'ü'), maxLength: 40 }),
        fc.integer({ min: 3, max: 60 }),
        (text, maxBytes) => {
          expect(cutText(text, maxBytes)).not.toMatch(/\0|\p{Surrogate}/u);
        },
      ),
    );
  });

  test('of 5 MB keeps only its beginning', () => {
    expect(cutText('x'.repeat(5_000_000), 1_000)).toBe(`${'x'.repeat(997)}…`);
  });
});
