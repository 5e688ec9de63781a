import { createHmac } from 'node:crypto';
import type { Reach } from '../view/reach.js';
import type { ChangeKind } from '../domain/change.js';
import { isWithin, segmentsOf, type Location } from '../domain/location.js';
import type { FolderRelocation } from '../sidecar/tables/brief-table.js';
import type { AccessActivity } from '../sidecar/tables/activity-table.js';
import type { DocumentEvent, ErasedPlace, PresentRow } from '../sidecar/tables/feed-table.js';
import type { Tables } from '../sidecar/tables.js';
import type { View } from '../view/view.js';
import {
  findAffected,
  followMoves,
  mayRead,
  narrow,
  withoutNested,
  type Affected,
  type FeedEvent,
} from './feed-event.js';
import { readFeedSecret, type FeedPosition, type PositionWithin } from './feed-position.js';
import type { FeedStep, FoundChange } from './found-change.js';
import { classifyEvent, type ClassifiedEvent } from './classify-event.js';
import { Places } from '../history/place-at.js';
import type { PastReach, PastReaches } from './reach-at.js';
import { walkBelow } from './walk-below.js';

/** Parts of an event, in the order in which they are sent. */
const ofCommit = 0;
const byPlaces = 1;
const byDepartures = 2;
/** This comes behind the places: what has left those meanwhile, and is granted itself, is found here. */
const byIds = 3;
const erased = 4;
/** The listing at the beginning of a feed has two parts. */
const listedByPlaces = 5;
const listedByIds = 6;

/** Rows and events looked at in one step. Each takes some ten microseconds, as do so many grants of a reach. */
const workInStep = 100;
const grantsOfWork = 10;
const rowsAtOnce = 64;

/** Something that an event may concern, or only a place on the way. */
interface Candidate {
  readonly within: PositionWithin;
  readonly document: PresentRow | undefined;
  /** What the commit did to it. */
  readonly did: readonly DocumentEvent[];
  readonly erased: ErasedPlace | undefined;
  /** How many of its items were sent already. */
  readonly told: number;
}

/** Behind some of the items of one document. */
function amid({ within }: Candidate, told: number): PositionWithin {
  return { part: within.part, document: within.document - 1, seen: told };
}

/** Where a listing begins. @param end the position of now */
export function beginListing(end: FeedPosition): FeedPosition {
  return { ...end, within: { part: listedByPlaces, document: 0, seen: 0 } };
}

/**
 * One step of the way through the events, in order. A view is good for one turn of the event loop, and so is this.
 */
export class FeedWalk {
  readonly #tables: Tables;
  readonly #present: Reach;
  readonly #reaches: PastReaches;
  readonly #within: Location;
  readonly #isCarried: boolean;
  readonly #places: Places;
  readonly #secret: string;
  readonly #now: number;
  #work = 0;
  #past: { readonly activity: number; readonly reach: PastReach } | undefined;
  #moves: { readonly since: number; readonly moves: readonly FolderRelocation[] } | undefined;

  /** @param isCarried whether the place is the folder that is there now, also where it was before it moved */
  constructor(view: View, reaches: PastReaches, within: Location, isCarried = false) {
    this.#tables = view.tables;
    this.#present = view.reach;
    this.#reaches = reaches;
    this.#within = within;
    this.#isCarried = isCarried;
    this.#places = new Places(view.tables);
    this.#secret = readFeedSecret(view.tables);
    this.#now = view.tables.feed.lastMoment();
  }

