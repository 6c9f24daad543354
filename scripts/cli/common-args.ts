/** Arguments that every command takes. */
export const commonArgs = {
  json: { type: 'boolean', description: 'print exactly one JSON document (streams: one per line)' },
} as const;

/** Arguments of commands that work on a stack of this machine. */
export const dataArgs = {
  data: { type: 'string', description: 'folder of the stack (default: STRATA_DATA_DIR, else .strata)', valueHint: 'dir' },
} as const;
