import type { ContentStage } from '../changes/content-stages.js';
import { dropHidden } from '../domain/hidden-characters.js';
import { faultOfLocation, faultOfNewLocation, type Location } from '../domain/location.js';
import { mayBePointer, readLfsPointer } from '../domain/lfs-pointer.js';
import { makeOriginalAuthor } from '../domain/original-author.js';
import type { PushedChange, PushedCommit, PushedContent, UnfitChange } from '../changes/push.js';
import type { RefusedFile } from '../domain/refused-file.js';
import type { Oid } from '../git/objects/objects.js';
import { findUnfitKind, type RawChange } from '../git/serving/pushed-changes.js';
import type { LineCommit } from '../git/serving/pushed-line.js';
import { pushInParts, PushUnfit, type PushLimits } from '../git/serving/push-limits.js';
import type { Quarantine } from '../git/serving/quarantine.js';
import { readObjects } from '../git/serving/read-objects.js';
import type { Charset } from '../text/charset.js';
import { decodeForeignCommit, type ForeignCommit } from '../git/sources/foreign-commit.js';
import { Rests } from '../scheduling/rests.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';

/** A line of commits, with what each does to files. */
export interface PushedLine {
  readonly line: readonly LineCommit[];
  readonly changes: ReadonlyMap<Oid, readonly RawChange[]>;
  /** Files that are larger than one may be, with their sizes. */
  readonly tooLarge: ReadonlyMap<Oid, number>;
}

/** The charset that the document at a place declares. Undefined for none, and where the caller reads no document. */
export type CharsetAt = (location: Location) => Charset | undefined;

/** Changes by which a file would become no document, for any principal. */
export type UnfitChanges = ReadonlyMap<RawChange, UnfitChange>;

export function findUnfit({ line, changes, tooLarge }: PushedLine, limits: PushLimits): UnfitChanges {
  const unfit = new Map<RawChange, UnfitChange>();
  for (const { commit } of line) {
    for (const change of changes.get(commit) ?? []) {
      const fault = faultOfFile(change, tooLarge, limits);
      if (fault === undefined) continue;
      const file = { ...fault, location: change.path.toString('utf8'), commit };
      unfit.set(change, { file, from: change.from?.toString('utf8') ?? null });
    }
  }
  return unfit;
}

/**
 * Takes in the contents of a line, and reads its commits, all but the unfit changes.
 * @param stage takes the contents
 * @param charsetAt tells what the document at a place declares, by which its new content is read
 * @throws PushUnfit; RepositoryUnreadable; errors of the stage
 */
export async function readPushed(
  quarantine: Quarantine,
  { line, changes: all }: PushedLine,
  unfit: UnfitChanges,
  limits: PushLimits,
  stage: ContentStage,
  charsetAt: CharsetAt,
): Promise<readonly PushedCommit[]> {
  const changes = new Map([...all].map(([commit, each]) => [commit, each.filter((change) => !unfit.has(change))]));
  const { contents, pointers } = await takeContents(quarantine, changes, limits, stage, charsetAt);
  if (pointers.size > 0) throw refusePointers(changes, pointers);
  const read = await readCommits(quarantine, line);
  const commits: PushedCommit[] = [];
  for (const { commit: oid, brought } of line) {
    const { author, message } = requireRead(read.get(oid));
    const { name, email, seconds } = author;
    // A merge says why it merges. Why its changes were made, the commits say that it brings.
    const subjects = brought.map((each) => subjectOf(requireRead(read.get(each)).message));
    commits.push({
      oid,
      message: fitMessage(`${subjects.join('\n')}\n\n${message}`),
      author: makeOriginalAuthor(name, email, seconds),
      changes: (changes.get(oid) ?? []).map((change) => describeChange(change, contents)),
    });
    await yieldToLoop();
  }
  return commits;
}

/** The commits of the line, and those that they bring. */
async function readCommits(
  quarantine: Quarantine,
  line: readonly LineCommit[],
): Promise<ReadonlyMap<Oid, ForeignCommit>> {
  const read = new Map<Oid, ForeignCommit>();
  const oids = line.flatMap(({ commit, brought }) => [commit, ...brought]);
  for await (const { oid, content } of readObjects(quarantine.start, oids)) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    read.set(oid, decodeForeignCommit(Buffer.concat(pieces)));
    await yieldToLoop();
  }
  return read;
}

const subjectOf = (message: string): string => message.trimStart().split('\n', 1)[0]?.trim() ?? '';

function requireRead(commit: ForeignCommit | undefined): ForeignCommit {
  if (commit === undefined) throw new Error('A pushed commit was not read.');
  return commit;
}

interface TakenContents {
  readonly contents: ReadonlyMap<Oid, PushedContent>;
  /** Contents that are only a pointer of Git LFS. */
  readonly pointers: ReadonlySet<Oid>;
}