  /** @param enough changes that are enough. */
  read(from: FeedPosition, kinds: ReadonlySet<ChangeKind> | null, enough: number): FeedStep {
    const found: FoundChange[] = [];
    let position = from;
    if (!this.#reaches.prepare(this.#tables, from.activity)) return { found, position, isCurrent: false };
    while (this.#work < workInStep) {
      position = this.#skipUnreached(position);
      const event = this.#nextEvent(position);
      if (event === undefined) return { found, position, isCurrent: true };
      this.#work += 1;
      let isBroken = false;
      let before = position;
      for (const candidate of this.#candidates(event, position.within)) {
        this.#work += 1;
        const behind = { ...position, within: candidate.within };
        const all = this.#classify(event, candidate);
        for (const [index, classified] of all.entries()) {
          if (index < candidate.told) continue;
          const isLast = index === all.length - 1;
          const at = isLast ? behind : { ...position, within: amid(candidate, index + 1) };
          const isAsked = kinds?.has(classified.kind) !== false;
          if (isAsked) found.push({ ...this.#identify(event, candidate, classified), before, position: at });
          before = at;
        }
        before = behind;
        if (found.length >= enough || this.#work >= workInStep) {
          position = behind;
          isBroken = true;
          break;
        }
      }
      if (isBroken) break;
      position =
        event.type === 'listing'
          ? { ...position, within: null }
          : { moment: Math.max(position.moment, event.moments.after), activity: event.activity, within: null };
    }
    return { found, position, isCurrent: false };
  }

  #identify(
    event: FeedEvent,
    { document, erased: gone }: Candidate,
    classified: ClassifiedEvent,
  ): Omit<FoundChange, 'before' | 'position'> {
    const documentId = document?.id ?? gone?.documentId ?? '';
    // A listing's own moment would show in the ids of a second one whether anything happened out of reach.
    const key = event.type === 'listing' ? `l${document?.sequence ?? 0}` : event.key;
    const hash = createHmac('sha256', this.#secret).update(JSON.stringify([classified.kind, documentId, key]));
    const id = hash.digest('base64url').slice(0, 22);
    const within = this.#withinAt(event.moments.before);
    return { ...classified, id, documentId, document: document?.number ?? null, within };
  }

  /**
   * Nothing is sent to a caller without any reach until a grant or a group gives it one. All up to there goes at once,
   * however much it is: it costs no time.
   */
  #skipUnreached(position: FeedPosition): FeedPosition {
    if (position.within !== null) return position;
    const { reach, subjects } = this.#reachAt(position.activity);
    if (!reach.isEmpty) return position;
    const { activities } = this.#tables;
    const changes = subjects.flatMap((subject) => activities.nextOfSubject(subject, position.activity) ?? []);
    // The commit of a change's moment is sent before it, or with it.
    const until = changes.reduce(
      (first, { moment, number }) =>
        number - 1 < first.activity ? { moment: moment - 1, activity: number - 1 } : first,
      { moment: this.#now, activity: Math.max(position.activity, activities.last()) },
    );
    this.#keep(until.activity);
    return { moment: Math.max(position.moment, until.moment), activity: until.activity, within: null };
  }

  #nextEvent({ moment, activity, within }: FeedPosition): FeedEvent | undefined {
    if (within !== null && within.part >= listedByPlaces) {
      const reach = { before: this.#present, after: this.#present };
      return { type: 'listing', key: 'l', moments: { before: moment, after: moment }, activity, reach };
    }
    const [row] = this.#tables.activities.after(activity, 1);
    const commit = this.#tables.feed.nextMoment(moment);
    if (row !== undefined && (commit === undefined || row.moment < commit)) {
      const shared = { key: `a${row.number}`, moments: { before: moment, after: moment }, activity: row.number };
      if ('document' in row) {
        const { reach } = this.#reachAt(activity);
        this.#keep(row.number);
        return { ...shared, type: 'activity', row, reach: { before: reach, after: reach } };
      }
      return { ...shared, type: 'access', row, reach: this.#reachAround(activity, row) };
    }
    return commit === undefined ? undefined : this.#nextCommit(commit, activity);
  }

  #nextCommit(moment: number, activity: number): FeedEvent {
    const folderMove = this.#tables.feed.folderMoveAt(moment);
    const last = folderMove === undefined ? activity : this.#tables.activities.lastPartOf(moment, activity);
    const before = this.#reachAt(activity).reach;
    const after = this.#reachAt(last).reach;
    const moments = { before: moment - 1, after: moment };
    return { type: 'commit', key: `c${moment}`, moments, activity: last, reach: { before, after }, folderMove };
  }

  /** The reach before and after a change of the row's subject. */
  #reachAround(before: number, { number, subject }: AccessActivity): FeedEvent['reach'] {
    const past = this.#reachAt(before);
    if (!past.concerns(subject)) this.#keep(number);
    return { before: past.reach, after: this.#reachAt(number).reach };
  }

  #reachAt(activity: number): PastReach {
    if (this.#past?.activity !== activity) {
      const reach = this.#reaches.at(this.#tables, activity);
      this.#work += (reach.size + reach.subjects.length) / grantsOfWork;
      this.#past = { activity, reach };
    }
    return this.#past.reach;
  }

  /** The reach stays the same up to there. */
  #keep(activity: number): void {
    if (this.#past !== undefined) this.#past = { activity, reach: this.#past.reach };
  }

  *#candidates(event: FeedEvent, from: PositionWithin | null): Generator<Candidate> {
    const { before, after } = event.reach;
    // A caller without any grant, before and after, pays for no document.
    if (before.isEmpty && after.isEmpty && this.#present.isEmpty) return;
    const parts = this.#partsOf(event);
    if (parts.length === 0) return;
    const affected = findAffected(event, this.#withinAt(event.moments.after), this.#present);
    for (const part of parts) {
      if (from !== null && part < from.part) continue;
      const start = from?.part === part ? from : { part, document: 0, seen: 0 };
      if (part === ofCommit) yield* this.#ofCommit(event, start);
      else if (part === byIds || part === listedByIds) yield* this.#byIds(affected, start);
      else if (part === byPlaces || part === listedByPlaces) yield* this.#byPlaces(event, affected, start);
      else if (part === byDepartures) yield* this.#byDepartures(event, affected, start);
      else yield* this.#erased(event, start);
    }
  }

  #partsOf(event: FeedEvent): readonly number[] {
    switch (event.type) {
      case 'listing':
        return [listedByPlaces, listedByIds];
      case 'activity':
        return [ofCommit];
      case 'access':
        return event.reach.before === event.reach.after ? [] : [byPlaces, byDepartures, byIds, erased];
      case 'commit':
        return event.folderMove === undefined ? [ofCommit, erased] : [byPlaces, byDepartures, byIds, erased];
    }
  }

  /** The documents that the commit names, by their numbers. */
  *#ofCommit(event: FeedEvent, start: PositionWithin): Generator<Candidate> {
    if (event.type === 'activity') {
      if (start.document > 0) return;
      const number = event.row.document;
      yield this.#candidate({ part: start.part, document: number, seen: 0 }, number, []);
      return;
    }
    for (let after = start.document, isAll = false; !isAll;) {
      const page = this.#tables.feed.eventsAt(event.moments.after, after, rowsAtOnce);
      isAll = page.isAll;
      for (const [index, first] of page.events.entries()) {
        if (page.events[index - 1]?.document === first.document) continue;
        const did = page.events.slice(index, index + 3).filter(({ document }) => document === first.document);
        const told = first.document === start.document + 1 ? start.seen : 0;
        yield this.#candidate({ part: start.part, document: first.document, seen: 0 }, first.document, did, told);
        after = first.document;
      }
    }
  }

  *#byIds({ documentIds }: Affected, start: PositionWithin): Generator<Candidate> {
    for (let after = start.document, isOver = documentIds.length === 0; !isOver;) {
      const numbers = this.#tables.feed.numbersOf(documentIds, after, rowsAtOnce);
      for (const number of numbers) yield this.#candidate({ ...start, document: number }, number, []);
      isOver = numbers.length < rowsAtOnce;
      after = numbers.at(-1) ?? after;
    }
  }

