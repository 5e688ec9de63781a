import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../lib/domain/format-bytes.js';
import { formatTime, parseTime } from '../lib/domain/clock.js';
import type { FollowStatus } from '../lib/domain/follow-status.js';
import type { Config } from '../lib/config.js';
import { isBucketAddress } from '../lib/stored/bucket-address.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { usage } from './passphrase.js';
import { endProgress, fail, note, printJson, printLine, refused, showPassing } from './print.js';

const ownFile = "the service's own file";

const objectsOption = ['--objects <address>', 'the copy: s3://bucket/prefix (default: the setting follow)'] as const;

/** follow key, follow status, follow points, follow take-over, follow end: a copy elsewhere. */
export function addFollowCommands(program: Command): void {
  const key = addCommand(program, {
    words: 'follow key',
    description:
      'Make the key that opens a copy elsewhere, and print its recipient for the setting follow_recipients. Keep the file away from this machine.',
    example: 'cartulary follow key ./copy-key.txt',
  }).argument('<file>', 'a new file for the secret key, in the form of age-keygen');
  key.action((file: string) => makeKey(resolve(file), key.opts<CalledWith>()));

  const status = addCommand(program, {
    words: 'follow status',
    description: 'Ask the running server how far its copy elsewhere is. Exits with 1 when it is behind or superseded.',
    example: 'cartulary follow status',
  });
  status.action(() => showStatus(status.opts<CalledWith>()));

  const points = addCommand(program, {
    words: 'follow points',
    description:
      'List the moments that can be restored from a copy elsewhere, the newest first. No data folder is needed.',
    example: 'cartulary follow points --objects s3://backups/cartulary --limit 10',
  })
    .option(...objectsOption)
    .option('--workspace <name>', 'only the moments of this one')
    .option('--limit <number>', 'so many at the most (default: 20)');
  points.action(() => listPoints(points.opts<CalledWith>()));

  const takeOver = addCommand(program, {
    words: 'follow take-over',
    description:
      'Let the next start of this data folder take over from the machine that is current, which then refuses everything within a second.',
    example: 'cartulary follow take-over --data restored --objects s3://backups/cartulary',
  }).option(...objectsOption);
  takeOver.action(() => takeOverHere(takeOver.opts<CalledWith>()));

  const end = addCommand(program, {
    words: 'follow end',
    description:
      'Forget that this data folder has a copy elsewhere. What lies in the bucket stays as it is, and erases reach it no more.',
    example: 'cartulary follow end',
  });
  end.action(() => endHere(end.opts<CalledWith>()));
}

