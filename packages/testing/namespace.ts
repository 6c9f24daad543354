import { randomBytes } from 'node:crypto';
import { msToTs } from '@temporalio/common/lib/time.js';
import { connectClient } from '../runtime/connect.ts';
import { registerSearchAttributes } from '../runtime/search-attributes.ts';
import { embeddedTarget } from '../runtime/stack-target.ts';
import { waitUntil } from '../runtime/wait-until.ts';

/** Registers a namespace with the search attributes on a server; resolves to its name once the server serves it. */
export async function createNamespace(temporalAddress: string): Promise<string> {
  const namespace = `ns-${randomBytes(6).toString('hex')}`;
  const { client, connection, close } = await connectClient(embeddedTarget(temporalAddress, namespace));
  try {
    await client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
    // Its caches lag behind the registration.
    const isServed = async (): Promise<boolean> => {
      await registerSearchAttributes(connection, namespace);
      await client.workflow.count();
      return true;
    };
    await waitUntil({ what: `namespace ${namespace} served`, timeoutMs: 30_000, everyMs: 200, probe: isServed });
  } finally {
    await close();
  }
  return namespace;
}