  /** The live documents in these places that have not moved themselves since. */
  *#byPlaces(event: FeedEvent, { places, isLoss }: Affected, start: PositionWithin): Generator<Candidate> {
    if (places.length === 0) return;
    const isListing = event.type === 'listing';
    const moved = isListing ? places : followMoves(places, this.#movesAfter(event.moments.after));
    const roots = isLoss ? moved : withoutNested(moved.flatMap((place) => narrow(place, this.#present)));
    for (const passed of walkBelow(this.#tables, roots, this.#findBehind(start, isListing))) {
      const { document: number, behind } = passed;
      const within = { ...start, document: number ?? start.document, seen: this.#now, behind };
      const document = number === null ? undefined : this.#places.find(number);
      yield { within, document, did: [], erased: undefined, told: 0 };
    }
  }

  /** Where to go on: where the last document was when it was looked at. */
  #findBehind({ document, seen, behind }: PositionWithin, isListing: boolean): readonly string[] | null {
    const isMixedUp = !isListing && seen > 0 && this.#tables.feed.lastFolderMove() > seen;
    if (isMixedUp) return null;
    if (behind !== undefined) return behind;
    const row = document === 0 ? undefined : this.#places.find(document);
    const place = row === undefined ? null : this.#places.at(row, seen).location;
    return place === null ? null : segmentsOf(place);
  }

  /** The documents that have moved themselves since, or were deleted. */
  *#byDepartures(event: FeedEvent, affected: Affected, start: PositionWithin): Generator<Candidate> {
    if (affected.places.length === 0) return;
    const { after } = event.moments;
    let key =
      start.seen === 0 ? { moment: after, document: Number.MAX_SAFE_INTEGER } : { ...start, moment: start.seen };
    for (let isOver = false; !isOver;) {
      const rows = this.#tables.feed.departuresAfter(key, rowsAtOnce);
      for (const row of rows) {
        const document = this.#places.find(row.document);
        const isFirst = document !== undefined && this.#places.at(document, after).departure === row.moment;
        const within = { part: start.part, document: row.document, seen: row.moment };
        yield { within, document: isFirst ? document : undefined, did: [], erased: undefined, told: 0 };
        key = row;
      }
      isOver = rows.length < rowsAtOnce;
    }
  }

  *#erased({ type, moments }: FeedEvent, start: PositionWithin): Generator<Candidate> {
    const { feed } = this.#tables;
    for (let after = start.document, isOver = false; !isOver;) {
      const rows =
        type === 'commit'
          ? feed.erasedAt(moments.after, after, rowsAtOnce)
          : feed.erasedDuring(moments.after, after, rowsAtOnce);
      for (const row of rows) {
        yield { within: { ...start, document: row.number }, document: undefined, did: [], erased: row, told: 0 };
      }
      isOver = rows.length < rowsAtOnce;
      after = rows.at(-1)?.number ?? after;
    }
  }

  #candidate(within: PositionWithin, number: number, did: readonly DocumentEvent[], told = 0): Candidate {
    return { within, document: this.#places.find(number), did, erased: undefined, told };
  }

  /** Moves of folders after the moment, in order. */
  #movesAfter(moment: number): readonly FolderRelocation[] {
    if (this.#tables.feed.lastFolderMove() <= moment) return [];
    if (this.#moves === undefined || this.#moves.since > moment) {
      this.#moves = { since: moment, moves: this.#tables.briefs.folderRelocationsAfter(moment) };
    }
    return this.#moves.moves.filter((each) => each.moment > moment);
  }

  #classify(event: FeedEvent, { document, did, erased: gone }: Candidate): ClassifiedEvent[] {
    if (gone !== undefined) return this.#classifyErased(event, gone);
    if (document === undefined) return [];
    const present = this.#places.present(document);
    const isNow = present !== null && this.#reads(this.#present, document.id, present, this.#within);
    // A version of a document that stays hidden changes nothing; neither does a grant on it that is no more.
    const isOnlyWritten = did.length > 0 && did.every((each) => each.did.type === 'written');
    if (!isNow && (isOnlyWritten || event.type === 'activity' || event.type === 'listing')) return [];
    const past = (which: 'before' | 'after'): { place: Location | null; isReadable: boolean } => {
      if (event.type === 'listing') return { place: null, isReadable: which === 'after' };
      const { location } = this.#places.at(document, event.moments[which]);
      const within = this.#withinAt(event.moments[which]);
      return {
        place: location,
        isReadable: location !== null && this.#reads(event.reach[which], document.id, location, within),
      };
    };
    const before = past('before');
    const after = past('after');
    const isLeftInReach =
      before.place !== null &&
      this.#reads(this.#present, document.id, before.place, this.#withinAt(event.moments.before));
    return classifyEvent(event, did, { before, after, isNow, isLeftInReach });
  }

  /** An erased document tells only that it left. */
  #classifyErased(event: FeedEvent, gone: ErasedPlace): ClassifiedEvent[] {
    const { before, after } = event.reach;
    const { documentId: id } = gone;
    const reads = (reach: Reach, scopes: readonly Location[]): boolean =>
      reach.documentIds.includes(id) || scopes.some((scope) => reach.folders.includes(scope));
    // Where it was below a granted place is not known any more, so it is told to readers of a folder below that, too.
    const within = this.#withinAt(event.moments.after);
    const mayBeWithin = gone.scopes.every((scope) => isWithin(scope, within) || isWithin(within, scope));
    if (!mayBeWithin || !reads(before, gone.scopes)) return [];
    const next = event.type === 'commit' ? this.#tables.feed.erasedFrom(gone.erasure, event.moments.after) : gone;
    if (next !== undefined && reads(after, next.scopes)) return [];
    return [{ kind: 'left', at: gone.at, location: null, from: null, version: null, actor: null, message: null }];
  }

  #reads(reach: Reach, documentId: string, place: Location, within: Location): boolean {
    return isWithin(within, place) && mayRead(reach, documentId, place);
  }

  /** Where the consumer's place was after the commit of that moment. */
  #withinAt(moment: number): Location {
    return this.#isCarried ? this.#places.folderAt(this.#within, moment) : this.#within;
  }
}
