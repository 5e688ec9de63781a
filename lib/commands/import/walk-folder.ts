import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { UnfitFile } from '../../disk/open-regular.js';
import type { EnclosedFolder, Identity } from '../../disk/enclosed-folder.js';
import { faultOfLocation, joinLocation, maxLocationLength, type Location } from '../../domain/location.js';
import { sortCooperatively } from '../../scheduling/sort-cooperatively.js';
import type { EntryCounter } from './count-entries.js';
import { IgnoredFiles } from './ignored-files.js';

/** A regular file below the walked folder, and its location after an import. */
export interface WalkedFile {
  /** Absolute. */
  readonly path: string;
  /** Its path in the walked folder, for people. */
  readonly shown: string;
  readonly location: Location;
  /** Bytes. */
  readonly size: number;
  /** The file's identity when it was first seen. */
  readonly seen: Identity;
}

/** An entry that cannot come in, with the reason in words; a folder stands for everything in it. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: string;
}

export type Walked =
  | { readonly file: WalkedFile }
  | { readonly skipped: SkippedEntry }
  /** A `.gitignore` that leaves nothing out, and why. */
  | { readonly unheeded: SkippedEntry };

/** Entries read together. */
const together = 64;

/** The extent of a walk. */
export interface Walk {
  readonly root: EnclosedFolder;
  /** The location above the folder's content. */
  readonly into: Location;
  /** Absolute path of a skipped folder: the service's own data. */
  readonly avoid: string | null;
  /** Names of files and folders that the caller leaves out, anywhere in it. */
  readonly leftOut: ReadonlySet<string>;
  /** Whether what its `.gitignore` files name is left out. */
  readonly heedsIgnored: boolean;
}

/**
 * Every file below a folder, depth first and in order of the names' bytes. Symbolic links are never followed. So the
 * walk stays inside the folder, even while other programs change it. Names are brought to Unicode normalization form C.
 * @param counter counts every entry; its error ends the walk
 */
export async function* walkFolder(walk: Walk, counter: EntryCounter): AsyncGenerator<Walked> {
  yield* walkBelow(walk, { path: walk.root.path, into: walk.into, ignored: undefined }, counter);
}

/** A folder below the walked one. */
interface WalkedFolder {
  /** Absolute. */
  readonly path: string;
  readonly into: Location;
  /** What is left out in the folder above. */
  readonly ignored: IgnoredFiles | undefined;
}

async function* walkBelow(
  context: Walk,
  { path: folder, into, ignored: above }: WalkedFolder,
  counter: EntryCounter,
): AsyncGenerator<Walked> {
  const { ignored, unheeded } = await readIgnored(context, folder, above);
  if (unheeded !== undefined) yield { unheeded };
  const found: Buffer[] = [];
  try {
    for await (const { name } of context.root.list(folder)) {
      counter.add();
      found.push(name);
    }
  } catch (error) {
    yield skip(context, folder, unreadable(error));
    return;
  }
  const names = await sortCooperatively(found, (a, b) => a.compare(b));
  for (let start = 0; start < names.length; start += together) {
    const entries = await Promise.all(names.slice(start, start + together).map((name) => look(folder, name)));
    for (const { path, name, stats, fault } of entries) {
      const location = name === undefined ? undefined : locate(into, name);
      const line = stats === undefined ? undefined : await ignored?.find(shownOf(context, path), stats.isDirectory());
      if (stats === undefined) yield skip(context, path, fault);
      else if (stats.isSymbolicLink()) yield skip(context, path, 'is a symbolic link, and links are not followed');
      else if (!stats.isFile() && !stats.isDirectory()) yield skip(context, path, 'is neither a file nor a folder');
      else if (name !== undefined && context.leftOut.has(name)) yield skip(context, path, 'is left out by --skip');
      else if (line !== undefined) yield skip(context, path, `is ignored by ${line}`);
      else if (path === context.avoid) yield skip(context, path, "is this service's own data folder");
      else if (location === undefined) yield skip(context, path, 'has a name that is not valid UTF-8');
      else if (typeof location !== 'string') yield skip(context, path, location.fault);
      else if (stats.isDirectory()) yield* walkBelow(context, { path, into: location, ignored }, counter);
      else {
        const { size, dev, ino } = stats;
        yield { file: { path, shown: shownOf(context, path), location, size, seen: { dev, ino } } };
      }
    }
  }
}

