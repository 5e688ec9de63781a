import { once } from 'node:events';
import { goesOn, internal, Refusal } from '../domain/refusal.js';
import { eraseDocument, previewErase } from '../operations/documents/erase-document.js';
import { listErasures, readErasure } from '../operations/documents/list-erasures.js';
import { toErasePreviewRecord, toErasureRecord } from '../records/erasure-record.js';
import { meaningOfStep } from '../erase/erase-step.js';
import { inWorkspace, type Command } from './command.js';
import { listPages } from './read-pages.js';

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

/** erase.preview, erase, erasures. */
export const eraseCommands: Readonly<Record<string, Command>> = {
  'erase.preview': inWorkspace(
    async ({ perform }, fields) =>
      toErasePreviewRecord(
        await perform(previewErase, {
          location: fields.location('location'),
          isDeleted: fields.flag('deleted'),
          documentId: fields.optionalText('document'),
        }),
      ),
    absent,
  ),
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
    await Promise.race([finished, stopped]);
    return { ...toErasureRecord(await perform(readErasure, { erasureId: id })), statement };
  }, absent),
  erasures: inWorkspace(({ perform }) => listPages((page) => perform(listErasures, page), toErasureRecord)),
};
