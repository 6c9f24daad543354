import type { Skill } from './skill.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAY_MS = 86_400_000;
const DATE = String.raw`(\d{4}-\d{2}-\d{2}|(?:the )?\d{1,2}(?:st|nd|rd|th)? (?:of )?[a-z]+ \d{4}|[a-z]+ \d{1,2}, \d{4})`;
const form = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll('@', DATE)}$`, 'i');

/** Midnight UTC of `2024-02-15`, `15 February 2024` or `February 15, 2024`; null for a day that does not exist. */
function readDate(text: string): Date | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (iso !== null) return makeDate(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  const plain = text.toLowerCase().replace(/(?<=\d)(?:st|nd|rd|th)\b|\bthe\b|\bof\b/g, '');
  const parts = plain.match(/[a-z]+|\d+/g) ?? [];
  const month = MONTHS.indexOf(parts.find((part) => /[a-z]/.test(part)) ?? '');
  const [day = 0, year = 0] = parts.filter((part) => /\d/.test(part)).map(Number);
  return month === -1 ? null : makeDate(year, month, day);
}

function makeDate(year: number, month: number, day: number): Date | null {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date : null;
}

const showDate = (date: Date): string => date.toISOString().slice(0, 10);

function shift(text: string, days: number): string | null {
  const date = readDate(text);
  return date === null ? null : showDate(new Date(date.getTime() + days * DAY_MS));
}

function countDays(from: string, to: string): string | null {
  const [start, end] = [readDate(from), readDate(to)];
  return start === null || end === null ? null : String(Math.abs(end.getTime() - start.getTime()) / DAY_MS);
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function shiftBy([count = '', unit = '', side = '', date = '']: readonly string[]): string | null {
  return shift(date, Number(count) * unitDays(unit) * (/after/i.test(side) ? 1 : -1));
}

const unitDays = (unit: string): number => (/^week/i.test(unit) ? 7 : 1);

/** Days after and before, weekdays, differences, leap years, ends of months. */
export const dateSkills: readonly Skill[] = [
  {
    form: form('what date is (\\d+) (days?|weeks?) (after|before) @'),
    answer: (...parts) => shiftBy(parts),
  },
  {
    form: form('(?:what|which) day of the week (?:is|was) @'),
    answer: (date = '') => WEEKDAYS[readDate(date)?.getUTCDay() ?? -1] ?? null,
  },
  { form: form('how many days (?:are|lie) between @ and @'), answer: (from = '', to = '') => countDays(from, to) },
  { form: /^(?:is|was) (\d{4}) a leap year$/i, answer: (year = '') => (isLeap(Number(year)) ? 'Yes' : 'No') },
  { form: form('write @ as an iso date'), answer: (date = '') => shift(date, 0) },
  {
    form: /^what is the last day of ([a-z]+) (\d{4})$/i,
    answer: (month = '', year = '') => {
      const index = MONTHS.indexOf(month.toLowerCase());
      return index === -1 ? null : showDate(new Date(Date.UTC(Number(year), index + 1, 0)));
    },
  },
];
