import type { Caller } from '../../domain/caller.js';
import type { Clock } from '../../domain/clock.js';
import type { Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import type { PushedChange, PushedCommit, PushedContent } from '../../changes/push.js';
import type { ObjectReader } from '../../journal/object-reader.js';
import { Rests } from '../../scheduling/rests.js';
import type { ClaimRow } from '../../sidecar/tables/claim-table.js';
import type { Tables } from '../../sidecar/tables.js';
import type { View } from '../../view/view.js';
import { FollowedTexts, isReadable } from '../../changes/followed-texts.js';

/** A pushed text, and the place that its document has before the push. */
interface ComingText {
  readonly content: PushedContent;
  readonly location: Location;
}

/** A document that is there already, with the texts that it gets, in their order. */
interface ComingTexts {
  readonly before: Version;
  readonly texts: PushedContent[];
}

/** What a push knows of its texts before its transaction: their claimed sections. */
export interface PushedSections {
  /** By the number of the document. */
  readonly coming: ReadonlyMap<number, ComingTexts>;
  readonly followed: FollowedTexts;
}

/** The texts that come to documents which are there already. Documents are followed from place to place. */
function findComingTexts(commits: readonly PushedCommit[]): ComingText[] {
  /** Where documents of new places were before the push; null for new documents. */
  const origins = new Map<Location, Location | null>();
  const coming: ComingText[] = [];
  for (const { changes } of commits) {
    follow(origins, changes);
    for (const change of changes) {
      if (change.type === 'create' || change.type === 'delete' || change.content === null) continue;
      const { content } = change;
      const place = change.type === 'move' ? change.to : change.location;
      const location = origins.has(place) ? (origins.get(place) ?? null) : place;
      if (location !== null) coming.push({ content, location });
    }
  }
  return coming;
}

function follow(origins: Map<Location, Location | null>, changes: readonly PushedChange[]): void {
  const arriving = changes.flatMap((change): (readonly [Location, Location | null])[] => {
    if (change.type === 'create') return [[change.location, null]];
    if (change.type !== 'move') return [];
    return [[change.to, origins.has(change.from) ? (origins.get(change.from) ?? null) : change.from]];
  });
  for (const [place, origin] of arriving) origins.set(place, origin);
}

/** The documents with claims on their sections, among those that get texts. */
function findClaimed(
  { claims }: Tables,
  now: number,
  coming: PushedSections['coming'],
): (ComingTexts & { readonly claims: readonly ClaimRow[] })[] {
  if (coming.size === 0) return [];
  return [...claims.claimedDocuments(now)].flatMap((document) => {
    const texts = coming.get(document);
    if (texts === undefined) return [];
    const present = claims.on(document, now).filter(({ section }) => section !== null);
    return present.length === 0 ? [] : [{ ...texts, claims: present }];
  });
}

/** Where documents, claims and contents are read before a transaction. */
export interface SectionSource {
  readonly journal: { readonly reader: Tables };
  readonly objects: Pick<ObjectReader, 'readBlob'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Looks for the documents that get the pushed texts, and reads those texts of which sections are claimed, and the ones
 * that they replace. Only what the caller can read is looked at.
 * @param look gives the caller's present view
 * @throws errors of the repository
 */
export async function readPushedSections(
  { journal, objects, clock }: SectionSource,
  caller: Pick<Caller, 'principalId'>,
  look: () => View,
  commits: readonly PushedCommit[],
): Promise<PushedSections> {
  const coming = new Map<number, ComingTexts>();
  let view = look();
  const rests = new Rests();
  for (const { content, location } of findComingTexts(commits)) {
    if (rests.isDue) {
      await rests.take();
      view = look();
    }
    const document = view.document(location);
    if (document === undefined) continue;
    const texts = coming.get(document.number)?.texts ?? new Array<PushedContent>();
    texts.push(content);
    coming.set(document.number, { before: document.current, texts });
  }
  const followed = new FollowedTexts();
  for (const { before, texts, claims } of findClaimed(journal.reader, clock.now(), coming)) {
    await followed.add(objects, caller, claims, before, texts);
  }
  return { coming, followed };
}

/** Whether every section that is claimed now has been read. */
export function isRead(tables: Tables, now: number, { coming, followed }: PushedSections): boolean {
  return findClaimed(tables, now, coming).every(({ texts, claims }) => {
    const sections = claims.flatMap(({ section }) => section ?? []);
    return texts.every((text) => !isReadable(text) || followed.hasRead(text, sections));
  });
}
