import { expect, test } from 'vitest';
import { metricsUrls, ownAddresses } from './worker-addresses.ts';

const ENV = { STRATA_METRICS_ADDRESS: '127.0.0.1:9464', STRATA_HEALTH_ADDRESS: '[::1]:9500', DATABASE_URL: 'x' };

test('workers on one machine take one port after the other', () => {
  expect(ownAddresses(ENV, 0)).toEqual({ STRATA_METRICS_ADDRESS: '127.0.0.1:9464', STRATA_HEALTH_ADDRESS: '[::1]:9500' });
  expect(ownAddresses(ENV, 2)).toEqual({ STRATA_METRICS_ADDRESS: '127.0.0.1:9466', STRATA_HEALTH_ADDRESS: '[::1]:9502' });
  expect(metricsUrls(ENV, 2)).toEqual(['http://127.0.0.1:9464/metrics', 'http://127.0.0.1:9465/metrics']);
});

test('what is not set stays unset', () => {
  expect(ownAddresses({ STRATA_METRICS_ADDRESS: '' }, 1)).toEqual({});
  expect(metricsUrls({}, 3)).toEqual([]);
});
