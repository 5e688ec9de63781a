import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { faultOfLocation, joinLocation, longestLocation, type Location } from '../domain/location.js';

/** A regular file below the folder that is walked, and the location it would get. */
export interface WalkedFile {
  /** Absolute. */
  readonly path: string;
  /** From the folder that is walked, as people see it. */
  readonly shown: string;
  readonly location: Location;
  /** Bytes. */
  readonly size: number;
}

/** What cannot come in, with the reason in words; a folder stands for everything in it. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: string;
}

export type Walked = { readonly file: WalkedFile } | { readonly skipped: SkippedEntry };

/** Entries that are looked at together. */
const together = 64;

interface Walk {
  readonly root: string;
  /** Absolute path that is passed over: the service's own data. */
  readonly avoid: string | null;
}

/**
 * Every file below a folder, depth first and in order of the names' bytes. Symbolic links are never followed, so the
 * walk stays inside the folder. Names are brought to Unicode normalization form C.
 * @param root absolute path
 * @param into location that the folder's content goes below
 */
export async function* walkFolder(root: string, into: Location, avoid: string | null): AsyncGenerator<Walked> {
  yield* walk({ root, avoid }, root, into);
}

async function* walk(context: Walk, folder: string, into: Location): AsyncGenerator<Walked> {
  let names: Buffer[];
  try {
    names = (await readdir(folder, { encoding: 'buffer' })).sort((a, b) => a.compare(b));
  } catch (error) {
    yield skip(context, folder, unreadable(error));
    return;
  }
  for (let start = 0; start < names.length; start += together) {
    const entries = await Promise.all(names.slice(start, start + together).map((name) => look(folder, name)));
    for (const { path, name, stats, fault } of entries) {
      const location = name === undefined ? undefined : locate(into, name);
      if (stats === undefined) yield skip(context, path, fault);
      else if (stats.isSymbolicLink()) yield skip(context, path, 'is a symbolic link, and links are not followed');
      else if (!stats.isFile() && !stats.isDirectory()) yield skip(context, path, 'is neither a file nor a folder');
      else if (path === context.avoid) yield skip(context, path, "is this service's own data folder");
      else if (location === undefined) yield skip(context, path, 'has a name that is not valid UTF-8');
      else if (typeof location !== 'string') yield skip(context, path, location.fault);
      else if (stats.isDirectory()) yield* walk(context, path, location);
      else yield { file: { path, shown: relative(context.root, path), location, size: stats.size } };
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
  const normal = name.length > longestLocation ? name : name.normalize('NFC');
  if (normal.toLowerCase() === '.git') return { fault: "is git's own, and no content" };
  const candidate = into === '' ? normal : `${into}/${normal}`;
  const fault = faultOfLocation(candidate);
  return fault === undefined ? joinLocation(into, normal) : { fault: `cannot be a location: it ${fault}` };
}

function skip({ root }: Walk, path: string, reason: string): Walked {
  return { skipped: { path: relative(root, path) || '.', reason } };
}

/** Why the system would not let it be read, in words. */
export function unreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return `cannot be read (${code})`;
}
