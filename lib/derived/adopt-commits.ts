import type { Location } from '../domain/location.js';
import type { Oid } from '../git/objects/objects.js';
import type { TouchedDocument } from './find-pushed.js';
import { hasPacks, linkPacks, listNewPacks, pointBranch } from './repository-files.js';
import { readState, writeState, DamagedState, type DerivedState, type ShownDocument } from './state.js';

/** Pushed commits that a derived repository takes over as its own. */
export interface AdoptedCommits {
  /** The principal's folder. */
  readonly folder: string;
  /** The head on which they were pushed. Null when the repository was empty. */
  readonly onto: Oid | null;
  /** The pushed head. */
  readonly head: Oid;
  /**
   * The folder with their pack (`pack-*.pack` and `pack-*.idx`), complete but for objects of the repository. Null when
   * all their objects are there already. The files stay, until the caller removes them after the call.
   */
  readonly packs: string | null;
  /** What they did, from the push's result. */
  readonly documents: readonly TouchedDocument[];
}

/**
 * Makes pushed commits the head of a derived repository. The caller has put their changes into the workspace. May be
 * repeated after a crash: once it is done, it does nothing more. Not while anything is derived in the folder.
 * @returns false when the repository's head is neither `onto` nor `head`, there is no sound one, or its files stand for
 * other documents by now: nothing was changed
 */
export async function adoptCommits({ folder, onto, head, packs, documents }: AdoptedCommits): Promise<boolean> {
  const state = await readStateOf(folder);
  if (state === undefined) return false;
  if (state.head !== head) {
    if (state.head !== onto || !(await hasPacks(folder, state))) return false;
    if (!areOfTheirFiles(state, documents)) return false;
    const known = await takePacks(folder, state, packs);
    if (!(await hasPacks(folder, { head, packs: known }))) return false;
    const shown = new Map(state.documents);
    for (const document of documents)
      shown.set(document.documentId, showPushed(shown.get(document.documentId), document));
    await writeState(folder, { ...state, head, packs: known, documents: shown });
  }
  await pointBranch(folder, head);
  return true;
}

/**
 * Whether the pushed files are those of the documents that the push touched. They are not where a document was replaced
 * by another one with the same content, and the repository still shows the earlier one there.
 */
function areOfTheirFiles(state: DerivedState, documents: readonly TouchedDocument[]): boolean {
  const touched = new Set<string>();
  const places = new Set<Location>();
  for (const document of documents) {
    touched.add(document.documentId);
    for (const place of document.places) places.add(place);
  }
  for (const [id, { place }] of state.documents) {
    if (place !== null && touched.has(id) !== places.has(place)) return false;
  }
  return true;
}

async function readStateOf(folder: string): Promise<DerivedState | undefined> {
  try {
    return await readState(folder);
  } catch (error) {
    if (error instanceof DamagedState) return undefined;
    throw error;
  }
}

/** Brings the pushed packs into the repository. A crash before can have brought some of them. */
async function takePacks(folder: string, state: DerivedState, from: string | null): Promise<DerivedState['packs']> {
  if (from === null) return state.packs;
  const made = await listNewPacks(from, state.packs);
  await linkPacks(folder, from, made);
  return [...state.packs, ...made];
}

function showPushed(before: ShownDocument | undefined, { location, sequence, places }: TouchedDocument): ShownDocument {
  const former = new Set([...(before?.formerPlaces ?? []), ...places]);
  if (before !== undefined && before.place !== null) former.add(before.place);
  if (location !== null) former.delete(location);
  return { place: location, sequence, formerPlaces: [...former] };
}
