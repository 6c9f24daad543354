import type { LoadedStep, StepStore } from '../../packages/contracts/signal-store.ts';

const MOST = 500;

/** An event in the hands of one claim. */
interface Claim {
  readonly eventId: string;
  readonly token: number;
}

/** What a claim has read of an event that nobody has run before. */
type Fresh = Pick<LoadedStep, 'scopeId' | 'ownerId' | 'scopeKey' | 'sourceType' | 'sourceId' | 'payload' | 'context' | 'cause'>;

/**
 * What this process has claimed and not yet begun: the first handler of such an event needs no statement to load it. Whether the claim still holds is
 * decided where the answer is stored, as ever.
 */
export interface FreshSteps {
  keep(claim: Claim, fresh: Fresh): void;
  /** A store that knows of them; each is handed out once. */
  over(store: StepStore): StepStore;
}

const nameOf = ({ eventId, token }: Claim): string => `${eventId} ${token}`;

/** Creates an empty set; the oldest are forgotten first, and then loaded like any other. */
export const createFreshSteps = (): FreshSteps => {
  const kept = new Map<string, Fresh>();
  return {
    keep: (claim, fresh) => {
      kept.set(nameOf(claim), fresh);
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    },
    over: (store) => ({
      ...store,
      load: async (key) => {
        const fresh = kept.get(nameOf(key));
        kept.delete(nameOf(key));
        // Only the source itself: other nodes have been stored meanwhile.
        if (fresh === undefined || key.nodeId !== fresh.sourceId || key.timerId !== undefined) return store.load(key);
        return { ...fresh, isHeld: true, pauses: 0, hops: 0, node: null, answer: null };
      },
    }),
  };
};
