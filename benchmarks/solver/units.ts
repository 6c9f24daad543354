import { showNumber } from './skill.ts';
import type { Skill } from './skill.ts';

type Unit = { readonly kind: string; readonly size: number; readonly offset?: number };

/** Units by their names; a value in base units is value × size + offset. */
const NAMES: readonly (readonly [string, Unit])[] = [
  ['mm millimetre millimetres', { kind: 'length', size: 0.001 }],
  ['cm centimetre centimetres', { kind: 'length', size: 0.01 }],
  ['m metre metres', { kind: 'length', size: 1 }],
  ['km kilometre kilometres', { kind: 'length', size: 1_000 }],
  ['inch inches in', { kind: 'length', size: 0.0254 }],
  ['foot feet ft', { kind: 'length', size: 0.3048 }],
  ['yard yards', { kind: 'length', size: 0.9144 }],
  ['nautical_mile nautical_miles', { kind: 'length', size: 1_852 }],
  ['mile miles', { kind: 'length', size: 1609.344 }],
  ['g gram grams', { kind: 'mass', size: 0.001 }],
  ['kg kilogram kilograms', { kind: 'mass', size: 1 }],
  ['tonne tonnes', { kind: 'mass', size: 1_000 }],
  ['ounce ounces oz', { kind: 'mass', size: 0.028349523125 }],
  ['stone', { kind: 'mass', size: 6.35029318 }],
  ['pound pounds lb', { kind: 'mass', size: 0.45359237 }],
  ['ml millilitre millilitres', { kind: 'volume', size: 0.001 }],
  ['l litre litres', { kind: 'volume', size: 1 }],
  ['second seconds', { kind: 'time', size: 1 }],
  ['minute minutes', { kind: 'time', size: 60 }],
  ['hour hours', { kind: 'time', size: 3_600 }],
  ['day days', { kind: 'time', size: 86_400 }],
  ['week weeks', { kind: 'time', size: 604_800 }],
  ['kb kilobytes', { kind: 'data', size: 1_000 }],
  ['mb megabytes', { kind: 'data', size: 1e6 }],
  ['gb gigabytes', { kind: 'data', size: 1e9 }],
  ['°c celsius', { kind: 'temperature', size: 1, offset: 0 }],
  ['°f fahrenheit', { kind: 'temperature', size: 5 / 9, offset: -160 / 9 }],
  ['k kelvin', { kind: 'temperature', size: 1, offset: -273.15 }],
];

const UNITS: ReadonlyMap<string, Unit> = new Map(NAMES.flatMap(([names, unit]) => names.split(' ').map((name) => [name, unit] as const)));

function findUnit(name: string): Unit | undefined {
  return UNITS.get(
    name
      .trim()
      .toLowerCase()
      .replace(/^degrees /, '')
      .replaceAll(' ', '_'),
  );
}

function convert(amount: string, from: string, to: string): string | null {
  const source = findUnit(from);
  const target = findUnit(to);
  if (source === undefined || target === undefined || source.kind !== target.kind) return null;
  const base = Number(amount.replaceAll(',', '')) * source.size + (source.offset ?? 0);
  return showNumber((base - (target.offset ?? 0)) / target.size);
}

/** Conversions between two units of one kind. */
export const unitSkills: readonly Skill[] = [
  { form: /^convert (-?[\d,.]+) (.+?) (?:to|into) (.+)$/i, answer: (n = '', from = '', to = '') => convert(n, from, to) },
  { form: /^what is (-?[\d,.]+) (.+?) in (.+)$/i, answer: (n = '', from = '', to = '') => convert(n, from, to) },
  { form: /^how many (.+?) are (?:there )?in (-?[\d,.]+) (.+)$/i, answer: (to = '', n = '', from = '') => convert(n, from, to) },
];
