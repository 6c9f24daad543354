import getPort from 'get-port';
import { EXIT, UserError } from './user-error.ts';

/** Ports of a stack's servers. */
export interface StackPorts {
  readonly temporal: number;
  readonly ui: number;
  readonly postgres: number;
}

const USUAL: StackPorts = { temporal: 7233, ui: 8233, postgres: 54320 };

/** Chooses ports: `base`, `base + 1`, `base + 2`, which must be free, or without a base the usual ones where they are free and any others where not. */
export async function choosePorts(base: number | undefined): Promise<StackPorts> {
  const wanted = base === undefined ? USUAL : { temporal: base, ui: base + 1, postgres: base + 2 };
  const ports = {
    temporal: await getPort({ port: wanted.temporal }),
    ui: await getPort({ port: wanted.ui }),
    postgres: await getPort({ port: wanted.postgres }),
  };
  const taken = Object.values(wanted).filter((port) => !Object.values(ports).includes(port));
  if (base !== undefined && taken.length > 0) {
    throw new UserError(`port ${taken.join(', ')} is taken: choose another --port-base, or leave it out for free ports`, EXIT.unreachable);
  }
  return ports;
}
