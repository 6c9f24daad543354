import { NativeConnection } from '@temporalio/worker';
import { orUnreachable } from './connect.ts';
import type { TemporalTarget } from './connect.ts';

/** Connects a Worker's connection; fails like `connectClient`. */
export async function connectNative(target: TemporalTarget): Promise<NativeConnection> {
  return orUnreachable(target, () => NativeConnection.connect({ ...target.connectionOptions, address: target.address }));
}
