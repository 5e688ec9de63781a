import type { PushedDocument } from '../domain/push.js';
import type { Oid } from '../git/objects/objects.js';
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
  readonly documents: readonly PushedDocument[];
}

/**
 * Makes pushed commits the head of a derived repository. The caller has put their changes into the workspace. May be
 * repeated after a crash: once it is done, it does nothing more. Not while anything is derived in the folder.
 * @returns false when the repository's head is neither `onto` nor `head`, or there is no sound one: nothing was changed
 */
export async function adoptCommits({ folder, onto, head, packs, documents }: AdoptedCommits): Promise<boolean> {
  const state = await readStateOf(folder);
  if (state === undefined) return false;
  if (state.head !== head) {
    if (state.head !== onto || !(await hasPacks(folder, state.packs))) return false;
    const known = await takePacks(folder, state, packs);
    const shown = new Map(state.documents);
    for (const document of documents)
      shown.set(document.documentId, showPushed(shown.get(document.documentId), document));
    await writeState(folder, { head, packs: known, documents: shown });
  }
  await pointBranch(folder, head);
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

function showPushed(before: ShownDocument | undefined, { location, sequence }: PushedDocument): ShownDocument {
  const formerPlaces = before?.formerPlaces ?? [];
  const left = before?.place ?? null;
  const isNew = left !== null && left !== location && !formerPlaces.includes(left);
  return { place: location, sequence, formerPlaces: isNew ? [...formerPlaces, left] : formerPlaces };
}
