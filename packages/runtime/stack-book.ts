import { writeStackFile } from './stack-file.ts';
import type { StackFile, StackPart } from './stack-file.ts';
import type { StartStackInput } from './stack.ts';
import { supervise } from './supervisor.ts';
import type { Part, Supervised, SupervisorEvents } from './supervisor.ts';

/** Addresses that a stack hands to its users. */
export interface StackAddresses {
  readonly temporalAddress: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly gatewayUrl: string | null;
  readonly databaseUrl: string;
}

/** The parts of a stack under supervision, written down so that others can find or end them. */
export interface StackBook {
  /** Starts a part and supervises it. */
  add(part: Part): Promise<void>;
  /** Process of a part, as it is now. */
  pidOf(name: string): number | undefined;
  /** Records the addresses; from now on the stack file is complete. */
  publish(addresses: StackAddresses): Promise<StackFile>;
  /** Ends the parts, those of the last group first and the parts of one group together. */
  stopParts(): Promise<void>;
}

const STOP_ORDER = ['gateway', 'worker', 'temporal', 'postgres'] as const;
const UNKNOWN: StackAddresses = { temporalAddress: '', namespace: '', uiUrl: null, gatewayUrl: null, databaseUrl: '' };

/** Creates an empty book for a data folder. */
export function createStackBook({ dataDir, say, signal }: Pick<StartStackInput, 'dataDir' | 'say' | 'signal'>): StackBook {
  const startedAt = new Date().toISOString();
  const supervised: Supervised[] = [];
  const parts = new Map<string, StackPart>();
  let addresses = UNKNOWN;
  let writing: Promise<unknown> = Promise.resolve();

  const write = async (): Promise<StackFile> => {
    const file = { pid: process.pid, startedAt, dataDir, ...addresses, parts: [...parts.values()] };
    writing = writing.then(() => writeStackFile(file));
    await writing;
    return file;
  };
  const events: SupervisorEvents = {
    onStarted: async (part, pid) => {
      parts.set(part.name, { name: part.name, pid, words: [...part.words] });
      await write();
    },
    onDied: (part, how) => say(`${part.name} ended unexpectedly (${how}); starting it again`),
  };
  return {
    add: async (part) => {
      signal.throwIfAborted();
      supervised.push(await supervise(part, events));
    },
    pidOf: (name) => parts.get(name)?.pid,
    publish: (given) => {
      addresses = given;
      return write();
    },
    stopParts: async () => {
      for (const group of STOP_ORDER) {
        await Promise.all(supervised.filter(({ name }) => name.startsWith(group)).map((each) => each.stop()));
      }
    },
  };
}
