import { isSameContent } from '../../domain/document.js';
import { nameOf, requireNewLocation, type Location } from '../../domain/location.js';
import { isBuiltOn, type PushedChange, type PushedContent } from '../../changes/push.js';
import type { RefusedFile } from '../../domain/refused-file.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains, type Role } from '../../domain/role.js';
import type { LiveRow } from '../../history/projection.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { fitMediaType } from '../../text/charset.js';
import type { ClaimedDocument } from '../../view/find-claims.js';
import { findDocument, findDocumentId, type FoundDocument } from '../../view/locate.js';
import { View } from '../../view/view.js';
import { requireChangeable } from '../../changes/document-guards.js';
import { AcceptedFiles } from '../../changes/accepted-files.js';
import { guessMediaType } from '../documents/content.js';
import { changedMeanwhile, explainRefusal, tooLarge, twinTaken } from './explain-refusal.js';
import { requirePlace } from '../../changes/location-guards.js';
import { findTwin, requirePortableNames, seeWay } from '../../changes/portable-names.js';
import type { FindAgain } from '../../changes/find-section-again.js';
import type { FollowedTexts } from '../../changes/followed-texts.js';
import type { ReadSections } from '../../changes/read-sections.js';
import type { DecidedFile } from '../../changes/record-event.js';
import type { TreeChangePlan } from '../../changes/record-tree-change.js';
import { reportAccess, requireAcknowledged } from '../../changes/report-access.js';
import type { WriteContext } from '../../changes/write-context.js';

/** What becomes of the documents by one pushed commit, after all checks. */
export interface PushPlan extends TreeChangePlan {
  /** Claimed documents that get a version, with the sections of the new text. */
  readonly claimed: readonly {
    readonly document: ClaimedDocument;
    readonly readNext: ReadSections;
    readonly findAgain: FindAgain;
  }[];
  /** Those of the files that cannot be written as they are. If there are any, nothing is. */
  readonly refused: readonly RefusedFile[];
}

/** Decides about the files of a push, commit by commit. Between two calls, the first of them was written. */
export class PushPlanner {
  readonly #context: WriteContext;
  readonly #followed: FollowedTexts;

  /** @param followed the claimed sections of pushed texts */
  constructor(context: WriteContext, followed: FollowedTexts) {
    this.#context = context;
    this.#followed = followed;
  }

