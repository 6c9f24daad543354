/** `–`, `820 ms`, `4.2 s`, `3 min 5 s`, `1 h 2 min`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`;
}

/** A share as `82.1 %`; nothing but all is 100 %, nothing but none is 0 %. */
export function formatShare(share: number): string {
  const percent = Math.round(share * 1_000) / 10;
  if (share < 1 && percent === 100) return '99.9 %';
  if (share > 0 && percent === 0) return '0.1 %';
  return `${percent} %`;
}

/** A whole number with thin groups, `–` when unknown. */
export function formatCount(value: number | undefined): string {
  return value === undefined ? '–' : value.toLocaleString('en-US');
}

/** US dollars with as many decimals as the amount needs, `–` when unknown. */
export function formatCost(value: number | undefined): string {
  if (value === undefined) return '–';
  return `$${value.toFixed(value !== 0 && value < 1 ? 4 : 2)}`;
}

/** A score with two decimals. */
export function formatScore(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(2);
}

/** Cuts a text for display and shows line breaks as spaces. */
export function shorten(text: string, length: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat;
}
