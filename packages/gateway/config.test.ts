import { describe, expect, test } from 'vitest';
import { UserError } from '../runtime/user-error.ts';
import { loadGatewayConfig } from './config.ts';

const DATABASE_URL = 'postgres://x@127.0.0.1/x';
const HASH = '0'.repeat(64);

const refusal = (env: Record<string, string>): string => {
  try {
    loadGatewayConfig(env);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
};

test('a gateway needs only DATABASE_URL, and listens on the loopback address then', () => {
  expect(loadGatewayConfig({ DATABASE_URL })).toMatchObject({
    host: '127.0.0.1',
    port: 8_080,
    tokens: [],
    defaultUser: 'local',
    isOnByDefault: false,
  });
  expect(refusal({ DATABASE_URL, STRATA_GATEWAY_ADDRESS: '0.0.0.0:80' })).toContain('must be a loopback address');
  expect(
    loadGatewayConfig({ DATABASE_URL, STRATA_GATEWAY_ADDRESS: '0.0.0.0:80', STRATA_TOKENS: `[{"hash":"${HASH}","kind":"service"}]` }),
  ).toMatchObject({
    host: '0.0.0.0',
  });
});

test('every problem is listed at once', () => {
  const message = refusal({
    STRATA_GATEWAY_ADDRESS: '0.0.0.0:80',
    STRATA_DEFAULT_USER: 'u'.repeat(201),
    STRATA_AGENT_SIGNAL: 'maybe',
    STRATA_SIGNAL_LIMITS: '{"idleMs":0}',
  });
  for (const name of ['DATABASE_URL', 'STRATA_GATEWAY_ADDRESS', 'STRATA_DEFAULT_USER', 'STRATA_AGENT_SIGNAL', 'STRATA_SIGNAL_LIMITS'])
    expect(message).toContain(name);
});

test('a secret of webhooks that is none is refused at start, and not repeated', () => {
  expect(loadGatewayConfig({ DATABASE_URL, STRATA_WEBHOOK_SECRETS: 'whsec_AAAA, BBBB' })).toMatchObject({ webhookSecrets: ['whsec_AAAA', 'BBBB'] });
  for (const secret of ['whsec_', 'pass word!', 'whsec_AAAA,hunter2?']) {
    const message = refusal({ DATABASE_URL, STRATA_WEBHOOK_SECRETS: secret });
    expect(message).toContain('STRATA_WEBHOOK_SECRETS must be');
    expect(message).not.toContain('hunter2');
  }
});

describe('tokens', () => {
  test('are hashes, and that of a user names the user', () => {
    expect(refusal({ DATABASE_URL, STRATA_TOKENS: '[{"hash":"x","kind":"service"}]' })).toContain('SHA-256');
    expect(refusal({ DATABASE_URL, STRATA_TOKENS: `[{"hash":"${HASH}","kind":"user"}]` })).toContain('names its userId');
    expect(refusal({ DATABASE_URL, STRATA_TOKENS: `[{"hash":"${HASH}","kind":"user","userId":"${'u'.repeat(201)}"}]` })).toContain('200 bytes');
  });
});
