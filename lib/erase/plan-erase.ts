import type { Location } from '../domain/location.js';
import { decodeCommit, type Oid } from '../git/objects/objects.js';
import { Tree } from '../git/objects/tree.js';
import type { OpenErasure } from '../sidecar/tables/erasure-table.js';
import { gatherPlaces } from './gather-places.js';
import type { ErasedDocument, ErasedPlace, RewriteState } from './redact-commit.js';
import type { ErasedWorkspace } from './erased-workspace.js';
import type { Tables } from '../sidecar/tables.js';

/** The content that a rewrite removes from the history, and its first commit. */
export interface ErasePlan {
  readonly erasures: readonly OpenErasure[];
  readonly documents: readonly ErasedDocument[];
  /** Every place that each of the documents ever had. */
  readonly places: readonly (readonly Location[])[];
  readonly state: RewriteState;
}

/**
 * Reads from the rows each place of each document, and the state before the first commit that touched one of them.
 * @throws ObjectNotFound, RepositoryUnreadable
 */
export async function planErase(workspace: ErasedWorkspace, erasures: readonly OpenErasure[]): Promise<ErasePlan> {
  const tables = workspace.journal.reader;
  const documents = erasures.map((erasure) => describeDocument(tables, erasure));
  const places = erasures.map(({ document }) => (document === null ? [] : gatherPlaces(tables, document)));
  const first = firstCommit(tables, erasures);
  const locations = documents.map(() => null);
  const { parents } = await readCommit(workspace, first);
  const parent = parents[0] ?? null;
  const tree = parent === null ? Tree.empty.oid : (await readCommit(workspace, parent)).tree;
  return { erasures, documents, places, state: { parent, treeBefore: tree, treeAfter: tree, locations } };
}

function describeDocument(tables: Tables, { document, documentId }: OpenErasure): ErasedDocument {
  const places = new Map<Oid, ErasedPlace>();
  if (document === null || documentId === null) throw new Error('An accepted erase has lost its document.');
  for (const { commit, location, blob } of tables.eraseRows.placesOf(document)) {
    places.set(commit, { location: location as Location | null, blob });
  }
  return { id: documentId, places };
}

/** The commit that made the oldest of the documents: every document begins with its first version. */
function firstCommit(tables: Tables, erasures: readonly OpenErasure[]): Oid {
  const first = tables.eraseRows.firstCommit(erasures.flatMap(({ document }) => document ?? []));
  if (first === undefined) throw new Error('The documents to be erased have no version.');
  return first;
}

async function readCommit({ repository }: ErasedWorkspace, oid: Oid) {
  return decodeCommit((await repository.read(oid)).bytes);
}
