import type { Clock } from '../domain/clock.js';
import type { Location } from '../domain/location.js';
import type { PushedChange, PushedCommit } from '../domain/push.js';
import type { ObjectReader } from '../journal/objects.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { Tables } from '../sidecar/tables.js';
import type { View } from '../view/view.js';

import { stagedFrom } from './prepare-content.js';
import { readSections, type PlacedSection, type ReadSections } from './read-sections.js';

/** Places looked up in one turn. */
const placesAtOnce = 100;

/** A pushed text, and the place that its document has before the push. */
interface ComingText {
  readonly blobOid: string;
  readonly location: Location;
}

/** The names of pushed texts by the number of the document that gets them. */
type TextsByDocument = ReadonlyMap<number, ReadonlySet<string>>;

/** What a push knows of its texts before its transaction: their claimed sections. */
export interface PushedSections {
  readonly texts: TextsByDocument;
  /** The sections that were read, by the name of the text. Null for a text too long to read. */
  readonly read: ReadonlyMap<string, ReadonlyMap<string, PlacedSection | null> | null>;
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
      const { blobOid, kind, size } = change.content;
      const place = change.type === 'move' ? change.to : change.location;
      const location = origins.has(place) ? (origins.get(place) ?? null) : place;
      if (location !== null && kind === 'text' && size <= stagedFrom) coming.push({ blobOid, location });
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

/** The sections to read: those that are claimed now in the documents. By the name of the text. */
function findClaimedSections(
  { claims }: Tables,
  now: number,
  texts: TextsByDocument,
): ReadonlyMap<string, ReadonlySet<string>> {
  const wanted = new Map<string, Set<string>>();
  for (const document of texts.size === 0 ? [] : claims.claimedDocuments(now)) {
    const blobs = texts.get(document);
    const sections = blobs === undefined ? [] : claims.on(document, now).flatMap(({ section }) => section ?? []);
    if (sections.length === 0) continue;
    for (const blobOid of blobs ?? []) wanted.set(blobOid, new Set([...(wanted.get(blobOid) ?? []), ...sections]));
  }
  return wanted;
}

/** Where documents, claims and contents are read before a transaction. */
export interface SectionSource {
  readonly journal: { readonly reader: Tables };
  readonly objects: Pick<ObjectReader, 'readBlob'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Looks for the documents that get the pushed texts, and reads those texts of which sections are claimed. Only what the
 * caller can read is looked at.
 * @param look gives the caller's present view
 * @throws errors of the repository
 */
export async function readPushedSections(
  { journal, objects, clock }: SectionSource,
  look: () => View,
  commits: readonly PushedCommit[],
): Promise<PushedSections> {
  const texts = new Map<number, Set<string>>();
  let view = look();
  for (const [index, { blobOid, location }] of findComingTexts(commits).entries()) {
    if (index % placesAtOnce === placesAtOnce - 1) {
      await yieldToLoop();
      view = look();
    }
    const document = view.document(location)?.number;
    if (document !== undefined) texts.set(document, (texts.get(document) ?? new Set()).add(blobOid));
  }
  const read = new Map<string, ReadonlyMap<string, PlacedSection | null> | null>();
  for (const [blobOid, wanted] of findClaimedSections(journal.reader, clock.now(), texts)) {
    const sections = readSections((await objects.readBlob(blobOid)).toString('utf8'));
    const found = [...wanted].map((section) => [section, sections?.find(section) ?? null] as const);
    read.set(blobOid, sections === undefined ? null : new Map(found));
    await yieldToLoop();
  }
  return { texts, read };
}

/** Whether every section that is claimed now has been read. */
export function isRead(tables: Tables, now: number, { texts, read }: PushedSections): boolean {
  return [...findClaimedSections(tables, now, texts)].every(([blobOid, sections]) => {
    const found = read.get(blobOid);
    return found === null || (found !== undefined && [...sections].every((section) => found.has(section)));
  });
}

/** The sections of each pushed text. One that was not read counts as gone, so that its claim binds the whole document. */
export function sectionsOf({ read }: PushedSections): (blobOid: string) => ReadSections {
  return (blobOid) => {
    const found = read.get(blobOid) ?? undefined;
    return () => (found === undefined ? undefined : { find: (section) => found.get(section) ?? null });
  };
}
