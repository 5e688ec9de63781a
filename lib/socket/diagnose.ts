import { constants, existsSync } from 'node:fs';
import { access, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { isOpenToOthers } from '../disk/close-to-others.js';
import { describeError } from '../domain/describe-error.js';
import { findGit, isUsableGit } from '../git/program/git-program.js';
import type { ServerFacts } from './command.js';
import { sendCommand } from './send-command.js';
import { findSocketPath } from './socket-path.js';

/** One check, with the remedy where it failed. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly remedy?: string;
}

export interface DiagnoseOptions {
  readonly dataFolder: string;
  readonly host: string;
  readonly port: number;
  readonly git: 'auto' | 'never';
  /** The oldest usable Node, e.g. `20.18.3`. */
  readonly oldestNode: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly unknownVariables: readonly string[];
}

const well = (name: string, message: string): Finding => ({ name, ok: true, message });
const ill = (name: string, message: string, remedy: string): Finding => ({ name, ok: false, message, remedy });

const minFree = 1024 ** 3;
/** Milliseconds by which a file may seem to come from the future. */
const tolerance = 5 * 60_000;
/** No release is older. */
const earliest = Date.UTC(2025, 0, 1);

/** Checks everything the service needs from its machine. Changes nothing, except for a probe file that it removes. */
export async function diagnose(options: DiagnoseOptions): Promise<Finding[]> {
  const server = await askServer(options.dataFolder);
  return [
    checkNode(options),
    await checkGit(options),
    await checkFolder(options),
    await checkPrivacy(options),
    await checkDisk(options),
    await checkClock(options),
    await checkPort(options, server),
    await checkSocket(options, server),
    checkVariables(options),
  ];
}

function checkNode({ oldestNode }: DiagnoseOptions): Finding {
  const present = process.versions.node;
  const [has, needs] = [present, oldestNode].map((version) => version.split('.').map(Number));
  const difference = [0, 1, 2].map((part) => (has?.[part] ?? 0) - (needs?.[part] ?? 0)).find((step) => step !== 0) ?? 0;
  if (difference >= 0) return well('node', `Node ${present}`);
  return ill('node', `Node ${present} is too old`, `Install Node ${oldestNode} or newer (nodejs.org).`);
}

async function checkGit({ git }: DiagnoseOptions): Promise<Finding> {
  if (git === 'never') return well('git', 'not used, as configured');
  const program = await findGit();
  const remedy = 'Install git 2.34 or newer. Until then everything works, but slower and without maintenance.';
  if (program === null) return ill('git', 'there is no git program', remedy);
  if (!isUsableGit(program)) return ill('git', `git ${program.version} is too old`, remedy);
  return well('git', `git ${program.version}`);
}

/** The data folder, or the nearest existing folder above it. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

async function checkFolder({ dataFolder }: DiagnoseOptions): Promise<Finding> {
  const folder = nearest(dataFolder);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    const probe = join(folder, `.cartulary-probe-${process.pid}`);
    await writeFile(probe, 'probe', { flag: 'wx', mode: 0o600 });
    await rm(probe);
  } catch (error) {
    const reason = describeError(error);
    return ill(
      'data',
      `${folder} cannot be written: ${reason}`,
      'Give this user the folder, or name another with --data.',
    );
  }
  return well('data', folder === dataFolder ? dataFolder : `${dataFolder} is not there yet and can be made`);
}

/** Accounts with read access to the folder's files may lock them, and keep the service from starting. */
async function checkPrivacy({ dataFolder }: DiagnoseOptions): Promise<Finding> {
  const found = await stat(dataFolder).catch(() => undefined);
  if (found === undefined || !isOpenToOthers(found)) return well('privacy', 'no other account reaches the data folder');
  const mode = (found.mode & 0o777).toString(8);
  const isOwn = found.uid === process.geteuid?.();
  const remedy = isOwn
    ? `chmod 700 '${dataFolder}', or start the service, which does it.`
    : `It belongs to another account (uid ${found.uid}). Let this account own it: chown it, then chmod 700 '${dataFolder}'.`;
  return ill('privacy', `other accounts of this machine reach the data folder (mode ${mode})`, remedy);
}

async function checkDisk({ dataFolder }: DiagnoseOptions): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearest(dataFolder));
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  if (free >= minFree) return well('disk', message);
  return ill('disk', message, 'Make room: writes are refused, and nothing is lost, when the disk is full.');
}

async function checkClock({ dataFolder, now }: DiagnoseOptions): Promise<Finding> {
  const file = await stat(join(dataFolder, 'service.sqlite')).catch(() => undefined);
  const shown = new Date(now).toISOString();
  const remedy = 'Set the clock (a time service such as NTP keeps it right): keys expire and records are dated by it.';
  if (now < earliest) return ill('clock', `it shows ${shown}`, remedy);
  if (file !== undefined && file.mtimeMs > now + tolerance) {
    return ill('clock', `it shows ${shown}, and the data was written later than that`, remedy);
  }
  return well('clock', shown);
}

async function checkPort({ host, port }: DiagnoseOptions, server: ServerFacts | undefined): Promise<Finding> {
  const code = await new Promise<string | undefined>((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  const address = `${host}:${port}`;
  if (code === undefined) return well('port', port === 0 ? 'any free one is taken' : `${address} is free`);
  if (code === 'EADDRINUSE' && server?.url.endsWith(`:${port}`) === true)
    return well('port', `${address} is this service's`);
  const problem = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be listened on (${code})`;
  return ill(
    'port',
    `${address} ${problem}`,
    'Choose another with --port or CARTULARY_PORT; 0 takes any that is free.',
  );
}

async function askServer(dataFolder: string): Promise<ServerFacts | undefined> {
  const answer = await sendCommand(dataFolder, { command: 'server', fields: {} }, async () => undefined).catch(
    () => undefined,
  );
  return answer !== undefined && 'result' in answer ? (answer.result as ServerFacts) : undefined;
}

async function checkSocket({ dataFolder }: DiagnoseOptions, server: ServerFacts | undefined): Promise<Finding> {
  const path = findSocketPath(dataFolder);
  const file = await stat(path).catch(() => undefined);
  if (server === undefined) {
    if (file === undefined) return well('socket', 'no server runs');
    return well('socket', `no server runs; the next start clears ${path} away`);
  }
  if (file !== undefined && (file.mode & 0o077) !== 0) {
    return ill('socket', `${path} is open to other users`, `chmod 600 '${path}'`);
  }
  return well('socket', `a server answers (process ${server.pid}, ${server.url})`);
}

function checkVariables({ unknownVariables }: DiagnoseOptions): Finding {
  if (unknownVariables.length === 0) return well('settings', 'every CARTULARY_ variable is known');
  return ill(
    'settings',
    `not known: ${unknownVariables.join(', ')}`,
    'See schema/config.json for the names there are.',
  );
}
