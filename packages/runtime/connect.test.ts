import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadTemporalTarget } from './connect.ts';

const folder = mkdtempSync(join(tmpdir(), 'strata-profiles-'));
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

afterAll(() => rmSync(folder, { recursive: true }));

test('a profile file names the server, and variables go before it', () => {
  const file = fileOf('profile.toml', '[profile.default]\naddress = "temporal.example:7233"\nnamespace = "production"\n');
  const env = { TEMPORAL_CONFIG_FILE: file };
  expect(loadTemporalTarget(env)).toMatchObject({ address: 'temporal.example:7233', namespace: 'production' });
  expect(loadTemporalTarget({ ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' })).toMatchObject({ address: '127.0.0.1:1', namespace: 'production' });
});

test('a profile file without any profile changes nothing', () => {
  const env = { TEMPORAL_CONFIG_FILE: fileOf('empty.toml', ''), TEMPORAL_ADDRESS: '127.0.0.1:1' };
  expect(loadTemporalTarget(env)).toMatchObject({ address: '127.0.0.1:1', namespace: 'default' });
});

test('a profile that was asked for and does not exist is an error', () => {
  const env = { TEMPORAL_CONFIG_FILE: fileOf('other.toml', '[profile.default]\naddress = "x:1"\n'), TEMPORAL_PROFILE: 'staging' };
  expect(() => loadTemporalTarget(env)).toThrow(/TEMPORAL_\* settings cannot be used.*staging/);
});