async function takeContents(
  quarantine: Quarantine,
  changes: PushedLine['changes'],
  { bytes }: PushLimits,
  stage: ContentStage,
  charsetAt: CharsetAt,
): Promise<TakenContents> {
  const wanted = new Map<Oid, Charset | undefined>();
  // What commits of the push brought to a place, with what it declares.
  const brought = new Map<string, Charset | undefined>();
  const rests = new Rests();
  for (const each of changes.values()) {
    const arrived = new Map<string, Charset | undefined>();
    for (const { before, after, path, from } of each) {
      if (rests.isDue) await rests.take();
      if (after === null) continue;
      const place = (from ?? path).toString('utf8');
      const known = brought.has(place) ? brought.get(place) : charsetAt(place as Location);
      const declared = before === null ? undefined : known;
      if (before === null || from !== null) arrived.set(path.toString('utf8'), declared);
      if (after.oid !== before?.oid) wanted.set(after.oid, wanted.get(after.oid) ?? declared);
    }
    for (const [place, charset] of arrived) brought.set(place, charset);
  }
  const contents = new Map<Oid, PushedContent>();
  const pointers = new Set<Oid>();
  let left = bytes;
  for await (const { oid, size, content } of readObjects(quarantine.start, [...wanted.keys()])) {
    left -= size;
    if (left < 0) {
      const remedy = `Push fewer commits at a time: ${pushInParts}`;
      throw new PushUnfit(`The files of a push have at most ${bytes} bytes. ${remedy}`);
    }
    const small: Uint8Array[] = [];
    const taken = await stage.add(mayBePointer(size) ? kept(content, small) : content, wanted.get(oid));
    if (readLfsPointer(Buffer.concat(small)) !== undefined) pointers.add(oid);
    if (taken.blobOid !== oid) throw new PushUnfit('The content of a file is not what its name says. Push again.');
    contents.set(oid, taken);
  }
  return { contents, pointers };
}

/** The pieces as they come, which are collected in a list too. */
async function* kept(pieces: AsyncIterable<Uint8Array>, list: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    list.push(Uint8Array.from(piece));
    yield piece;
  }
}

/** The refusal of files whose content Git LFS keeps elsewhere. It names the first, and counts them all. */
function refusePointers(changes: PushedLine['changes'], pointers: ReadonlySet<Oid>): PushUnfit {
  const isPointer = ({ after }: RawChange): boolean => after !== null && pointers.has(after.oid);
  const files = [...changes.values()].flatMap((each) => each.filter(isPointer));
  const [first] = files;
  const others = files.length > 1 ? ` So are ${files.length - 1} more.` : '';
  return new PushUnfit(
    `${first?.path.toString('utf8') ?? 'A file'} is a pointer of Git LFS, and its content is not in the push.${others} ` +
      'Git LFS is not served here. Commit the files themselves: git lfs migrate export --include="*" main',
  );
}

function describeChange(
  { before, after, path, from }: RawChange,
  contents: ReadonlyMap<Oid, PushedContent>,
): PushedChange {
  const location = path.toString('utf8') as Location;
  if (after === null) return { type: 'delete', location, before: before?.oid ?? '' };
  const content = contents.get(after.oid);
  if (before === null) return { type: 'create', location, content: requireContent(content) };
  if (from === null) return { type: 'update', location, before: before.oid, content: requireContent(content) };
  const moved = { type: 'move', from: from.toString('utf8') as Location, to: location, before: before.oid } as const;
  return { ...moved, content: before.oid === after.oid ? null : requireContent(content) };
}

function requireContent(content: PushedContent | undefined): PushedContent {
  if (content === undefined) throw new Error('A pushed file has no content.');
  return content;
}

type Fault = Omit<RefusedFile, 'location' | 'commit'>;

const kinds = {
  link: [
    'It is a symbolic link, and only plain files are kept.',
    'Put a copy of the file in its place, in that commit.',
  ],
  submodule: ['It is a submodule, and only plain files are kept.', 'Take it out of that commit with git rm --cached.'],
  executable: [
    'It is marked as executable, and no file is kept so.',
    'Run chmod -x and git update-index --chmod=-x on it, in that commit.',
  ],
} as const;

function faultOfFile(change: RawChange, tooLarge: PushedLine['tooLarge'], limits: PushLimits): Fault | undefined {
  const badName = faultOfName(change);
  if (badName !== undefined) {
    const remedy = change.after === null ? 'Put it back, in that commit.' : 'Rename it with git mv, in that commit.';
    return { reason: 'bad_location', sentence: `The name ${badName}.`, remedy };
  }
  const kind = findUnfitKind(change);
  if (kind !== undefined) {
    const [sentence, remedy] = kinds[kind];
    return { reason: 'bad_field', sentence, remedy };
  }
  const size = change.after === null ? undefined : tooLarge.get(change.after.oid);
  if (size === undefined) return undefined;
  const sentence = `It has ${size} bytes, and a file has at most ${limits.file}.`;
  return { reason: 'content_too_large', sentence, remedy: 'Take it out of the commits, or make it smaller.' };
}

function faultOfName({ before, after, path, from }: RawChange): string | undefined {
  for (const bytes of from === null ? [path] : [path, from]) {
    const text = bytes.toString('utf8');
    if (Buffer.byteLength(text) !== bytes.length || !Buffer.from(text).equals(bytes)) return 'is not in UTF-8';
    const fault = faultOfLocation(text);
    if (fault !== undefined) return fault;
  }
  const isNew = after !== null && (before === null || from !== null);
  return isNew ? faultOfNewLocation(path.toString('utf8')) : undefined;
}

/** Characters of a version's message. */
const maxMessageLength = 1000;
const unfitCharacters = /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Surrogate}]+/gu;

/** A commit's message as a version may have it: well-formed, without hidden characters, and cut to its length. */
export function fitMessage(text: string): string | null {
  const plain = dropHidden(text.replaceAll('\r\n', '\n').replaceAll(unfitCharacters, ' ')).trim();
  if (plain.length <= maxMessageLength) return plain === '' ? null : plain;
  const cut = plain.slice(0, maxMessageLength - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}…`;
}
