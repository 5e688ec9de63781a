import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import type { EnclosedFolder, LookedAt } from '../../disk/enclosed-folder.js';
import { UnfitFile } from '../../disk/open-regular.js';
import { faultOfLocation } from '../../domain/location.js';
import { showLine } from '../../domain/visible-text.js';
import { SourceFault, type SourceEntry } from '../source.js';
import { describeState, type Moment } from './describe-state.js';
import { faultOf, missing, ownData } from './find-allowed.js';

/** One walk of the folder. */
export interface Walk {
  readonly root: EnclosedFolder;
  /** Of the root. */
  readonly stats: BigIntStats;
  /** The service's own data. */
  readonly data: BigIntStats | null;
  readonly moment: Moment;
  readonly maxEntries: number;
  /** Folders where a disk was mounted at the last walk; '' is the root. */
  readonly before: ReadonlySet<string>;
  /** Folders where a disk is, or should be, mounted. The walk adds those below the root. */
  readonly mounts: Set<string>;
}

/** Entries handed on together. */
const partLength = 256;

interface Folder {
  readonly path: string;
  readonly device: bigint;
  /** A disk was mounted here, and is not now. */
  readonly lacksMount: boolean;
}

/**
 * What lies in the folder, in parts, in no order. No link is followed. What cannot be seen is said to be unreadable,
 * never left out: what a listing leaves out is deleted from the mirror.
 * @throws SourceFault when the root cannot be listed, or holds too many entries
 */
export async function* walkSource(walk: Walk, signal: AbortSignal): AsyncGenerator<readonly SourceEntry[]> {
  const open: Folder[] = [
    { path: '', device: walk.stats.dev, lacksMount: walk.before.has('') && !walk.mounts.has('') },
  ];
  let part: SourceEntry[] = [];
  let count = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    try {
      let isEmpty = true;
      for await (const looks of walk.root.look(join(walk.root.path, folder.path))) {
        signal.throwIfAborted();
        count += looks.length;
        isEmpty &&= looks.length === 0;
        if (count > walk.maxEntries) throw tooMany(walk.maxEntries);
        for (const look of looks) {
          const found = judge(walk, folder, look);
          if ('device' in found) open.push(found);
          else part.push(found);
        }
        if (part.length >= partLength) {
          yield part;
          part = [];
        }
      }
      // The folder below a drive that is not mounted is empty. The files are on the drive.
      if (isEmpty && folder.lacksMount) {
        if (folder.path === '') throw missing();
        noteMount(walk, folder.path);
        part.push({ type: 'unreadable', path: folder.path, detail: 'its drive is not mounted' });
      }
    } catch (error) {
      if (folder.path === '') throw faultOf(error);
      part.push({ type: 'unreadable', path: folder.path, detail: describeObstacle(error) });
    }
  }
  yield part;
}

/** What an entry is: a folder to walk, or an entry of the listing. */
function judge(walk: Walk, folder: Folder, { name, stats }: LookedAt): Folder | SourceEntry {
  const isText = isUtf8(name);
  const text = isText ? name.toString('utf8') : name.toString('latin1');
  const path = folder.path === '' ? text : `${folder.path}/${text}`;
  // What vanished between two looks may have been moved to where this walk has been already.
  if (stats instanceof Error) return { type: 'unreadable', path, detail: describeObstacle(stats) };
  const version = describeState(stats, walk.moment);
  if (!isText) {
    const shown = path.slice(0, path.length - text.length) + escapeBytes(name);
    return { type: 'skipped', path: shown, version, reason: 'not_decodable', detail: 'its name is not UTF-8' };
  }
  if (stats.isSymbolicLink()) return { type: 'skipped', path, version, reason: 'symlink' };
  if (stats.isDirectory()) return judgeFolder(walk, folder, path, stats);
  if (!stats.isFile()) return { type: 'skipped', path, version, reason: 'special_file' };
  const id = identify(stats);
  return {
    type: 'file',
    path,
    ...(id === undefined ? {} : { id }),
    version,
    size: Number(stats.size),
    modifiedAt: Number(stats.mtimeMs),
  };
}

function judgeFolder(walk: Walk, above: Folder, path: string, stats: BigIntStats): Folder | SourceEntry {
  if (walk.data !== null && stats.dev === walk.data.dev && stats.ino === walk.data.ino) throw ownData();
  // Nothing below such a name can be a document. One entry says so, instead of one for each file.
  const fault = faultOfLocation(path.normalize('NFC'));
  if (fault !== undefined) {
    const version = describeState(stats, walk.moment);
    return { type: 'skipped', path, version, reason: 'bad_name', detail: `the folder ${fault}` };
  }
  const isMount = stats.dev !== above.device;
  if (isMount) noteMount(walk, path);
  return { path, device: stats.dev, lacksMount: !isMount && walk.before.has(path) };
}

function noteMount({ mounts }: Walk, path: string): void {
  if (mounts.size < maxMounts) mounts.add(path);
}

const maxMounts = 100;

/**
 * The file's own id, which it keeps under another name. A number of a deleted file is given to a new one, so the time
 * of birth belongs to it. Several names of one file (hard links) are several documents, and no rename.
 * @returns undefined where the disk knows no birth
 */
function identify({ ino, birthtimeNs, nlink }: BigIntStats): string | undefined {
  return birthtimeNs > 0n && nlink === 1n ? `${ino}-${birthtimeNs}` : undefined;
}

function escapeBytes(name: Buffer): string {
  // Byte by byte: what is no ASCII appears as \xNN.
  const plain = Array.from(name, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return showLine(plain.join(''));
}

/**
 * Why a file or folder cannot be read, for people.
 * @throws the error itself, where it is not about this file
 */
export function describeObstacle(error: unknown): string {
  if (error instanceof UnfitFile) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof SourceFault || !(error instanceof Error) || !('syscall' in error)) throw error;
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') throw faultOf(error);
  if (code === 'EACCES' || code === 'EPERM') return "this service's account may not read it";
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it went away while the folder was read';
  return `it cannot be read (${code})`;
}

function tooMany(most: number): SourceFault {
  return new SourceFault(
    'limit',
    `The folder holds more than ${most} files and folders. Mirror a smaller folder, or ask those who run the service.`,
  );
}
