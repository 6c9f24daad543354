import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGatherer } from './gather.ts';
import type { GatherOptions } from './gather.ts';

const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};

const options = (more: Partial<GatherOptions<string, string>>): GatherOptions<string, string> => ({
  work: async (group) => group.map((element) => element.toUpperCase()),
  alone: async (element) => `alone ${element}`,
  isShared: () => false,
  nameOf: (element) => element,
  groupSize: 10,
  groupsAtOnce: 1,
  ...more,
});

describe('gathering', () => {
  test('what is asked for in one turn is one group, and what is asked for while it is under way is the next', async () => {
    const groups: (readonly string[])[] = [];
    const first = gate();
    const gather = createGatherer(
      options({
        work: async (group) => {
          groups.push(group);
          if (groups.length === 1) await first.opened;
          return group.map((element) => element.toUpperCase());
        },
      }),
    );
    const early = ['a', 'b'].map(gather);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const late = ['c', 'd', 'e'].map(gather);
    first.open();
    expect(await Promise.all([...early, ...late])).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(groups).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]);
  });

  test('a group that fails is done element by element, and one that hangs there holds up no other', async () => {
    const never = new Promise<string>(() => undefined);
    const gather = createGatherer(
      options({
        work: async (group) => {
          if (group.includes('bad')) throw new Error('refused');
          return [...group];
        },
        alone: (element) => (element === 'bad' ? never : Promise.resolve(`alone ${element}`)),
      }),
    );
    void gather('bad');
    expect(await Promise.all(['a', 'b'].map(gather))).toEqual(['alone a', 'alone b']);
    expect(await gather('c')).toBe('c');
  });

  test("an error that would meet each element too is everybody's at once", async () => {
    const gather = createGatherer(options({ work: () => Promise.reject(new Error('down')), isShared: () => true }));
    const ended = await Promise.allSettled(['a', 'b'].map(gather));
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('a single element that fails fails with its own error', async () => {
    const gather = createGatherer(options({ work: () => Promise.reject(new Error('own')) }));
    await expect(gather('a')).rejects.toThrow('own');
  });

  test('each element gets its own answer, no group is too large or repeats a name, and never more are under way than may be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 8 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 3 }),
        async (names, groupSize, groupsAtOnce) => {
          let [underWay, most] = [0, 0];
          const gather = createGatherer<readonly [number, number], number>({
            work: async (group) => {
              most = Math.max(most, ++underWay);
              expect(group.length).toBeLessThanOrEqual(groupSize);
              expect(new Set(group.map(([name]) => name)).size).toBe(group.length);
              await new Promise(setImmediate);
              underWay--;
              return group.map(([, index]) => index);
            },
            alone: async ([, index]) => index,
            isShared: () => false,
            nameOf: ([name]) => String(name),
            groupSize,
            groupsAtOnce,
          });
          expect(await Promise.all(names.map((name, index) => gather([name, index])))).toEqual(names.map((_, index) => index));
          expect(most).toBeLessThanOrEqual(groupsAtOnce);
        },
      ),
      { numRuns: 40 },
    );
  });
});
