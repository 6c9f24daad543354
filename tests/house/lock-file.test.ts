import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly resolved?: string;
}

const root = join(import.meta.dirname, '../..');
const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;

const lock = readJson<{ readonly packages: Readonly<Record<string, LockedPackage>> }>('package-lock.json');
const manifest = readJson<{ readonly dependencies: Record<string, string>; readonly devDependencies: Record<string, string> }>('package.json');
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0', // browser data below webpack
  'ISC',
  'MIT',
  'PostgreSQL',
  'Unlicense',
]);

const isPermissive = (expression: string): boolean =>
  expression
    .replace(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((licence) => PERMISSIVE.has(licence.trim())));

/** Packages whose manifest names no licence, with that of their LICENSE file. */
const BY_LICENCE_FILE: Readonly<Record<string, string>> = { unionfs: 'Unlicense' };

const findLicence = (path: string, locked: LockedPackage): string => locked.license ?? BY_LICENCE_FILE[nameOf(path)] ?? 'none';

describe('the Temporal SDK', () => {
  const sdk = packages.filter(([path]) => nameOf(path).startsWith('@temporalio/'));

  test('is locked in exactly one version, the pinned one', () => {
    expect(new Set(sdk.map(([, { version }]) => version))).toEqual(new Set([manifest.dependencies['@temporalio/worker']]));
    expect(manifest.dependencies['@temporalio/worker']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('has each of its packages once, at the top', () => {
    expect(sdk.length).toBeGreaterThan(7);
    expect(sdk.filter(([path]) => path !== `node_modules/${nameOf(path)}`)).toEqual([]);
  });

  test('finds protobufjs 8 at the top, or histories cannot be read from JSON', () => {
    expect(lock.packages['node_modules/protobufjs']?.version).toMatch(/^8\./);
  });
});

describe('the dependencies', () => {
  test('of production have permissive licences', () => {
    const refused = packages
      .filter(([, { dev }]) => dev !== true)
      .map(([path, locked]) => `${nameOf(path)}: ${findLicence(path, locked)}`)
      .filter((line) => !isPermissive(line.split(': ')[1] ?? ''));
    expect(refused).toEqual([]);
  });

  test('are locked without the address of a registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('file:'))).toEqual([]);
  });

  test('each have a line in the decision on dependencies', () => {
    const decision = readFileSync(join(root, 'docs/decisions/002-dependencies.md'), 'utf8');
    const names = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
    expect(names.filter((name) => !decision.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('a licence expression', () => {
  test('is permissive only if every part that binds is', () => {
    expect([isPermissive('(AFL-2.1 OR BSD-3-Clause)'), isPermissive('Apache-2.0 AND MIT')]).toEqual([true, true]);
    expect([isPermissive('GPL-3.0'), isPermissive('MIT AND GPL-3.0'), isPermissive('none')]).toEqual([false, false, false]);
  });
});
