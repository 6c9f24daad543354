/** What feedback may be about. */
export type FeedbackTarget = 'memory' | 'prompt' | 'skill' | 'none';

/** How a target bears others beside it. */
export interface ConflictPolicy {
  readonly mode: 'fanout' | 'exclusive';
  readonly priority: number;
  readonly forbiddenWith: readonly FeedbackTarget[];
}

/** The conflict policy of each target. */
export const CONFLICT_POLICIES: Readonly<Record<FeedbackTarget, ConflictPolicy>> = {
  memory: { mode: 'fanout', priority: 100, forbiddenWith: ['none'] },
  prompt: { mode: 'exclusive', priority: 90, forbiddenWith: ['memory', 'skill', 'none'] },
  skill: { mode: 'fanout', priority: 80, forbiddenWith: ['none'] },
  none: { mode: 'exclusive', priority: 0, forbiddenWith: ['memory', 'prompt', 'skill'] },
};

interface Judged {
  readonly target: FeedbackTarget;
  readonly confidence: number;
}

/** Keeps the most confident entry of each target, in the order of their first mention. */
export const mergeTargets = <T extends Judged>(judged: readonly T[]): readonly T[] => {
  const best = new Map<FeedbackTarget, T>();
  for (const each of judged) if (each.confidence > (best.get(each.target)?.confidence ?? -1)) best.set(each.target, each);
  return [...best.values()];
};

const exclude = (one: FeedbackTarget, other: FeedbackTarget): boolean =>
  CONFLICT_POLICIES[one].forbiddenWith.includes(other) || CONFLICT_POLICIES[other].forbiddenWith.includes(one);

/** In order of priority a target is dropped if it and an accepted one exclude each other. */
export const resolveConflicts = <T extends Judged>(
  judged: readonly T[],
): { readonly accepted: readonly T[]; readonly dropped: readonly { readonly target: FeedbackTarget; readonly winner: FeedbackTarget }[] } => {
  const accepted: T[] = [];
  const dropped: { target: FeedbackTarget; winner: FeedbackTarget }[] = [];
  for (const each of [...judged].sort((a, b) => CONFLICT_POLICIES[b.target].priority - CONFLICT_POLICIES[a.target].priority)) {
    const winner = accepted.find(({ target }) => exclude(target, each.target));
    if (winner === undefined) accepted.push(each);
    else dropped.push({ target: each.target, winner: winner.target });
  }
  return { accepted, dropped };
};
