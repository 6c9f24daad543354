import { probeContract } from '../packages/contracts/probe.ts';
import { pipeline } from '../packages/durable/pipeline.ts';

/** Walks the items of a probe set. */
export const probe = pipeline(probeContract);
