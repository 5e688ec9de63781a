import { constants, existsSync } from 'node:fs';
import { access, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isOpenToOthers } from '../../disk/close-to-others.js';
import { measureDisk, reserveOf, type DiskSpace } from '../../disk/disk-room.js';
import { explainClosedFolder, explainUnreadable, runAs, type Explained } from '../../disk/explain-obstacle.js';
import { nameOwner, nameSelf, obstacleOf } from '../../disk/obstacle.js';
import { formatBytes } from '../../domain/format-bytes.js';
import { describeError } from '../../domain/describe-error.js';
import { compareFormat, nameFormat, readFormat, type DataFormat } from '../../integrity/data-format.js';
import { serviceName } from '../../journal/workspace-paths.js';
import { describeTroubled } from '../../view/find-troubled-connectors.js';
import { askHealth, askNames, askServer } from '../carrier/send-command.js';
import type { ServerFacts } from '../command.js';
import { checkCopy, type CopySettings } from './check-copy.js';
import { checkTexts, type TextSettings } from './check-texts.js';
import type { Finding } from './finding.js';
import { judgeGit } from './judge-git.js';
import { probePort } from './probe-port.js';
import { describeWaiting, type HealthReport } from './report-health.js';
import { findSocketPath } from '../carrier/socket-path.js';

/** The machine around a data folder. */
export interface Surroundings {
  readonly dataFolder: string;
  readonly host: string;
  readonly git: 'auto' | 'never';
  readonly publicUrl: string | null;
  readonly trustProxy: number | readonly string[];
  /** Bytes of the disk that are to stay free. */
  readonly diskReserve: number;
  /** Where metrics are served; null for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number; readonly token: string | null } | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface DiagnoseOptions extends Surroundings {
  readonly port: number;
  /** This program's release. */
  readonly version: string;
  /** The format of data folders that this program reads and writes. */
  readonly format: DataFormat;
  /** The oldest usable Node, e.g. `20.18.3`. */
  readonly oldestNode: string;
  readonly texts: TextSettings;
  readonly copy: CopySettings;
  readonly unknownVariables: readonly string[];
}

const well = (name: string, message: string): Finding => ({ name, ok: true, message });
const ill = (name: string, message: string, remedy: string): Finding => ({ name, ok: false, message, remedy });

/** Bytes of the disk below which it is time to make room. */
const minFree = 1024 ** 3;
/** With less, the next record may find no room: SQLite takes whole pages, in its log and in its file. */
const roomForRecords = 64 * 1024;
/** Milliseconds by which a file may seem to come from the future. */
const tolerance = 5 * 60_000;
/** No release is older. */
const earliest = Date.UTC(2025, 0, 1);

/** Checks everything the service needs from its machine. Changes nothing, except for a probe file that it removes. */
export async function diagnose(options: DiagnoseOptions): Promise<Finding[]> {
  const closed = explainClosedFolder(options.dataFolder, 'doctor') ?? (await explainClosedData(options.dataFolder));
  if (closed !== undefined) return diagnoseClosed(options, closed);
  const server = await askServer(options.dataFolder);
  return [
    checkNode(options),
    ...(await checkSurroundings(options)),
    await checkTexts(options.texts),
    await checkFormat(options),
    await checkPort(options, server),
    await checkSocket(options, server),
    ...(server === undefined ? [] : await checkServer(options, server)),
    ...(await checkCopy(options, server !== undefined)),
    checkVariables(options),
  ];
}

