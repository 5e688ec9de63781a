import { constants, createReadStream } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import type { Location } from '../domain/location.js';
import { conflict } from '../domain/refusal.js';
import { showPolicy } from '../operations/change-policy.js';
import type { ContentSource } from '../operations/content.js';
import { importDocuments } from '../operations/import-documents.js';
import { inWorkspace, type WorkspaceContext } from './command.js';
import { badField } from './fields.js';
import { unreadable, walkFolder, type SkippedEntry, type WalkedFile } from './walk-folder.js';

/** A batch is one commit: enough to be fast, little enough to hold in memory and to be undone by a crash. */
const batchFiles = 256;
const batchBytes = 8 * 1024 * 1024;
/** Larger files are streamed, one in a batch. Bytes. */
const readWholeUpTo = 1024 * 1024;
/** Milliseconds between two tellings of how far it is. */
const tellEvery = 200;

/** How far an import is, and in the end how it went. */
interface Tally {
  created: number;
  unchanged: number;
  bytes: number;
  readonly skipped: SkippedEntry[];
}

interface Limits {
  readonly whole: number;
  readonly largest: number;
}

/**
 * Brings the files below a folder of this machine in. What is there with the same bytes is left alone, so an import
 * that was interrupted is run again and goes on; what cannot come in is passed over with a reason.
 */
export const importFolder = inWorkspace(async (context, fields) => {
  const { host, perform, signal, tell } = context;
  const started = host.clock.now();
  const directory = fields.text('directory');
  const into = fields.folder('into');
  await requireDirectory(directory);
  await requireOutside(directory, host.dataFolder);
  const policy = await perform(showPolicy, {});
  const limits = { whole: Math.min(readWholeUpTo, policy.largestText), largest: policy.largestBlob };
  const tally: Tally = { created: 0, unchanged: 0, bytes: 0, skipped: [] };
  const secondsSoFar = (): number => (host.clock.now() - started) / 1000;
  let told = started;
  let bringing: Promise<void> = Promise.resolve();
  for await (const batch of gather(directory, into, context, limits, tally)) {
    // The next batch is read while this one is written.
    await bringing;
    if (signal.aborted) throw conflict('stopped', 'The import was stopped. Run it again, and it goes on where it was.');
    bringing = bringIn(context, into, batch, limits, tally);
    bringing.catch(() => undefined);
    if (host.clock.now() - told >= tellEvery) {
      told = host.clock.now();
      const { created, unchanged, bytes, skipped } = tally;
      await tell({ created, unchanged, skipped: skipped.length, bytes, seconds: secondsSoFar() });
    }
  }
  await bringing;
  const { created, unchanged, skipped } = tally;
  return { created, unchanged, skipped, seconds: secondsSoFar() };
});

async function requireDirectory(directory: string): Promise<void> {
  if (!isAbsolute(directory)) throw badField('directory', 'must be an absolute path');
  const found = await stat(directory).catch((error: unknown) => unreadable(error));
  if (typeof found === 'string') throw badField('directory', `${directory} ${found}`);
  if (!found.isDirectory())
    throw badField('directory', `${directory} is no folder; name the folder that holds the file`);
}

/** The service's own files hold keys and everybody's content: they never become documents, wherever they are entered. */
async function requireOutside(directory: string, dataFolder: string | null): Promise<void> {
  if (dataFolder === null) return;
  const own = await realpath(dataFolder);
  const entered = await realpath(directory);
  if (entered === own || entered.startsWith(own + sep)) {
    throw badField('directory', "lies in this service's own data folder, which cannot be imported");
  }
}

async function* gather(
  directory: string,
  into: Location,
  { host }: WorkspaceContext,
  limits: Limits,
  tally: Tally,
): AsyncGenerator<WalkedFile[]> {
  let batch: WalkedFile[] = [];
  let bytes = 0;
  for await (const walked of walkFolder(directory, into, host.dataFolder)) {
    if ('skipped' in walked) {
      tally.skipped.push(walked.skipped);
      continue;
    }
    const { file } = walked;
    if (file.size > limits.largest) {
      const reason = `has ${file.size} bytes, and the policy allows ${limits.largest} (largest_blob)`;
      tally.skipped.push({ path: file.shown, reason });
    } else if (file.size > limits.whole) {
      yield [file];
    } else {
      if (batch.length === batchFiles || bytes + file.size > batchBytes) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(file);
      bytes += file.size;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Reads a batch and writes it by one commit. */
async function bringIn(
  { perform }: WorkspaceContext,
  into: Location,
  batch: readonly WalkedFile[],
  limits: Limits,
  tally: Tally,
): Promise<void> {
  const sources = await Promise.all(batch.map((file) => openSource(file, limits)));
  const files: { location: Location; content: ContentSource }[] = [];
  const shown = new Map<Location, string>();
  for (const [index, file] of batch.entries()) {
    const content = sources[index];
    if (typeof content === 'string') tally.skipped.push({ path: file.shown, reason: content });
    else if (content !== undefined) {
      files.push({ location: file.location, content });
      shown.set(file.location, file.shown);
      tally.bytes += file.size;
    }
  }
  if (files.length === 0) return;
  const result = await perform(importDocuments, { into, files, message: null });
  tally.created += result.created.length;
  tally.unchanged += result.unchanged.length;
  for (const { location, reason } of result.skipped) {
    tally.skipped.push({ path: shown.get(location) ?? location, reason });
  }
}

/** The file's content, or why it cannot be had. */
async function openSource({ path, size }: WalkedFile, limits: Limits): Promise<ContentSource | string> {
  try {
    if (size > limits.whole) {
      await access(path, constants.R_OK);
      return { stream: readPieces(path) };
    }
    const bytes = await readFile(path);
    return bytes.length > limits.whole ? 'grew while it was being read' : { bytes };
  } catch (error) {
    return unreadable(error);
  }
}

/** Opens the file only when its first piece is asked for. */
async function* readPieces(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}
