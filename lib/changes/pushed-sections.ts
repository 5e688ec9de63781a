import type { Location } from '../domain/location.js';
import type { PushedChange, PushedCommit } from '../domain/push.js';
import type { Tables } from '../sidecar/tables.js';
import { findDocumentById } from '../view/locate.js';
import { readSections, type ReadSections } from './follow-section.js';
import { stagedFrom } from './prepare-content.js';

/** The claimed sections of pushed texts, by the name of the text. Null for a text too long to read. */
export type PushedSections = ReadonlyMap<string, ReadonlyMap<string, string | null> | null>;

/**
 * The sections to read in pushed texts: those that are claimed in the documents that get these texts. It starts from the
 * claims, because they are few. A claimed document is followed from place to place.
 */
export function findClaimedSections(
  tables: Tables,
  now: number,
  commits: readonly PushedCommit[],
): ReadonlyMap<string, ReadonlySet<string>> {
  let claimed = new Map<Location, Set<string>>();
  for (const { document, section } of tables.claims.active(now)) {
    if (section === null) continue;
    const row = tables.documents.byNumber(document);
    const found = row === undefined ? undefined : findDocumentById(tables, row.id);
    if (found === undefined) continue;
    claimed.set(found.location, (claimed.get(found.location) ?? new Set()).add(section));
  }
  const wanted = new Map<string, Set<string>>();
  for (const { changes } of claimed.size === 0 ? [] : commits) {
    claimed = follow(claimed, changes);
    for (const change of changes) {
      if (change.type === 'delete' || change.content === null) continue;
      const { blobOid, kind, size } = change.content;
      const sections = claimed.get(change.type === 'move' ? change.to : change.location);
      if (sections === undefined || kind !== 'text' || size > stagedFrom) continue;
      wanted.set(blobOid, new Set([...(wanted.get(blobOid) ?? []), ...sections]));
    }
  }
  return wanted;
}

function follow(claimed: Map<Location, Set<string>>, changes: readonly PushedChange[]): Map<Location, Set<string>> {
  const after = new Map(claimed);
  for (const change of changes) {
    if (change.type === 'delete') after.delete(change.location);
    if (change.type === 'move') after.delete(change.from);
  }
  for (const change of changes) {
    const sections = change.type === 'move' ? claimed.get(change.from) : undefined;
    if (change.type === 'move' && sections !== undefined) after.set(change.to, sections);
  }
  return after;
}

/** Reads the sections of one text. */
export function readWanted(text: string, wanted: ReadonlySet<string>): ReadonlyMap<string, string | null> | null {
  const sections = readSections(text);
  return sections === undefined ? null : new Map([...wanted].map((section) => [section, sections.digestOf(section)]));
}

/** Whether every section to read has been read. */
export function isRead(wanted: ReadonlyMap<string, ReadonlySet<string>>, read: PushedSections): boolean {
  return [...wanted].every(([blobOid, sections]) => {
    const found = read.get(blobOid);
    return found === null || (found !== undefined && [...sections].every((section) => found.has(section)));
  });
}

/** The sections of a pushed text. One that was not read counts as gone, so that its claim binds the whole document. */
export function sectionsOf(read: PushedSections, blobOid: string): ReadSections {
  const found = read.get(blobOid) ?? undefined;
  return () => (found === undefined ? undefined : { digestOf: (section) => found.get(section) ?? null });
}