async function makeKey(file: string, options: CalledWith): Promise<void> {
  const { makeIdentityFile } = await import('../lib/sealing/age-keys.js');
  const { recipient } = await makeIdentityFile(file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${file} is there already. A key is never overwritten: name a new file.`);
  });
  if (options['json'] === true) printJson({ file, recipient });
  else {
    printLine(recipient);
    note(
      `The secret key is in ${file}. Keep it away from this machine: who has it opens the copy, and without it nothing can be restored.`,
    );
  }
}

async function showStatus(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const answer = await askOwner(config, { command: 'follow.status', fields: {} });
  if ('error' in answer) {
    fail(answer.error, options['json'] === true);
    return;
  }
  const status = answer.result as PrintedStatus | null;
  if (status === null) {
    const none = 'No server that keeps a copy elsewhere runs on this data folder. Start one with the setting follow.';
    if (options['json'] === true) printJson(null);
    else note(`cartulary: ${none}`);
    process.exitCode = refused;
    return;
  }
  if (options['json'] === true) printJson(status);
  else for (const line of describeStatus(status)) printLine(line);
  if (status.state !== 'following' && status.state !== 'starting') process.exitCode = refused;
}

/** As the command answers. Names of members as in JSON. */
interface PrintedStatus {
  readonly address: string;
  readonly state: FollowStatus['state'];
  readonly life: string | null;
  readonly obstacle: string | null;
  readonly superseded_since: string | null;
  readonly files: readonly {
    readonly workspace: string | null;
    readonly behind_s: number | null;
    readonly group: number;
    readonly unstored_pages: number;
    readonly point_at: string | null;
    readonly bytes: number;
  }[];
}

const meanings: Readonly<Record<FollowStatus['state'], string>> = {
  starting: 'The first copy is being made.',
  following: 'The copy is up to date.',
  behind: 'The copy is behind.',
  superseded: 'Another machine has taken over. Nothing is read or written here.',
};

function describeStatus({ address, state, obstacle, superseded_since: since, files }: PrintedStatus): string[] {
  const lines = [`${address}: ${meanings[state]}`];
  if (since !== null) lines.push(`It took over at ${since}.`);
  if (obstacle !== null) lines.push(`The last attempt failed: ${obstacle}`);
  for (const { workspace, behind_s: behind, point_at: point, bytes } of files) {
    const name = workspace ?? ownFile;
    const age = behind === null ? 'not copied yet' : `${behind.toFixed(1)} s behind`;
    lines.push(`  ${name}: ${age}, last point ${point ?? 'none'}, ${formatBytes(bytes)} stored since the start`);
  }
  return lines;
}

async function listPoints(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const limit = readLimit(options['limit']);
  const bucket = await openNamedBucket(config, options);
  const { listMoments } = await import('../lib/stored/list-moments.js');
  const found = await listMoments(bucket, AbortSignal.timeout(wholeTime));
  // The workspace of the settings is that of other commands, and the bucket can be of another service.
  const only = typeof options['workspace'] === 'string' ? options['workspace'] : undefined;
  const items = found
    .filter(({ workspace }) => only === undefined || workspace === only)
    .slice(0, limit)
    .map(({ at, workspace, life, isCurrent }) => ({ at: formatTime(at), workspace, life, current: isCurrent }));
  if (options['json'] === true) printJson({ items });
  else {
    const names = items.map(({ workspace }) => workspace ?? ownFile);
    const width = Math.max(0, ...names.map(({ length }) => length));
    for (const [index, { at, life, current }] of items.entries())
      printLine(`${at}  ${(names[index] ?? '').padEnd(width)}  ${life}${current ? '  current' : ''}`);
  }
  if (items.length === 0) {
    const what = found.length === 0 ? 'copy below this prefix' : `moment of the workspace ${only}`;
    note(`cartulary: the bucket holds no ${what}.`);
    process.exitCode = refused;
  }
}

/** Milliseconds for a command that only looks. */
const wholeTime = 10 * 60_000;

function readLimit(text: string | boolean | undefined): number {
  if (text === undefined) return 20;
  if (typeof text !== 'string' || !/^[1-9]\d{0,5}$/.test(text))
    throw usage('--limit must be a whole number of at least 1.');
  return Number(text);
}

async function takeOverHere(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const address = addressOf(config, options);
  const { takeOver } = await import('../lib/app/end-following.js');
  const taken = await takeOver(config, address, AbortSignal.timeout(wholeTime));
  if ('error' in taken) fail(taken.error, options['json'] === true);
  else if (options['json'] === true) printJson(taken.result);
  else printLine(taken.result.note);
}

async function endHere(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const { endFollowing } = await import('../lib/app/end-following.js');
  const ended = await endFollowing(config);
  if ('error' in ended) fail(ended.error, options['json'] === true);
  else if (options['json'] === true) printJson(ended.result);
  else printLine(ended.result.note);
}

function addressOf(config: Config, options: CalledWith): string {
  const named = typeof options['objects'] === 'string' ? options['objects'] : config.follow?.address;
  if (named === undefined) throw usage('Name the copy with --objects s3://bucket/prefix, or set follow.');
  if (!isBucketAddress(named))
    throw usage('--objects must be the address of a bucket, such as s3://backups/cartulary.');
  return named;
}

/** @throws ConfigError */
export async function openNamedBucket(config: Config, options: CalledWith) {
  const { openBucket } = await import('../lib/app/open-follower.js');
  return openBucket(config, addressOf(config, options));
}

/** restore --objects: a whole data folder of a copy elsewhere. */
export async function restoreFromObjects(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const asJson = options['json'] === true;
  const file = options['identityFile'];
  if (typeof file !== 'string') throw usage('Name the file with the secret key with --identity-file.');
  const at = typeof options['at'] === 'string' ? parseTime(options['at']) : undefined;
  if (options['at'] !== undefined && at === undefined) {
    throw usage('--at must be a time such as 2027-01-31T10:00:00Z.');
  }
  const bucket = await openNamedBucket(config, options);
  const { restoreObjects } = await import('../lib/app/restore-objects.js');
  const life = typeof options['life'] === 'string' ? options['life'] : undefined;
  const only = typeof options['workspace'] === 'string' ? options['workspace'] : undefined;
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const answer = await restoreObjects(
    { config, bucket, identityFile: resolve(file), at, life, only, signal: stopping.signal },
    ({ workspace, doing, done, of }) => {
      const count = done === undefined ? '' : `: ${done} of ${of ?? done}`;
      showPassing(`${workspace ?? ownFile}: ${doing}${count}`);
    },
  );
  endProgress('removed');
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if ('error' in answer) {
    fail(answer.error, asJson);
    return;
  }
  if (asJson) {
    printJson(answer.result);
    return;
  }
  const { at: moment, data, workspaces } = answer.result;
  printLine(`Restored to ${data}, as of ${moment}.`);
  for (const each of workspaces) printLine(`  ${each.workspace}: as of ${each.at}, ${each.files} files, sound`);
  printLine('Start it with `cartulary serve`; with the setting follow only after `cartulary follow take-over`.');
}
