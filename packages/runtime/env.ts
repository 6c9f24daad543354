/** What a process is given from outside. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The variables that are set; an empty one counts as unset, as compose files and shells leave them behind. */
export function definedOnly(env: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''));
}