  /** @param commit the client's id of the commit */
  *plan(commit: string, changes: readonly PushedChange[]): Steps<PushPlan> {
    const { transaction, reach } = this.#context;
    // The documents with grants of their own have moved, perhaps.
    const view = new View(transaction.tables, reach, transaction.now);
    const draft = new CommitDraft({ ...this.#context, view }, this.#followed);
    const refused = new Map<PushedChange, RefusedFile>();
    for (const part of ['leave', 'arrive', 'stay'] as const) {
      for (const change of changes) {
        if (refused.has(change)) continue;
        try {
          draft[part](change);
        } catch (error) {
          const location = change.type === 'move' ? change.to : change.location;
          refused.set(change, { location, commit, ...explainRefusal(error) });
        }
        yield;
      }
    }
    return { ...draft.plan, refused: changes.flatMap((change) => refused.get(change) ?? []) };
  }
}

/** The changes of one commit. The leaving documents come first, so that others can take their places. */
class CommitDraft {
  readonly #context: WriteContext;
  readonly #followed: FollowedTexts;
  readonly #leaving = { ids: new Set<string>(), numbers: new Set<number>(), staying: new Map<number, boolean>() };
  readonly #accepted = new AcceptedFiles();
  readonly #moving = new Map<PushedChange, FoundDocument>();
  readonly #files: DecidedFile[] = [];
  readonly #moved: TreeChangePlan['moved'][number][] = [];
  readonly #gone: Location[] = [];
  readonly #claimed: PushPlan['claimed'][number][] = [];
  readonly #live = new Map<string, LiveRow>();

  constructor(context: WriteContext, followed: FollowedTexts) {
    this.#context = context;
    this.#followed = followed;
  }

  get plan(): Omit<PushPlan, 'refused'> {
    return {
      files: this.#files,
      moved: this.#moved,
      gone: this.#gone,
      claimed: this.#claimed,
      known: { live: this.#live },
    };
  }

  /** Deletions, and the old places of moves. @throws Refusal, UnfitFile */
  leave(change: PushedChange): void {
    if (change.type !== 'delete' && change.type !== 'move') return;
    const location = change.type === 'move' ? change.from : change.location;
    const found = this.#requireThere(location, change.before);
    requireChangeable(this.#context, found);
    const { id, number, current } = found.row;
    this.#leaving.ids.add(id);
    this.#leaving.numbers.add(number);
    this.#live.set(id, { number, sequence: current.sequence, location });
    if (change.type === 'move') this.#moving.set(change, found);
    else this.#gone.push(location);
  }

  /** New documents, and the new places of moves. @throws Refusal, UnfitFile */
  arrive(change: PushedChange): void {
    if (change.type === 'create') {
      const { location, content } = change;
      this.#requireRoom(location, content);
      this.#write(location, content, guessMediaType(nameOf(location), content));
      return;
    }
    const found = this.#moving.get(change);
    if (change.type !== 'move' || found === undefined) return;
    const { from, to, content } = change;
    this.#requireRoom(to, content, nameOf(from) === nameOf(to));
    const report = reportAccess(this.#context, { from, to, documentId: found.row.id, travelling: [] });
    requireAcknowledged({ from, to, acknowledged: false }, report);
    this.#moved.push({ documentId: found.row.id, from, to, row: found.row });
    if (content !== null) this.#rewrite(found, to, content);
  }

  /** New versions of documents in their places. @throws Refusal, UnfitFile */
  stay(change: PushedChange): void {
    if (change.type !== 'update') return;
    const { location, content } = change;
    const found = this.#requireThere(location, change.before);
    const { readNext, findAgain } = this.#followIn(found, content);
    requireChangeable(this.#context, found, readNext, findAgain);
    this.#requireSmall(content);
    this.#rewrite(found, location, content);
  }

  /** The document's version; none where the content stays. */
  #rewrite(found: FoundDocument, location: Location, content: PushedContent): void {
    const { row } = found;
    const { current, isClaimed } = row;
    if (isSameContent(content, current)) return;
    if (isClaimed) this.#claimed.push({ document: { row, location }, ...this.#followIn(found, content) });
    this.#write(location, content, fitMediaType(current.mediaType, content));
  }

  #followIn(
    { row }: FoundDocument,
    content: PushedContent,
  ): Pick<PushPlan['claimed'][number], 'readNext' | 'findAgain'> {
    const followed = this.#followed;
    return { readNext: followed.sectionsOf(content), findAgain: followed.findAgainIn(row.current, content) };
  }

  #write(location: Location, content: PushedContent, mediaType: string): void {
    this.#files.push({ location, mediaType, content, prepared: { ...content, deflated: null } });
  }

  /** The document there, if it is in the state that the commit builds on, and the caller may change it. */
  #requireThere(location: Location, before: string): FoundDocument {
    requireEditor(this.#context.view.roleAt(location));
    const found = findDocument(this.#context.transaction.tables, location);
    if (found === undefined || !isBuiltOn(found.row.current, before)) throw changedMeanwhile();
    if (this.#leaving.ids.has(found.row.id)) throw new Error('A pushed commit names a document twice.');
    return found;
  }

  /** Takes the place, if something new may come there. */
  #requireRoom(location: Location, content: PushedContent | null, keepsName = false): void {
    const { view, reach, policy, transaction } = this.#context;
    const occupant = findDocumentId(transaction.tables, location);
    // A grant on a document that leaves gives no right at its place.
    const isLeft = occupant !== undefined && this.#leaving.ids.has(occupant);
    requireEditor(isLeft ? reach.roleIn(location) : view.roleAt(location));
    requireNewLocation(location);
    if (content !== null) this.#requireSmall(content);
    this.#accepted.requireFree(location);
    const steps = requirePlace(this.#context, location, this.#leaving);
    const way = seeWay(view, location, steps);
    const twin = this.#accepted.twinOf(location) ?? findTwin(view, location, this.#leaving, way);
    if (twin !== undefined) throw twinTaken(twin);
    if (policy.portableNames) requirePortableNames(way, location, keepsName);
    this.#accepted.add({ location, sha256: content?.sha256 ?? '' });
  }

  #requireSmall({ size }: PushedContent): void {
    const { largestBlob } = this.#context.policy;
    if (size > largestBlob) throw tooLarge(largestBlob);
  }
}

/** @throws Refusal NOT_FOUND: the same as where nothing is */
function requireEditor(role: Role | undefined): void {
  if (!roleContains(role, 'editor')) throw notFound();
}
