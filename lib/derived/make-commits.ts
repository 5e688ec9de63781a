import type { Location } from '../domain/location.js';
import { BlobSource } from '../git/derived/blob-source.js';
import { FastImport, type ImportedEdit } from '../git/derived/fast-import.js';
import { inflateObject, type Oid } from '../git/objects/objects.js';
import { mainRef } from '../git/repositories/create-repository-files.js';
import type { ForeignGit } from '../git/program/git-program.js';
import type { ReachedSnapshot } from '../sidecar/reached-snapshot.js';
import type { WantedVersion } from '../sidecar/tables/reached-table.js';
import { boundDerivation } from './bound-git.js';
import type { Displaced } from './compare-reach.js';
import type { DeriveOrder } from './derivation.js';
import { describeMoves, describeVersions, signAs, signVersion } from './describe-commit.js';
import type { PlannedMoves } from './plan-moves.js';

/** Versions that one run of git takes: it remembers each object until its end. */
export const versionsAtOnce = 50_000;

/** Where commits are made. */
export interface Making {
  readonly order: DeriveOrder;
  readonly snapshot: ReachedSnapshot;
  /** The repository that takes the objects. */
  readonly repository: string;
  /** How many documents it will show. */
  readonly documents: number;
  readonly signal: AbortSignal;
}

/** Opens one run of git on the repository. It is finished, or ended at once when the work fails. */
async function importWith(
  { repository, signal }: Making,
  git: ForeignGit,
  from: Oid | null,
  fill: (into: FastImport) => Promise<number>,
): Promise<number> {
  const into = new FastImport(git, repository, mainRef, from, signal);
  try {
    const commits = await fill(into);
    await into.finish();
    return commits;
  } finally {
    into.close();
  }
}

/** Makes the commits with moves and deletions. @returns how many */
export async function commitMoves(making: Making, from: Oid | null, moves: readonly PlannedMoves[]): Promise<number> {
  const { order, snapshot, documents } = making;
  const git = boundDerivation(order.git, snapshot.tables, { commits: moves.length, documents, bytes: 0 });
  return importWith(making, git, from, async (into) => {
    for (const { placing, displaced } of moves) {
      const signature = signAs(placing.author, placing.at, making.order.workspace);
      const edits = editsOf(displaced, making.snapshot);
      await into.commit({ author: signature, committer: signature, message: describeMoves(displaced), edits });
      making.signal.throwIfAborted();
    }
    return moves.length;
  });
}

/** All old places are left before a new one is taken. */
function* editsOf(displaced: readonly Displaced[], { tables }: ReachedSnapshot): Generator<ImportedEdit> {
  for (const { from } of displaced) if (from !== null) yield { path: from, blob: null };
  for (const { number, to, sequence } of displaced) {
    if (to === null) continue;
    const [content] = tables.versions.contents(number, sequence, 1);
    if (content?.sequence !== sequence) throw new Error(`A shown document has lost its version ${sequence}.`);
    yield { path: to, blob: content.blobOid };
  }
}

/**
 * Makes the commits with the wanted versions after < rank <= upTo, in one run of git. All contents come first, by
 * document: that way git finds what they have in common.
 * @returns how many
 */
export async function commitVersions(
  making: Making,
  from: Oid | null,
  range: { readonly after: number; readonly upTo: number },
): Promise<number> {
  const { order, snapshot, documents } = making;
  const bytes = snapshot.reached.bytes(range.after, range.upTo);
  const git = boundDerivation(order.git, snapshot.tables, { commits: range.upTo - range.after, documents, bytes });
  return importWith(making, git, from, async (into) => {
    await copyContents(making, git, into, range);
    let commits = 0;
    for (const versions of byMoment(making.snapshot.reached.versions(range.after, range.upTo))) {
      const [first] = versions;
      const { author, committer } = signVersion(first.version, making.order.workspace);
      await into.commit({ author, committer, message: describeVersions(versions), edits: versions.map(toEdit) });
      commits += 1;
      if (commits % 256 === 0) making.signal.throwIfAborted();
    }
    return commits;
  });
}

const toEdit = ({ version, place }: WantedVersion): { readonly path: Location; readonly blob: Oid } => ({
  path: place,
  blob: version.blobOid,
});

type Some<Item> = [Item, ...Item[]];

/** The versions of each moment together. */
function* byMoment(versions: Iterable<WantedVersion>): Generator<Some<WantedVersion>> {
  let some: Some<WantedVersion> | undefined;
  for (const version of versions) {
    if (some?.[0].moment === version.moment) some.push(version);
    else {
      if (some !== undefined) yield some;
      some = [version];
    }
  }
  if (some !== undefined) yield some;
}

async function copyContents(
  { order, snapshot, signal }: Making,
  git: ForeignGit,
  into: FastImport,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<void> {
  const { objects } = snapshot.tables;
  const oids = withoutRepeats(snapshot.reached.contents(after, upTo));
  // From the snapshot's waiting objects, else from the repository: what waited no more at that moment is there.
  const stored = new Set(oids.filter((oid) => !objects.has(oid)));
  const source = new BlobSource(git, order.content, signal);
  const take = (piece: Buffer): Promise<void> | undefined => {
    into.put(piece);
    return into.isFull ? into.settle() : undefined;
  };
  try {
    source.ask(oids.filter((oid) => stored.has(oid)));
    for (const oid of oids) {
      const waiting = stored.has(oid) ? undefined : objects.find(oid);
      if (waiting === undefined) await source.read((size) => into.beginBlob(size), take);
      else {
        into.beginBlob(waiting.size);
        await take(inflateObject(waiting));
      }
      into.endBlob();
    }
  } finally {
    source.close();
  }
}

/** Names without those that only repeat the one before. */
function withoutRepeats(oids: Iterable<Oid>): Oid[] {
  const kept: Oid[] = [];
  for (const oid of oids) if (oid !== kept.at(-1)) kept.push(oid);
  return kept;
}
