import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIGNAL_LIMITS } from '../contracts/signal-limits.ts';
import type { NodeRef, StepAnswer } from '../contracts/signal-run.ts';
import { nextStep, startRun, takeStep } from './event-run.ts';
import type { EventRun } from './event-run.ts';
import { applyAnswer, HOP_LIMIT, isOverBudget, outcomeOf } from './scheduler.ts';

const node = (id: string, depth: number, more: Partial<NodeRef> = {}): NodeRef => ({
  id,
  kind: 'signal',
  type: 'signal.x',
  depth,
  handlers: ['h'],
  ...more,
});
const source = node('s', 0, { kind: 'source', type: 'probe.event' });

/** Runs to the end; answers the order of steps. */
const drain = (
  start: EventRun,
  answerOf: (id: string, depth: number) => StepAnswer,
  most = 1_000,
): { readonly run: EventRun; readonly order: string[] } => {
  let run = start;
  const order: string[] = [];
  for (let step = nextStep(run); step !== undefined && order.length < most; step = nextStep(run)) {
    order.push(`${step.node.id} ${step.handlerId}`);
    run = applyAnswer(takeStep(run), step.handlerId, { answer: answerOf(step.node.id, step.node.depth), bounds: SIGNAL_LIMITS });
  }
  return { run, order };
};

describe('the scheduler', () => {
  test('N1: runs source, signal and action in that order, and the event is completed', () => {
    const answers: Record<string, StepAnswer> = {
      s: { status: 'dispatch', nodes: [node('sig', 1)] },
      sig: { status: 'dispatch', nodes: [node('act', 2, { kind: 'action', type: 'action.x' })] },
      act: { status: 'executed', result: 'applied', nodes: [node('act:result', 3, { handlers: [] })] },
    };
    const { run, order } = drain(startRun(source), (id) => answers[id] as StepAnswer);
    expect(order).toEqual(['s h', 'sig h', 'act h']);
    expect(outcomeOf(run)).toEqual({ status: 'completed', reason: null });
    expect(run).toMatchObject({ nodes: 3, actions: 1 });
  });

  test('signals of a result are handled before its actions, handlers in the order of their registration', () => {
    const start = startRun({ ...source, handlers: ['a', 'b'] });
    const { order } = drain(start, (id) =>
      id === 's' ? { status: 'dispatch', nodes: [node('act', 1, { kind: 'action' }), node('sig', 1)] } : { status: 'none' },
    );
    expect(order).toEqual(['s a', 's b', 'sig h', 'act h', 'sig h', 'act h']);
  });

  test('N4: the first terminal result names the status, and what is queued is still handled', () => {
    const { run, order } = drain(startRun(source), (id) => {
      if (id === 's') return { status: 'dispatch', nodes: [node('skill', 1), node('memory', 1)] };
      if (id === 'skill') return { status: 'conclude', reason: 'parked' };
      return id === 'memory'
        ? { status: 'dispatch', nodes: [node('act', 2, { kind: 'action' })] }
        : { status: 'executed', result: 'applied', nodes: [] };
    });
    expect(order).toEqual(['s h', 'skill h', 'memory h', 'act h']);
    expect(outcomeOf(run)).toEqual({ status: 'concluded', reason: 'parked' });
  });

  test('N9: a branch that fails names its handler, and the others still run', () => {
    const start = startRun({ ...source, handlers: ['first', 'second'] });
    let run = applyAnswer(takeStep(start), 'first', { answer: { status: 'failed', error: { code: 'X', message: 'gone' } }, bounds: SIGNAL_LIMITS });
    expect(nextStep(run)?.handlerId).toBe('second');
    run = applyAnswer(takeStep(run), 'second', { answer: { status: 'none' }, bounds: SIGNAL_LIMITS });
    expect(outcomeOf(run)).toEqual({ status: 'failed', reason: 'first: X: gone' });
  });

  test('N7: two handlers that dispatch to each other end at the hop limit', () => {
    const { run, order } = drain(startRun(source), (_id, depth) => ({ status: 'dispatch', nodes: [node(`n${depth + 1}`, depth + 1)] }));
    expect(order).toHaveLength(SIGNAL_LIMITS.depth + 1);
    expect(outcomeOf(run)).toEqual({ status: 'concluded', reason: HOP_LIMIT });
  });

  test('actions beyond the budget are known to be', () => {
    const action = { node: node('a', 1, { kind: 'action' }) };
    expect(isOverBudget({ terminal: null, failed: [], nodes: 0, actions: 7 }, action, SIGNAL_LIMITS)).toBe(false);
    expect(isOverBudget({ terminal: null, failed: [], nodes: 0, actions: 8 }, action, SIGNAL_LIMITS)).toBe(true);
  });

  test('handles every node within its depth exactly once, parents before children, however results fan out', () => {
    const tree = fc.array(fc.nat({ max: 3 }), { maxLength: 40 });
    fc.assert(
      fc.property(tree, (widths) => {
        let made = 0;
        const parentOf = new Map<string, string>();
        const { run, order } = drain(startRun(source), (id, depth) => {
          const width = widths[made % Math.max(1, widths.length)] ?? 0;
          if (made > 60) return { status: 'none' };
          const nodes = Array.from({ length: width }, () => node(`n${++made}`, depth + 1));
          for (const each of nodes) parentOf.set(each.id, id);
          return { status: 'dispatch', nodes };
        });
        const seen = order.map((step) => step.split(' ')[0] as string);
        expect(new Set(seen).size).toBe(seen.length);
        for (const id of seen) if (id !== 's') expect(seen.indexOf(parentOf.get(id) as string)).toBeLessThan(seen.indexOf(id));
        expect(run.nodes).toBe(made);
        if (outcomeOf(run).reason !== HOP_LIMIT) expect(seen).toHaveLength(made + 1);
      }),
    );
  });
});