/** The folder may be open although its files are not. Whoever cannot read these can tell nothing about them. */
async function explainClosedData(dataFolder: string): Promise<Explained | undefined> {
  const file = join(dataFolder, serviceName);
  try {
    await access(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return obstacleOf(error) === 'permission' ? explainUnreadable(file, 'doctor') : undefined;
  }
}

/** The checks for an account that may not use the folder: it cannot tell anything about it. */
async function diagnoseClosed(options: DiagnoseOptions, { message, remedy }: Explained): Promise<Finding[]> {
  const unknown = (name: string): Finding => ({ name, ok: false, message: 'cannot tell' });
  return [
    checkNode(options),
    await checkGit(options),
    ill('data', message, remedy),
    ...['privacy', 'format', 'disk', 'clock', 'port', 'socket'].map(unknown),
    checkAddress(options),
    checkVariables(options),
  ];
}

/** The checks that are cheap, and can be made by a service that starts. */
export async function checkSurroundings(options: Surroundings): Promise<Finding[]> {
  return [
    await checkGit(options),
    await checkFolder(options),
    await checkPrivacy(options),
    await checkDisk(options),
    await checkClock(options),
    checkAddress(options),
    ...checkMetrics(options),
  ];
}

function checkNode({ oldestNode }: DiagnoseOptions): Finding {
  const present = process.versions.node;
  const [has, needs] = [present, oldestNode].map((version) => version.split('.').map(Number));
  const difference = [0, 1, 2].map((part) => (has?.[part] ?? 0) - (needs?.[part] ?? 0)).find((step) => step !== 0) ?? 0;
  if (difference >= 0) return well('node', `Node ${present}`);
  return ill('node', `Node ${present} is too old`, `Install Node ${oldestNode} or newer (nodejs.org).`);
}

async function checkGit({ git }: Surroundings): Promise<Finding> {
  const { version, refused } = await judgeGit(git);
  if (refused === null) return well('git', `git ${version}; /git serves clones and takes pushes`);
  if (git === 'never') return well('git', 'not used, as configured; /git refuses clones and pushes');
  const remedy =
    'Install git 2.34 or newer. Until then /git refuses clones and pushes. All else works, but slower and without maintenance.';
  return ill('git', version === null ? refused : `git ${version} is too old`, remedy);
}

/** The data folder, or the nearest existing folder above it. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

async function checkFolder({ dataFolder }: Surroundings): Promise<Finding> {
  const folder = nearest(dataFolder);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    const probe = join(folder, `.cartulary-probe-${process.pid}`);
    await writeFile(probe, 'probe', { flag: 'wx', mode: 0o600 });
    await rm(probe);
  } catch (error) {
    return explainUnwritable(folder, error);
  }
  const { uid } = await stat(folder);
  if (folder === dataFolder && process.geteuid !== undefined && uid !== process.geteuid()) {
    const [owner, self] = [nameOwner(folder), nameSelf()];
    const remedy = `Run commands and the service as ${owner}: ${runAs(owner, 'serve')}. What ${self} writes, ${owner} cannot use.`;
    return ill('data', `${folder} belongs to ${owner}, and this runs as ${self}`, remedy);
  }
  return well('data', folder === dataFolder ? dataFolder : `${dataFolder} is not there yet and can be made`);
}

/** Which version wrote the data, and whether this one can read it. */
async function checkFormat({ dataFolder, ...program }: DiagnoseOptions): Promise<Finding> {
  const own = nameFormat(program.format);
  try {
    const found = existsSync(dataFolder) ? await readFormat(dataFolder, program.format) : undefined;
    if (found === undefined) return well('format', `no data yet; this version writes ${own}`);
    const { oldest, newest, version } = found;
    const writer = version === null ? 'no version noted' : `written by Cartulary ${version}`;
    const verdict = compareFormat(found, program.format);
    if (verdict === 'same') return well('format', `${own}, ${writer}`);
    const shown = nameFormat(verdict === 'newer' ? newest : oldest);
    const remedy =
      verdict === 'newer'
        ? `Use version ${version ?? 'that wrote it'} or a later one. This one refuses the folder and changes nothing.`
        : 'Make a backup with the earlier version. Then `cartulary serve --upgrade auto` upgrades the folder for good.';
    return ill('format', `${shown}, ${writer}, and this version uses ${own}`, remedy);
  } catch (error) {
    return ill('format', `cannot be read: ${describeError(error)}`, '`cartulary verify` says what is damaged.');
  }
}

/** Accounts with read access to the folder's files may lock them, and keep the service from starting. */
async function checkPrivacy({ dataFolder }: Surroundings): Promise<Finding> {
  const found = await stat(dataFolder).catch(() => undefined);
  if (found === undefined || !isOpenToOthers(found)) return well('privacy', 'no other account reaches the data folder');
  const mode = (found.mode & 0o777).toString(8);
  const isOwn = found.uid === process.geteuid?.();
  const remedy = isOwn
    ? `chmod 700 '${dataFolder}', or start the service, which does it.`
    : `It belongs to another account (uid ${found.uid}). Let this account own it: chown it, then chmod 700 '${dataFolder}'.`;
  return ill('privacy', `other accounts of this machine reach the data folder (mode ${mode})`, remedy);
}

/** By the system's reason: a full disk is no question of rights, and a read-only one is not to be given away. */
function explainUnwritable(folder: string, error: unknown): Finding {
  const reason = describeError(error);
  switch (obstacleOf(error)) {
    case 'no_room':
      return ill('data', `the disk of ${folder} is full`, 'Make room. Nothing is lost, and writes go on then.');
    case 'read_only': {
      const remedy = 'A service needs it mounted for writing. `verify`, `status` and `audit verify` work as it is.';
      return ill('data', `${folder} is on a disk that is mounted read-only`, remedy);
    }
    case 'permission': {
      const owner = nameOwner(folder);
      const remedy = `Run this as ${owner}: ${runAs(owner, 'doctor')}. Or name another folder with --data.`;
      return ill('data', `${folder} cannot be written as ${nameSelf()}: it belongs to ${owner}`, remedy);
    }
    case undefined:
      return ill('data', `${folder} cannot be written: ${reason}`, 'Name another folder with --data.');
  }
}

async function checkDisk({ dataFolder, diskReserve }: Surroundings): Promise<Finding> {
  return judgeSpace(await measureDisk(nearest(dataFolder)), diskReserve);
}

/** @param asked bytes of `disk_reserve` */
export function judgeSpace(space: DiskSpace, asked: number): Finding {
  const { free, total } = space;
  const reserve = reserveOf(space, asked);
  const message = `${formatBytes(free)} of ${formatBytes(total)} free`;
  const refused = `below ${formatBytes(reserve)} (disk_reserve) writes are refused.`;
  if (free >= Math.max(minFree, reserve)) return well('disk', message);
  if (free >= reserve && free >= roomForRecords) return ill('disk', message, `Make room soon: ${refused}`);
  if (free >= roomForRecords) return ill('disk', message, `Make room: ${refused} Reads go on.`);
  return ill('disk', message, 'Make room: writes are refused, and reads too, since their records find no room.');
}

/** The address that people use, against the one that is listened on. */
function checkAddress({ host, publicUrl, trustProxy }: Surroundings): Finding {
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
  const name = 'address';
  if (publicUrl === null) {
    if (isLocal) return well(name, `${host}, for this machine`);
    const remedy = 'Put a proxy with TLS in front, listen on 127.0.0.1, and set public_url to its https address.';
    return ill(name, `keys and passwords travel in the clear to ${host}`, remedy);
  }
  if (publicUrl.startsWith('http:') && !isLoopbackUrl(publicUrl)) {
    const remedy = 'Use https: people cannot sign in over plain http, and keys travel in the clear.';
    return ill(name, `public_url is ${publicUrl}`, remedy);
  }
  if (isLocal && trustProxy === 0 && !isLoopbackUrl(publicUrl)) {
    const remedy = "Set trust_proxy to the number of proxies in front. Otherwise all clients have the proxy's address.";
    return ill(name, `${publicUrl} leads here through a proxy, and trust_proxy is 0`, remedy);
  }
  return well(name, publicUrl);
}

function isLoopbackUrl(url: string): boolean {
  return /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/.test(url);
}

/** Nothing where they are not served: most services do without. */
function checkMetrics({ metrics }: Surroundings): Finding[] {
  if (metrics === null) return [];
  const address = `${metrics.host}:${metrics.port}`;
  const isLocal = isLoopbackUrl(`http://${metrics.host.includes(':') ? `[${metrics.host}]` : metrics.host}/`);
  if (isLocal || metrics.token !== null) return [well('metrics', `${address}/metrics`)];
  const remedy =
    'Set metrics_token, or let only the scraper reach the port: metrics name the workspaces and say how much is done in them.';
  return [ill('metrics', `${address}/metrics is open to every host that reaches it`, remedy)];
}

async function checkClock({ dataFolder, now }: Surroundings): Promise<Finding> {
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
  const code = await probePort(host, port);
  const address = `${host}:${port}`;
  if (server !== undefined && !server.url.endsWith(`:${port}`))
    return well('port', `the service listens at ${server.url}`);
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

/** The running server against this program, and its own word on its health. */
async function checkServer({ dataFolder, version, now }: DiagnoseOptions, server: ServerFacts): Promise<Finding[]> {
  const release =
    server.version === version
      ? well('version', version)
      : ill(
          'version',
          `the server runs ${server.version}, and this program is ${version}`,
          'Start the server again with this program, or use the program that the server runs.',
        );
  const health = await askHealth(dataFolder);
  if (health === undefined) return [release];
  return [
    release,
    judgeHealth(health, now),
    ...judgeRepositories(health),
    judgeMirrors(health),
    judgeWebhooks(health),
    ...judgeServiceFile(health),
    ...judgeErases(health),
    ...(await askNames(dataFolder)).map(({ name, message }) => well(name, message)),
  ];
}

function judgeHealth(health: HealthReport, now: number): Finding {
  const waiting = health.waiting.map((each) => `${each.workspace}: ${describeWaiting(each, now)}`);
  if (waiting.length > 0) {
    const remedy =
      'Let the account of the service write content.git (chown -R), and it catches up by itself. Nothing is lost; clones lack these commits.';
    return ill('server', waiting.join('; '), remedy);
  }
  if (health.ready) return well('server', 'ready');
  const copy = health.copy === 'superseded' ? ', copy superseded' : '';
  const words = `journal ${health.journal}, disk ${health.disk}, workspaces ${health.workspaces}${copy}`;
  return ill('server', `not ready: ${words}`, 'See its log. The manual explains each word.');
}

/** Nothing where none is faulty. A server of another release may not know of faults. */
function judgeRepositories({ faults = [] }: Partial<Pick<HealthReport, 'faults'>>): Finding[] {
  if (faults.length === 0) return [];
  const words = faults.map(({ workspace, obstacle }) => `${workspace}: ${obstacle}`);
  const remedy = '`cartulary verify` says what is damaged, and how it comes back. Everything else goes on.';
  return [ill('repository', words.join('; '), remedy)];
}

/** A server of another release may not know of mirrors. */
function judgeMirrors({ mirrors = [] }: Partial<Pick<HealthReport, 'mirrors'>>): Finding {
  const troubled = mirrors.filter(({ state }) => state !== 'paused');
  if (troubled.length === 0) return well('mirrors', `none waits for people; paused: ${mirrors.length}`);
  const words = troubled.map((each) => `${each.workspace}: ${describeTroubled(each)}`);
  return ill(
    'mirrors',
    words.join('; '),
    '`cartulary connector show` has the rest, and `connector runs` the last runs.',
  );
}

/** A server of another release may not know of webhooks. */
function judgeWebhooks({ webhooks = [] }: Partial<Pick<HealthReport, 'webhooks'>>): Finding {
  if (webhooks.length === 0) return well('webhooks', 'none has stopped by itself');
  return ill('webhooks', webhooks.join(' '), '`cartulary webhook deliveries` says what receivers answered.');
}

/** A server of another release may not know of it. */
function judgeServiceFile({ older_file: older = [] }: Partial<Pick<HealthReport, 'older_file'>>): Finding[] {
  if (older.length === 0) return [];
  return [ill('service file', older.join(' '), 'If nobody put it back on purpose, treat it as an attack.')];
}

/** No fault: both may be honest. */
/** Only where there is something to say. A server of another release may not know of it. */
function judgeErases({ erases = [] }: Partial<Pick<HealthReport, 'erases'>>): Finding[] {
  if (erases.length === 0) return [];
  return [
    ill('erases', erases.join(' '), '`cartulary erasures` lists the receipts; `cartulary verify` looks for damage.'),
  ];
}

async function checkSocket({ dataFolder }: DiagnoseOptions, server: ServerFacts | undefined): Promise<Finding> {
  const path = findSocketPath(dataFolder);
  const file = await stat(path).catch(() => undefined);
  if (server === undefined) {
    if (file === undefined) return well('socket', 'no server runs');
    const isOpen = await access(path, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!isOpen) {
      const owner = nameOwner(path);
      const remedy = `Run this as ${owner}: ${runAs(owner, 'doctor')}.`;
      return ill('socket', `cannot tell whether a server runs: ${path} belongs to ${owner}`, remedy);
    }
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
