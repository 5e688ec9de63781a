import type { Version } from '../domain/document.js';
import { followHeading } from '../text/follow-heading.js';
import type { Heading } from '../text/outline.js';
import type { ClaimRow } from '../sidecar/tables/claim-table.js';
import { mayHolderEdit, type ClaimedDocument } from '../view/find-claims.js';
import { ClaimedLines } from './claimed-lines.js';
import { readSections, type PlacedSection, type ReadSections, type ReadText } from './read-sections.js';
import type { WriteContext } from './write-context.js';

/** The version that a write replaces. Its headings tell which one the writer renames. */
export interface Replaced {
  readonly version: Version;
  /** Its text, or that of an older version where another writer was faster. */
  readonly read: ReadText | undefined;
}

/** Maximum of bytes that are read within a transaction, since all other writers wait meanwhile. */
const maxBytes = 256 * 1024;

function readHeadings({ transaction }: WriteContext, { version, read }: Replaced): readonly Heading[] {
  if (read?.versionId === version.id) return readSections(read.text)?.headings ?? [];
  if (version.kind !== 'text' || version.size > maxBytes) return [];
  return readSections(transaction.findContent(version)?.toString('utf8'))?.headings ?? [];
}

/** A claim beside the new text. */
interface FollowedClaim {
  readonly claim: ClaimRow;
  /** The heading's id in the new text; null for a claim on the whole document. */
  readonly section: string | null;
  /** Null where it binds the whole document. */
  readonly place: PlacedSection | null;
}

/**
 * Updates the claims on sections of a document for its new text. The writer's own claim follows a heading that this
 * write renames. If the heading is gone, or the text cannot be read, a claim binds the whole document, and it binds the
 * section again once a text has the heading. But where others hold claims there it ends: two claims on the same lines
 * would keep both holders from writing.
 * @param replaced left out where no heading can have been renamed, or nobody knows
 */
export function followSections(
  context: WriteContext,
  document: ClaimedDocument,
  readNext: ReadSections,
  replaced?: Replaced,
): void {
  const { transaction } = context;
  const { claims, activities } = transaction.tables;
  const present = claims.on(document.row.number, transaction.now);
  if (present.every(({ section }) => section === null)) return;
  const renamed = findRenamed(context, present, readNext, replaced);
  const followed = present.map((claim): FollowedClaim => {
    const section = renamed.get(claim.id) ?? claim.section;
    return { claim, section, place: section === null ? null : (readNext()?.find(section) ?? null) };
  });
  const { ended, hidden } = findOverlapping(context, document, followed);
  for (const { claim, section, place } of followed) {
    if (ended.has(claim) || hidden.has(claim)) {
      claims.end(claim.id, transaction.now, context.author.id);
      // Nobody is told the end of a claim that nobody saw: it did not bind.
      if (hidden.has(claim)) continue;
      activities.add({ kind: 'claim_ended', document: document.row.number, actor: context.author.id });
    } else if (section !== null && (section !== claim.section || (place?.digest ?? null) !== claim.sectionDigest)) {
      claims.setSection(claim.id, section, place?.digest ?? null);
    }
  }
}

/** The new ids of headings that the writer has claimed and renames, by the claim's id. */
function findRenamed(
  context: WriteContext,
  present: readonly ClaimRow[],
  readNext: ReadSections,
  replaced: Replaced | undefined,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  const own = present.filter(({ section, holder }) => section !== null && holder.id === context.caller.principalId);
  const after = own.length === 0 ? undefined : readNext()?.headings;
  if (replaced === undefined || after === undefined) return renamed;
  const before = readHeadings(context, replaced);
  for (const { id, section } of own) {
    const heading = before.find((each) => each.id === section);
    const next = heading === undefined ? undefined : followHeading(before, after, heading);
    if (next !== undefined) renamed.set(id, next.id);
  }
  return renamed;
}

/**
 * The claims that cannot stay beside those of other holders: of those that bind, and of those that do not because their
 * holders may not edit at present.
 */
function findOverlapping(
  { transaction: { tables }, caller }: WriteContext,
  document: ClaimedDocument,
  followed: readonly FollowedClaim[],
): { readonly ended: ReadonlySet<ClaimRow>; readonly hidden: ReadonlySet<ClaimRow> } {
  const ended = new Set<ClaimRow>();
  const hidden = new Set<ClaimRow>();
  if (new Set(followed.map(({ claim }) => claim.holder.id)).size < 2) return { ended, hidden };
  const lines = new ClaimedLines();
  /** Holders of the claims that stay, and of those among them that bind the whole document. */
  const holders = new Set<string>();
  const holdersOfAll = new Set<string>();
  const isFree = (taken: ReadonlySet<string>, holder: string): boolean => {
    return taken.size === 0 || (taken.size === 1 && taken.has(holder));
  };
  const keep = ({ claim: { holder }, place }: FollowedClaim): boolean => {
    if (!isFree(holdersOfAll, holder.id)) return false;
    if (place === null ? !isFree(holders, holder.id) : !lines.take(holder.id, place)) return false;
    holders.add(holder.id);
    if (place === null) holdersOfAll.add(holder.id);
    return true;
  };
  const binding = new Map<string, boolean>();
  for (const { claim } of followed) {
    const { id } = claim.holder;
    if (!binding.has(id)) binding.set(id, mayHolderEdit(tables, id, document));
  }
  // A claim that does not bind gives way, then one that is wider than it was taken, then the writer's own: no other has
  // changed.
  const rankOf = ({ claim, place }: FollowedClaim): number =>
    (binding.get(claim.holder.id) === true ? 0 : 4) +
    (place === null ? 2 : 0) +
    (claim.holder.id === caller.principalId ? 1 : 0);
  for (const each of followed.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    if (!keep(each)) (binding.get(each.claim.holder.id) === true ? ended : hidden).add(each.claim);
  }
  return { ended, hidden };
}
