import { number } from './case.ts';
import type { Draft } from './case.ts';

const CONVERSIONS: readonly (readonly [string, string, string, number])[] = [
  ['5', 'km', 'miles', 3.10686],
  ['26.2', 'miles', 'kilometres', 42.1648],
  ['180', 'cm', 'feet', 5.90551],
  ['2', 'yards', 'metres', 1.8288],
  ['750', 'g', 'ounces', 26.4555],
  ['12', 'pounds', 'kilograms', 5.44311],
  ['3.5', 'tonnes', 'kg', 3_500],
  ['2.5', 'litres', 'millilitres', 2_500],
  ['2.5', 'hours', 'minutes', 150],
  ['3', 'weeks', 'hours', 504],
  ['4,096', 'MB', 'GB', 4.096],
  ['1', 'stone', 'kilograms', 6.35029],
  ['10', 'knots', 'km/h', 18.52],
  ['2', 'US gallons', 'litres', 7.57082],
  ['1', 'nautical mile', 'metres', 1_852],
];
const TEMPERATURES: readonly (readonly [string, string, string, number])[] = [
  ['72', '°F', '°C', 22.2222],
  ['-40', '°C', '°F', -40],
  ['100', 'degrees Celsius', 'degrees Fahrenheit', 212],
  ['0', 'kelvin', 'celsius', -273.15],
  ['37', '°C', 'kelvin', 310.15],
];
const COUNTS: readonly (readonly [string, string, string, number])[] = [
  ['inches', '3', 'feet', 36],
  ['seconds', '1.5', 'hours', 5_400],
  ['days', '8', 'weeks', 56],
  ['grams', '0.25', 'kilograms', 250],
  ['millimetres', '4', 'inches', 101.6],
  ['minutes', '7', 'days', 10_080],
  ['feet', '2', 'miles', 10_560],
  ['ounces', '3', 'pounds', 48],
];

const near = (value: number): number => Math.max(0.001, Math.abs(value) * 0.0001);

/** Conversions; compound, colloquial and rarer units among them. */
export const unitCases: readonly Draft[] = [
  ...CONVERSIONS.map(([n, from, to, expected]) => number(`Convert ${n} ${from} to ${to}.`, expected, near(expected))),
  ...TEMPERATURES.map(([n, from, to, expected]) => number(`What is ${n} ${from} in ${to}?`, expected, 0.01)),
  ...COUNTS.map(([to, n, from, expected]) => number(`How many ${to} are in ${n} ${from}?`, expected, near(expected))),
  number('Convert 5 feet 11 inches to centimetres.', 180.34, 0.01),
  number('Convert a quarter of an hour to seconds.', 900),
  number('Convert 1 hour and 20 minutes into minutes.', 80),
  number('How many minutes are there in 2 days?', 2_880),
  number('How many square centimetres are in 1 square metre?', 10_000),
  number('Convert 90 km/h to metres per second.', 25, 0.01),
  number('Convert 500 kilobytes to megabytes.', 0.5),
  number('Convert 1 GB to MB.', 1_000),
];
