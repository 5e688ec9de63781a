import { once } from 'node:events';
import type { Erasure } from '../domain/erasure.js';
import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import { goesOn, internal, Refusal } from '../domain/refusal.js';
import { eraseDocument, previewErase } from '../operations/documents/erase-document.js';
import { listErasures } from '../operations/documents/list-erasures.js';
import { meaningOfStep } from '../erase/erase-step.js';
import { inWorkspace, type Command } from './command.js';
import type { Presented } from './result.js';

const absent =
  'There is no such document. What lives at the location is meant, or what was deleted there with --deleted. An erase ' +
  'that was accepted before goes on: see `cartulary erasures`.';

/** Part of every receipt, since the service cannot reach these copies. */
const statement =
  'Clones, exports and backups that were made before it was final still have it, and cannot be recalled: find them and ' +
  'delete them.';

/** For callers that left before its end. */
const follow =
  'It goes on by itself, in the server or whenever the data is opened next: `cartulary erasures` shows when it is final.';

const pageSize = 200;

function presentErasure(erasure: Erasure): Presented {
  return {
    id: erasure.id,
    requested_at: formatTime(erasure.requestedAt),
    requested_by: erasure.requestedBy,
    versions: erasure.versions,
    comments: erasure.comments,
    bytes: erasure.bytes,
    final_at: formatTimeOrNull(erasure.finalAt),
    hindrance: erasure.hindrance,
  };
}

/** erase.preview, erase, erasures. */
export const eraseCommands: Readonly<Record<string, Command>> = {
  'erase.preview': inWorkspace(async ({ perform }, fields) => {
    const { documentId, deletedAt, created, changed, versions, comments, bytes } = await perform(previewErase, {
      location: fields.location('location'),
      isDeleted: fields.flag('deleted'),
      documentId: fields.optionalText('document'),
    });
    return {
      document: documentId,
      created_at: formatTime(created.at),
      created_by: created.by.displayName,
      changed_at: formatTime(changed.at),
      changed_by: changed.by.displayName,
      deleted_at: formatTimeOrNull(deletedAt),
      versions,
      comments,
      bytes,
    };
  }, absent),
  erase: inWorkspace(async ({ workspace, perform, onProgress, signal }, fields) => {
    const { id } = await perform(eraseDocument, {
      location: fields.location('location'),
      confirmation: fields.text('confirmation'),
      documentId: fields.text('document'),
    });
    const accepted = `It was accepted as ${id}: the document is hidden for good`;
    await onProgress({ step: 'accepted', state: `${accepted}. It is now destroyed in the background.` });
    const finished = workspace.eraser
      .finished(
        id,
        (step) => void onProgress({ step, state: meaningOfStep[step] }),
        (what) => void onProgress({ step: 'waiting', state: what }),
      )
      .catch((error: unknown) => {
        const cause = error instanceof Refusal ? (error.cause ?? error) : error;
        throw internal(new Error(`${(cause as Error).message} ${accepted}. ${follow}`, { cause }));
      });
    const stopped = (signal.aborted ? Promise.resolve() : once(signal, 'abort')).then(() => {
      throw goesOn(`${accepted}. Only the wait for its end was interrupted. ${follow}`);
    });
    return { ...presentErasure(await Promise.race([finished, stopped])), statement };
  }, absent),
  erasures: inWorkspace(async ({ perform }) => {
    const items: Presented[] = [];
    for (let before: number | undefined, more = true; more;) {
      const page: Awaited<ReturnType<typeof listErasures.run>> = await perform(listErasures, {
        before,
        limit: pageSize,
      });
      items.push(...page.items.map((each) => presentErasure({ ...each, hindrance: each.hindrance ?? each.waitsFor })));
      before = Number(page.next);
      more = page.next !== null;
    }
    return { items };
  }),
};