/**
 * Counts the entries of a walk by their names alone, to refuse a folder above the bound before any import. Unreadable
 * folders are skipped here, because the walk names them.
 */
export async function countFolder(walk: Walk, counter: EntryCounter): Promise<void> {
  const { root, avoid, leftOut } = walk;
  const open: WalkedFolder[] = [{ path: root.path, into: walk.into, ignored: undefined }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    try {
      const { ignored } = await readIgnored(walk, folder.path, folder.ignored);
      for await (const entry of root.list(folder.path)) {
        counter.add();
        await counter.reportProgress();
        if (!entry.isDirectory() || !isUtf8(entry.name)) continue;
        const name = entry.name.toString('utf8');
        if (leftOut.has(name)) continue;
        const [path, location] = [join(folder.path, name), locate(folder.into, name)];
        if (path === avoid || typeof location !== 'string') continue;
        if ((await ignored?.find(shownOf(walk, path), true)) === undefined)
          open.push({ path, into: location, ignored });
      }
    } catch (error) {
      if (!isOfTheSystem(error)) throw error;
    }
  }
}

interface Look {
  readonly path: string;
  /** Undefined when it is no Unicode. */
  readonly name: string | undefined;
  readonly stats: Stats | undefined;
  readonly fault: string;
}

async function look(folder: string, bytes: Buffer): Promise<Look> {
  const text = bytes.toString('utf8');
  const path = join(folder, text);
  const name = isUtf8(bytes) ? text : undefined;
  try {
    const exact = name === undefined ? Buffer.concat([Buffer.from(`${folder}/`), bytes]) : path;
    return { path, name, stats: await lstat(exact), fault: '' };
  } catch (error) {
    return { path, name, stats: undefined, fault: unreadable(error) };
  }
}

/** Where an entry of this name goes, or why it cannot. */
export function locate(into: Location, name: string): Location | { readonly fault: string } {
  // Composing takes the square of a long name, and no long name can come in.
  const normal = name.length > maxLocationLength ? name : name.normalize('NFC');
  if (normal.toLowerCase() === '.git') return { fault: "is git's own, and no content" };
  const candidate = into === '' ? normal : `${into}/${normal}`;
  const fault = faultOfLocation(candidate);
  return fault === undefined ? joinLocation(into, normal) : { fault: `cannot be a location: it ${fault}` };
}

async function readIgnored(
  walk: Walk,
  folder: string,
  above: IgnoredFiles | undefined,
): Promise<{ readonly ignored: IgnoredFiles | undefined; readonly unheeded?: SkippedEntry }> {
  if (!walk.heedsIgnored) return { ignored: undefined };
  const found = await IgnoredFiles.read(walk.root, shownOf(walk, folder), above).catch((error: unknown) => ({
    unheeded: unreadable(error),
  }));
  if (found === undefined || found instanceof IgnoredFiles) return { ignored: found };
  const path = shownOf(walk, join(folder, '.gitignore'));
  return { ignored: above, unheeded: { path, reason: found.unheeded } };
}

/** A path below the walked folder. */
function shownOf({ root }: Walk, path: string): string {
  return relative(root.path, path);
}

function skip(walk: Walk, path: string, reason: string): Walked {
  return { skipped: { path: shownOf(walk, path) || '.', reason } };
}

/** Whether it concerns one file or folder, and is no reason to end the whole walk. */
function isOfTheSystem(error: unknown): boolean {
  return error instanceof UnfitFile || (error instanceof Error && 'syscall' in error);
}

/**
 * Why it cannot be read, in words.
 * @throws the error itself, where it is neither the system's nor about the file's kind
 */
export function unreadable(error: unknown): string {
  if (!isOfTheSystem(error)) throw error;
  return error instanceof UnfitFile ? error.message : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
}
