import type { Reach } from '../view/reach.js';
import type { Location } from '../domain/location.js';
import { roleContains } from '../domain/role.js';
import type { DocumentFate, ReachedDocument, WantedDocument } from '../sidecar/tables/reached-table.js';
import type { MadeAnew } from './derivation.js';
import type { DerivedState, ShownDocument } from './state.js';

/** A document that is shown elsewhere than it is now. */
export interface Displaced {
  readonly id: string;
  readonly number: number;
  /** Where it is shown. Null when a commit deleted it. */
  readonly from: Location | null;
  /** Null when it is deleted now. */
  readonly to: Location | null;
  /** Number of the last version shown. */
  readonly sequence: number;
}

/** What a repository lacks to say what its principal can read now. */
export interface Difference {
  readonly displaced: readonly Displaced[];
  /** What it will show. */
  readonly documents: ReadonlyMap<string, ShownDocument>;
  readonly live: number;
  /** Whether any versions are wanted. */
  readonly isBehind: boolean;
}

/** Why the repository may not be served any more, and cannot grow. */
export interface Outdated {
  readonly outdated: MadeAnew;
}

export interface ComparedReach {
  readonly reach: Reach;
  /** The documents in it, each once. */
  readonly reached: Iterable<ReachedDocument>;
  /** What became of a document that is not in the reach. */
  readonly fateOf: (id: string) => DocumentFate | undefined;
  /** Called with the versions that are wanted, some documents at a time. */
  readonly want: (documents: readonly WantedDocument[]) => void;
}

const wantedAtOnce = 1000;

/**
 * Compares what a repository shows with what its principal can read now. Everything that it ever showed must still be
 * readable: each document, at each place at which a commit has it.
 */
export function compareReach(
  shown: DerivedState['documents'],
  { reach, reached, fateOf, want }: ComparedReach,
): Difference | Outdated {
  const mayRead = (id: string, place: Location): boolean => roleContains(reach.roleOn(id, place), 'reader');
  const documents = new Map<string, ShownDocument>();
  const displaced: Displaced[] = [];
  let wanted: WantedDocument[] = [];
  let isBehind = false;
  for (const { id, number, place, sequence } of reached) {
    const before = shown.get(id);
    const after = before?.sequence ?? 0;
    // Versions are never taken back: this is no repository of this workspace.
    if (sequence < after) return { outdated: 'damaged' };
    if (sequence > after) {
      wanted.push({ number, place, after });
      isBehind = true;
      if (wanted.length === wantedAtOnce) {
        want(wanted);
        wanted = [];
      }
    }
    if (before === undefined) documents.set(id, { place, sequence, formerPlaces: [] });
    else if (before.place === place && sequence === after) documents.set(id, before);
    else {
      const comesBack = before.place === null && sequence > after;
      if (before.place !== place && !comesBack) {
        displaced.push({ id, number, from: before.place, to: place, sequence: after });
      }
      documents.set(id, { place, sequence, formerPlaces: withFormer(before, place) });
    }
  }
  if (wanted.length > 0) want(wanted);
  const live = documents.size;
  for (const [id, before] of shown) {
    if (documents.has(id)) continue;
    const fate = fateOf(id);
    if (fate === undefined) return { outdated: 'erased' };
    if (fate.isLive) {
      const isMoved = before.place === null || mayRead(id, before.place);
      return { outdated: isMoved ? 'moved' : 'narrowed' };
    }
    if (fate.deletedAt === null) return { outdated: 'erased' };
    if (!mayRead(id, fate.deletedAt)) return { outdated: 'narrowed' };
    if (before.place !== null) {
      displaced.push({ id, number: fate.number, from: before.place, to: null, sequence: before.sequence });
    }
    documents.set(id, { ...before, place: null, formerPlaces: withFormer(before, null) });
  }
  for (const [id, { formerPlaces }] of documents) {
    if (!formerPlaces.every((place) => mayRead(id, place))) return { outdated: 'narrowed' };
  }
  return { displaced, documents, live, isBehind };
}

/** The former places, when it is shown at this place next. */
function withFormer({ place, formerPlaces }: ShownDocument, next: Location | null): readonly Location[] {
  if (place === null || place === next || formerPlaces.includes(place)) return formerPlaces;
  return [...formerPlaces, place];
}
