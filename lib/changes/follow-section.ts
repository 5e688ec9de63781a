import type { ClaimRow } from '../sidecar/tables/claim-table.js';
import { claimsOn, mayHolderEdit, type ClaimedDocument } from '../view/find-claims.js';
import { ClaimedLines, findSectionAgain, nobodyKnows, type FindAgain } from './find-section-again.js';
import type { PlacedSection, ReadSections } from './read-sections.js';
import type { WriteContext } from './write-context.js';

/** A claim beside the new text. */
interface FollowedClaim {
  readonly claim: ClaimRow;
  /** The heading's id in the new text; null for a claim on the whole document. */
  readonly section: string | null;
  /** Null where it binds the whole document. */
  readonly place: PlacedSection | null;
}

/**
 * Updates the claims on sections of a document for its new text. A claim follows its section, and the writer's own also a
 * heading that this write renames. If the heading is gone, or the text cannot be read, a claim binds the whole document, and it binds the
 * section again once a text has the heading. But where others hold claims there it ends: two claims on the same lines
 * would keep both holders from writing.
 */
export function followSections(
  context: WriteContext,
  document: ClaimedDocument,
  readNext: ReadSections,
  findAgain: FindAgain = nobodyKnows,
): void {
  const { transaction, caller } = context;
  const { claims, activities } = transaction.tables;
  const present = claimsOn(transaction.tables, document, transaction.now);
  if (present.every(({ section }) => section === null)) return;
  const followed = present.map((claim): FollowedClaim => {
    const section = findSectionAgain(claim, caller, readNext, findAgain);
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
