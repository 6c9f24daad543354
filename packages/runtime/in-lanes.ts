/** Works at all of them, so many at a time; answers what came of each, in the order of their ends. The first failure is thrown. */
export const inLanes = async <T, R>(all: readonly T[], lanes: number, work: (each: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const waiting = all.values();
  const lane = async (): Promise<void> => {
    for (const each of waiting) results.push(await work(each));
  };
  await Promise.all(Array.from({ length: Math.min(lanes, all.length) }, lane));
  return results;
};
