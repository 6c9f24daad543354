import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from './run-command.ts';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const USUAL_PLACES = [
  '/usr/bin',
  '/usr/lib/chromium',
  '/snap/bin',
  '/opt/google/chrome',
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Google Chrome.app/Contents/MacOS',
];
const MAC_PROGRAMS = ['Chromium', 'Google Chrome'];
const INSTALL_DEADLINE_MS = 300_000;

/** Environment variables as a process has them. */
type Env = Readonly<Record<string, string | undefined>>;

/** Path of a Chromium: `CHROMIUM_PATH`, else one on the PATH, else one in the usual places; undefined where there is none. */
export const findChromium = (env: Env): string | undefined => {
  const given = env['CHROMIUM_PATH'];
  if (given) return isProgram(given) ? given : undefined;
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...USUAL_PLACES].filter((folder) => folder !== '');
  return folders.flatMap((folder) => [...PROGRAMS, ...MAC_PROGRAMS].map((program) => join(folder, program))).find(isProgram);
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** Gets Debian's Chromium where this user may install packages. Never fails: without a browser its tests are skipped, and say so. */
export async function installChromium(env: Env, say: (sentence: string) => void): Promise<void> {
  const found = findChromium(env);
  if (found !== undefined) return say(`chromium: ${found}`);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || env['CHROMIUM_PATH'] || !isProgram('/usr/bin/apt-get'))
    return say('no Chromium found: the browser tests will be skipped (set CHROMIUM_PATH to one)');
  say("fetching Chromium for the browser tests (Debian's packages; optional)");
  const install = (): Promise<boolean> => runApt(['install', '--yes', '--quiet', '--no-install-recommends', 'chromium']);
  const isInstalled = (await install()) || ((await runApt(['update', '--quiet'])) && (await install()));
  say(isInstalled ? `chromium: ${findChromium(env) ?? 'installed'}` : 'Chromium could not be installed: the browser tests will be skipped');
}

const runApt = async (args: readonly string[]): Promise<boolean> => {
  const settings = { DEBIAN_FRONTEND: 'noninteractive' };
  const end = await runCommand({ command: 'apt-get', args, env: settings, output: 'kept', deadlineMs: INSTALL_DEADLINE_MS }).catch(() => undefined);
  return end?.exitCode === 0;
};
