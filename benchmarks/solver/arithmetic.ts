import { evaluateExpression } from './expression.ts';
import { showNumber } from './skill.ts';
import type { Skill } from './skill.ts';

const NUMBER = String.raw`(-?[\d,]+(?:\.\d+)?)`;
const toNumber = (text: string): number => Number(text.replaceAll(',', ''));
const form = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll('#', NUMBER)}$`, 'i');

function readList(text: string): number[] {
  return text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).map(Number);
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : greatestDivisor(b, a % b);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Sums, products, shares, roots, means and remainders. */
export const arithmeticSkills: readonly Skill[] = [
  { form: form('what is #\\s*(?:%|percent) of #'), answer: (a = '', b = '') => showNumber((toNumber(a) * toNumber(b)) / 100) },
  { form: form('increase # by #\\s*(?:%|percent)'), answer: (a = '', b = '') => showNumber(toNumber(a) * (1 + toNumber(b) / 100)) },
  { form: form('decrease # by #\\s*(?:%|percent)'), answer: (a = '', b = '') => showNumber(toNumber(a) * (1 - toNumber(b) / 100)) },
  { form: form('divide # by #'), answer: (a = '', b = '') => showNumber(toNumber(a) / toNumber(b)) },
  { form: form('multiply # by #'), answer: (a = '', b = '') => showNumber(toNumber(a) * toNumber(b)) },
  { form: form('subtract # from #'), answer: (a = '', b = '') => showNumber(toNumber(b) - toNumber(a)) },
  { form: form('what is the square root of #'), answer: (a = '') => showNumber(Math.sqrt(toNumber(a))) },
  {
    form: form('what is the remainder when # is divided by #'),
    answer: (a = '', b = '') => showNumber(toNumber(a) % toNumber(b)),
  },
  {
    form: form('round # to (one|two|three|\\d) decimals?'),
    answer: (a = '', digits = '') => {
      const places = { one: 1, two: 2, three: 3 }[digits.toLowerCase()] ?? Number(digits);
      return toNumber(a).toFixed(places);
    },
  },
  { form: /^what is the sum of ([\d.,\sand]+)$/i, answer: (list = '') => showNumber(sum(readList(list))) },
  {
    form: form('what is the greatest common divisor of # and #'),
    answer: (a = '', b = '') => showNumber(greatestDivisor(toNumber(a), toNumber(b))),
  },
  {
    form: /^what is the (?:average|mean) of ([\d.,\sand]+)$/i,
    answer: (list = '') => showNumber(sum(readList(list)) / readList(list).length),
  },
  { form: /^(?:what is|calculate|compute|evaluate) (.+)$/i, answer: (expression = '') => showNumber(evaluateExpression(expression)) },
];
