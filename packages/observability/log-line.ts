/** One entry as a logger hands it over. */
export interface LogEntry {
  readonly level: string;
  readonly message: string;
  /** Ns since 1970. */
  readonly timestampNanos: bigint;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

const MAX_CAUSES = 5;
const NANOS_PER_MS = 1_000_000n;

const describeError = (error: Error, causes = MAX_CAUSES): Record<string, unknown> => {
  const { name, message, stack, cause } = error;
  const type = 'type' in error && typeof error.type === 'string' ? error.type : name;
  return { type, message, stack, ...(cause instanceof Error && causes > 0 ? { cause: describeError(cause, causes - 1) } : {}) };
};

/** Turns what JSON does not know into something that it does; an object inside itself becomes text. */
const createReplacer = (): ((this: unknown, key: string, value: unknown) => unknown) => {
  const path: unknown[] = [];
  return function (_key, value) {
    while (path.length > 0 && path.at(-1) !== this) path.pop();
    if (typeof value === 'bigint') return value.toString();
    if (value instanceof Error) return describeError(value);
    if (typeof value !== 'object' || value === null) return value;
    if (path.includes(value)) return '[circular]';
    path.push(value);
    return value;
  };
};

/** One JSON object on one line: `time`, `level`, `message`, then the entry's own fields; errors are `{type, message, stack, cause}`. */
export const formatLogLine = ({ level, message, timestampNanos, meta }: LogEntry): string => {
  const time = new Date(Number(timestampNanos / NANOS_PER_MS)).toISOString();
  const own = { time, level, message };
  // First for whoever reads it, and last so that no field of the entry takes their place.
  return `${JSON.stringify(Object.assign({ ...own }, meta, own), createReplacer())}\n`;
};
