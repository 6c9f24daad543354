import { UserError } from '../../packages/runtime/user-error.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A span given as an option, like `30s`, `15m`, `1h` or `2d`, in ms; a UserError names the option. */
export function parseDuration(text: string, name: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  if (!(ms >= 1_000)) throw new UserError(`${name} must be a span like 30s, 15m, 1h or 2d, not "${text}"`);
  return ms;
}
