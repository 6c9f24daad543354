import { number } from './case.ts';
import type { Draft } from './case.ts';

const PAIRS = [
  [17, 25],
  [340, 78],
  [1_205, 96],
  [63, 9],
  [84, 36],
  [915, 7],
] as const;

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** Sums, shares, powers, word problems; the last ones in forms that few grammars know. */
export const arithmeticCases: readonly Draft[] = [
  ...PAIRS.map(([a, b]) => number(`What is ${a} + ${b}?`, a + b)),
  ...PAIRS.map(([a, b]) => number(`Calculate ${a} * ${b}.`, a * b)),
  ...PAIRS.slice(0, 4).map(([a, b]) => number(`What is the remainder when ${a} is divided by ${b}?`, a % b)),
  ...PAIRS.slice(0, 4).map(([a, b]) => number(`What is ${b}% of ${a}?`, (a * b) / 100)),
  ...PAIRS.slice(3, 5).map(([a, b]) => number(`What is the greatest common divisor of ${a} and ${b}?`, greatestDivisor(a, b))),
  number('Calculate 12 * (7 - 3).', 48),
  number('What is 8 - 3 * 2?', 2),
  number('Evaluate (5 + 3) ^ 2 / 4.', 16),
  number('What is 2 to the power of 10?', 1_024),
  number('What is 0.1 + 0.2?', 0.3),
  number('What is 9 squared minus 4 cubed?', 17),
  number('What is 144 divided by 12 plus 5?', 17),
  number('What is the square root of 196?', 14),
  number('What is the square root of 2, to four decimals?', 1.4142, 0.00005),
  number('Round 7.456 to two decimals.', 7.46),
  number('Round 1.005 to two decimals.', 1.01),
  number('Increase 80 by 25%.', 100),
  number('Decrease 250 by 12%.', 220),
  number('What is the sum of 3, 9 and 27?', 39),
  number('What is the average of 4, 8, 15, 16, 23 and 42?', 18),
  number('What is the median of 4, 8, 15, 16 and 23?', 15),
  number('Multiply 1,250 by 16.', 20_000),
  number('Subtract 19 from 7.', -12),
  number('What is seventeen plus four?', 21),
  number('What is three quarters of 96?', 72),
  number('A shop sells 3 pens at 1.20 each and 2 books at 7.50 each. What is the total price?', 18.6),
  number('A train covers 180 km in 2.5 hours. What is its average speed in km/h?', 72),
  number('If 4 workers need 6 days, how many days do 3 workers need for the same job?', 8),
];
