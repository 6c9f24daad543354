import { defineCommand } from 'citty';

/** `strata signal …`: facts become signals become actions, in order and exactly once. */
export const signalCommand = defineCommand({
  meta: { name: 'signal', description: 'send events to scopes and see what became of them' },
  subCommands: {
    emit: () => import('./signal/emit.ts').then((module) => module.signalEmitCommand),
    enqueue: () => import('./signal/enqueue.ts').then((module) => module.signalEnqueueCommand),
    receipts: () => import('./signal/receipts.ts').then((module) => module.signalReceiptsCommand),
    redrive: () => import('./signal/redrive.ts').then((module) => module.signalRedriveCommand),
    status: () => import('./signal/status.ts').then((module) => module.signalStatusCommand),
    trace: () => import('./signal/trace.ts').then((module) => module.signalTraceCommand),
  },
});
