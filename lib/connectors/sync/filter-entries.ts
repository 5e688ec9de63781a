import type { SkipReason } from '../../domain/connector.js';
import { formatBytes } from '../../domain/format-bytes.js';
import { byteLength, compareText, faultOfLocation, faultOfNewLocation, type Location } from '../../domain/location.js';
import { twinKeyOf } from '../../domain/portable-name.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';
import { SourceFault, type SkippedEntry, type SourceFile } from '../source.js';

/** Something that the source holds now. */
export type HeldEntry = SourceFile | SkippedEntry;

/** What of a source can be mirrored. */
export interface Filtered {
  /** The files to mirror, by their path below the mirror's folder. */
  readonly wanted: Map<string, SourceFile>;
  /** What is left out, by the key of its row. */
  readonly skipped: Map<string, MirrorEntry>;
}

export interface FilterRules {
  /** The mirror's folder. */
  readonly root: Location;
  /** Bytes of a file. */
  readonly maxBytes: number;
  /** Folders above the files. */
  readonly maxFolders: number;
  /** The problem with a new name under the workspace's policy. A file that is mirrored already keeps its name. */
  faultOfNew(this: void, path: string): string | undefined;
}

/** Characters of a path that is looked at. Longer ones are no names. */
const maxPathLength = 4096;
/** Folders within each other. */
const maxDepth = 64;
/** Characters that are stored of a path that cannot be a name. */
const keptOfPath = 1000;

/**
 * Decides what of a source can be mirrored, and says why the rest cannot. The same entries give the same decision in
 * every order.
 */
export function* filterEntries(entries: Iterable<HeldEntry>, rules: FilterRules): Steps<Filtered> {
  const skipped = new Map<string, MirrorEntry>();
  const groups = new Map<string, SourceFile[]>();
  for (const entry of entries) {
    yield;
    const skip = skipOf(entry, rules);
    if (skip !== undefined) {
      skipped.set(skip.path, skip);
      continue;
    }
    const folded = twinKeyOf(entry.path);
    const group = groups.get(folded);
    if (group === undefined) groups.set(folded, [entry as SourceFile]);
    else group.push(entry as SourceFile);
  }
  const folders = yield* foldersOf(groups.keys(), rules.maxFolders);
  const wanted = new Map<string, SourceFile>();
  for (const [folded, group] of groups) {
    yield;
    const [winner, ...twins] = group.length === 1 ? group : group.toSorted(byRank);
    if (winner === undefined) continue;
    const isFolder = folders.has(folded);
    if (isFolder) skipped.set(winner.path, asSkip(winner, 'name_taken', 'A folder of the source has the same name.'));
    else wanted.set(winner.path.normalize('NFC'), winner);
    const detail = isFolder
      ? 'A folder of the source has the same name.'
      : 'Another file of the source has the same name.';
    for (const twin of twins) skipped.set(twin.path, asSkip(twin, isFolder ? 'name_taken' : 'name_twin', detail));
  }
  // Two spellings of one name can be a file and something else. The file has the row.
  for (const path of wanted.keys()) skipped.delete(path);
  return { wanted, skipped };
}

/** A name in the usual form of Unicode wins, then the first in the order of bytes. */
function byRank(a: SourceFile, b: SourceFile): number {
  const rank = ({ path }: SourceFile): number => (path.normalize('NFC') === path ? 0 : 1);
  return rank(a) - rank(b) || compareText(a.path, b.path);
}

/**
 * All folders above the paths.
 * @throws SourceFault `limit`
 */
function* foldersOf(paths: Iterable<string>, most: number): Steps<ReadonlySet<string>> {
  const folders = new Set<string>();
  for (const path of paths) {
    yield;
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
    if (folders.size > most) throw tooManyFolders(most);
  }
  return folders;
}

function tooManyFolders(most: number): SourceFault {
  const what = `The source has more than ${most} folders.`;
  return new SourceFault('limit', `${what} Choose a smaller part of it. Nothing was changed here.`);
}

/** Why the entry cannot be mirrored, whatever else is there; undefined when it can. */
function skipOf(entry: HeldEntry, { root, maxBytes, faultOfNew }: FilterRules): MirrorEntry | undefined {
  if (entry.type === 'skipped') return asSkip(entry, entry.reason, entry.detail ?? null);
  if (entry.path.length > maxPathLength) return asSkip(entry, 'bad_name', 'The name is too long.');
  if (!entry.path.isWellFormed()) return asSkip(entry, 'not_decodable', 'The name is not valid Unicode.');
  const path = entry.path.normalize('NFC');
  const fault = faultOfLocation(root === '' ? path : `${root}/${path}`) ?? faultOfNewLocation(path) ?? faultOfNew(path);
  if (fault !== undefined) return asSkip(entry, 'bad_name', `The name ${fault}.`);
  if (path.split('/').length > maxDepth + 1)
    return asSkip(entry, 'bad_name', `It lies in more than ${maxDepth} folders within each other.`);
  if (entry.size !== undefined && entry.size > maxBytes)
    return asSkip(entry, 'too_large', tooLarge(maxBytes, entry.size));
  return undefined;
}

/** The sentence about a file that is too large. @param size bytes; left out where nobody knows */
export function tooLarge(maxBytes: number, size?: number): string {
  const has = size === undefined ? 'It is larger' : `It has ${formatBytes(size)}, which is more`;
  return `${has} than ${formatBytes(maxBytes)}.`;
}

/** The row of something that is left out. */
export function asSkip(entry: HeldEntry, reason: SkipReason, detail: string | null): MirrorEntry {
  const { path, version } = entry;
  return { path: keyOf(path), sourceId: idOf(entry), version, reason, detail: detail?.slice(0, keptOfPath) ?? null };
}

export function idOf(entry: HeldEntry): string | null {
  return entry.type === 'file' ? (entry.id ?? null) : null;
}

/** Whether two rows of one path say the same. */
export function isSameRow(a: MirrorEntry, b: MirrorEntry): boolean {
  return a.version === b.version && a.reason === b.reason && a.detail === b.detail && a.sourceId === b.sourceId;
}

/** A path as a row keeps it: valid Unicode of a bounded length. */
function keyOf(path: string): string {
  const whole = path.toWellFormed();
  if (whole.length <= maxPathLength) return whole;
  return `${whole.slice(0, keptOfPath).toWellFormed()}… (${byteLength(whole)} bytes)`;
}
