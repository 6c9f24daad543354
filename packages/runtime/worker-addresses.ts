import { definedOnly } from './env.ts';
import type { Env } from './env.ts';

const OWN_PORTS = ['STRATA_METRICS_ADDRESS', 'STRATA_HEALTH_ADDRESS'] as const;

/** The address of the n-th worker on one machine (0 = the first): the given one has the port of the first, each further one the next port. */
const nthAddress = (address: string, n: number): string => address.replace(/\d+$/, (port) => String(Number(port) + n));

/** What differs between the environments of a stack's workers: the addresses that only one process can have. */
export const ownAddresses = (env: Env, n: number): Env => {
  const given = definedOnly(env);
  return Object.fromEntries(OWN_PORTS.flatMap((name) => (given[name] === undefined ? [] : [[name, nthAddress(given[name], n)]])));
};

/** Where Prometheus finds the metrics of a stack's workers; empty without STRATA_METRICS_ADDRESS. */
export const metricsUrls = (env: Env, workers: number): readonly string[] => {
  const address = definedOnly(env)['STRATA_METRICS_ADDRESS'];
  return address === undefined ? [] : Array.from({ length: workers }, (_, n) => `http://${nthAddress(address, n)}/metrics`);
};
