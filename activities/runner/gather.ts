/** What gathering needs to know of its elements. */
export interface GatherOptions<T, R> {
  /** Does one group in one go and answers in its order. */
  readonly work: (group: readonly T[]) => Promise<readonly R[]>;
  /** Does one element of a group that failed: so the one at fault fails alone, and one that has to wait holds up no other. */
  readonly alone: (element: T) => Promise<R>;
  /** Whether a group's error would meet each element too; then all fail with it at once. */
  readonly isShared: (error: unknown) => boolean;
  /** Elements of one name are never in the same group. */
  readonly nameOf: (element: T) => string;
  readonly groupSize: number;
  /** Groups under way at once. */
  readonly groupsAtOnce: number;
}

interface Waiting<T, R> {
  readonly element: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Cuts the next group off the queue; what repeats a name stays for a later one. */
const takeGroup = <T, R>(queue: Waiting<T, R>[], { nameOf, groupSize }: GatherOptions<T, R>): readonly Waiting<T, R>[] => {
  const names = new Set<string>();
  const group: Waiting<T, R>[] = [];
  const later: Waiting<T, R>[] = [];
  for (const waiting of queue.splice(0)) {
    const name = nameOf(waiting.element);
    if (group.length >= groupSize || names.has(name)) later.push(waiting);
    else {
      names.add(name);
      group.push(waiting);
    }
  }
  queue.push(...later);
  return group;
};

/** Makes calls share work: what is asked for while earlier groups are under way goes together with the next one. */
export const createGatherer = <T, R>(options: GatherOptions<T, R>): ((element: T) => Promise<R>) => {
  const queue: Waiting<T, R>[] = [];
  let underWay = 0;
  const runGroup = async (group: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await options.work(group.map(({ element }) => element));
      group.forEach(({ resolve }, index) => resolve(results[index] as R));
    } catch (error) {
      if (group.length === 1 || options.isShared(error)) for (const { reject } of group) reject(error);
      else for (const { element, resolve, reject } of group) void options.alone(element).then(resolve, reject);
    }
  };
  const drain = async (): Promise<void> => {
    underWay++;
    while (queue.length > 0) await runGroup(takeGroup(queue, options));
    underWay--;
  };
  return (element) =>
    new Promise<R>((resolve, reject) => {
      queue.push({ element, resolve, reject });
      // One turn later: whoever asks in the same turn is in the same group.
      setImmediate(() => {
        if (underWay < options.groupsAtOnce && queue.length > 0) void drain();
      });
    });
};
