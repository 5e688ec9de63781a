import type { Location } from '../domain/location.js';
import type { PushedChange, PushedCommit } from '../domain/push.js';
import type { Tables } from '../sidecar/tables.js';
import { readSections, type ReadSections } from './follow-section.js';
import { stagedFrom } from './prepare-content.js';

/** A pushed text, and the place that its document has before the push. */
interface ComingText {
  readonly blobOid: string;
  readonly location: Location;
}

/** The names of pushed texts by the number of the document that gets them. */
export type TextsByDocument = ReadonlyMap<number, ReadonlySet<string>>;

/** What a push knows of its texts before its transaction: their claimed sections. */
export interface PushedSections {
  readonly texts: TextsByDocument;
  /** The sections that were read, by the name of the text. Null for a text too long to read. */
  readonly read: ReadonlyMap<string, ReadonlyMap<string, string | null> | null>;
}

/** The texts that come to documents which are there already. Documents are followed from place to place. */
export function findComingTexts(commits: readonly PushedCommit[]): ComingText[] {
  /** Where documents of new places were before the push; null for new documents. */
  let origins = new Map<Location, Location | null>();
  const coming: ComingText[] = [];
  for (const { changes } of commits) {
    origins = follow(origins, changes);
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

function follow(
  before: ReadonlyMap<Location, Location | null>,
  changes: readonly PushedChange[],
): Map<Location, Location | null> {
  const after = new Map(before);
  for (const change of changes) {
    if (change.type === 'create') after.set(change.location, null);
    if (change.type === 'move') {
      after.set(change.to, before.has(change.from) ? (before.get(change.from) ?? null) : change.from);
    }
  }
  return after;
}

/** The sections to read: those that are claimed now in the documents. By the name of the text. */
export function findClaimedSections(
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

/** Reads the sections of one text. */
export function readWanted(text: string, wanted: ReadonlySet<string>): ReadonlyMap<string, string | null> | null {
  const sections = readSections(text);
  return sections === undefined ? null : new Map([...wanted].map((section) => [section, sections.digestOf(section)]));
}

/** Whether every section that is claimed now has been read. */
export function isRead(tables: Tables, now: number, { texts, read }: PushedSections): boolean {
  return [...findClaimedSections(tables, now, texts)].every(([blobOid, sections]) => {
    const found = read.get(blobOid);
    return found === null || (found !== undefined && [...sections].every((section) => found.has(section)));
  });
}

/** The sections of a pushed text. One that was not read counts as gone, so that its claim binds the whole document. */
export function sectionsOf({ read }: PushedSections, blobOid: string): ReadSections {
  const found = read.get(blobOid) ?? undefined;
  return () => (found === undefined ? undefined : { digestOf: (section) => found.get(section) ?? null });
}
