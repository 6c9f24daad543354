import { UserError } from '../../packages/runtime/user-error.ts';

/** A whole number given as an option; a UserError names the option and the range. */
export function parseWholeNumber(text: string, { name, from, to }: { readonly name: string; readonly from: number; readonly to: number }): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < from || value > to) throw new UserError(`${name} must be a whole number from ${from} to ${to}, not "${text}"`);
  return value;
}
