/** One way to answer: the question's form and what is computed from its parts; null where the parts make no sense. */
export type Skill = {
  readonly form: RegExp;
  readonly answer: (...parts: string[]) => string | null;
};

/** Shows a number without the noise of binary fractions. */
export function showNumber(value: number | null): string | null {
  return value === null || !Number.isFinite(value) ? null : String(Number(value.toPrecision(12)));
}
