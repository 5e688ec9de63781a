import { invalidRequest } from '../../domain/refusal.js';
import { isUtf8 } from 'node:buffer';
import type { Location } from '../../domain/location.js';
import type { Oid } from '../../git/objects/objects.js';
import { RepositoryUnreadable, WorkInterrupted } from '../../git/errors.js';
import type { SourceEntry, SourceRepository } from '../../git/sources/source-repository.js';
import type { FoundFile, ImportRun } from './import-run.js';
import { locate, type SkippedEntry } from './walk-folder.js';

/** Sizes read together. */
const together = 256;

const gone = 'cannot be read: the repository has lost its content';

/**
 * Imports the files of one commit as those of a folder. They are counted first.
 * @throws Refusal INVALID_REQUEST `import_too_large`
 */
export async function importCommit(run: ImportRun, source: SourceRepository, commit: Oid): Promise<void> {
  const counter = run.countEntries();
  counter.add(await source.countFiles(commit, counter.left));
  await run.bringIn(findFiles(run, source, commit), { message: null });
}

async function* findFiles(run: ImportRun, source: SourceRepository, commit: Oid): AsyncGenerator<FoundFile> {
  let group: Promise<FoundFile | undefined>[] = [];
  const take = async (): Promise<FoundFile[]> => {
    const files = await Promise.all(group);
    group = [];
    return files.filter((file) => file !== undefined);
  };
  for await (const { path, ...entry } of source.listFiles(commit)) {
    const place = placeEntry(run.into, path, entry);
    if ('reason' in place) run.skip(place);
    else if (group.push(findFile(run, source, place, entry.oid)) === together) yield* await take();
  }
  yield* await take();
}

/** Where a path of a repository goes. */
export interface ImportedPlace {
  readonly path: string;
  readonly location: Location;
}

/** The place of a file, or why it cannot come in; a folder stands for everything in it. */
export function placeEntry(into: Location, path: Buffer, { mode }: SourceEntry): ImportedPlace | SkippedEntry {
  const place = placePath(into, path);
  if ('reason' in place) return place;
  if (mode === '120000') return { path: place.path, reason: 'is a symbolic link, and links are not followed' };
  if (mode === '160000') return { path: place.path, reason: 'is a submodule, a repository of its own' };
  if (!mode.startsWith('100')) return { path: place.path, reason: `is no file (mode ${mode})` };
  return place;
}

/** The place of any entry at the path. */
export function placePath(into: Location, path: Buffer): ImportedPlace | SkippedEntry {
  const shown = path.toString('utf8');
  if (!isUtf8(path)) return { path: shown, reason: 'has a name that is not valid UTF-8' };
  let location = into;
  let seen = '';
  for (const name of shown.split('/')) {
    seen = seen === '' ? name : `${seen}/${name}`;
    const next = locate(location, name);
    if (typeof next !== 'string') return { path: seen, reason: next.fault };
    location = next;
  }
  return { path: shown, location };
}

/** The file with its size; skipped when it has been lost. */
export async function findFile(
  run: ImportRun,
  source: SourceRepository,
  { path, location }: ImportedPlace,
  oid: Oid,
): Promise<FoundFile | undefined> {
  const size = await source.findSize(oid);
  if (size === undefined) {
    run.skip({ path, reason: gone });
    return undefined;
  }
  return {
    shown: path,
    location,
    size,
    async open(limits) {
      if (size > limits.whole) return { stream: readPieces(source, oid, size) };
      const bytes = await source.readBlob(oid);
      return bytes === undefined ? gone : { bytes };
    },
  };
}

/**
 * Starts git for the first piece, so an unread file has none.
 * @throws Refusal INVALID_REQUEST `source_unreadable`
 */
async function* readPieces(source: SourceRepository, oid: Oid, size: number): AsyncGenerator<Buffer> {
  try {
    yield* source.streamBlob(oid, size) as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof WorkInterrupted || !(error instanceof RepositoryUnreadable)) throw error;
    throw invalidRequest('source_unreadable', `cannot be read: ${error.message}`);
  }
}
