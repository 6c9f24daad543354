import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { canReach } from './postgres-home.ts';

const nobody = { uid: 65_534, gid: 65_534 };
let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

test('one closed parent folder keeps another user out, whatever lies below is open to', async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-home-'));
  const inner = join(folder, 'closed/open');
  await mkdir(inner, { recursive: true });
  await chmod(folder, 0o755);
  await chmod(join(folder, 'closed'), 0o700);
  await chmod(inner, 0o777);
  expect(await canReach(inner, nobody)).toBe(false);
  await chmod(join(folder, 'closed'), 0o711);
  expect(await canReach(inner, nobody)).toBe(true);
});

test('an owner is judged by the owner bits even where all others may pass', async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-home-'));
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  await chmod(folder, 0o077);
  expect(await canReach(folder, own)).toBe(false);
});
