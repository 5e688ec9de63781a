import type { PreparedContent } from '../../changes/prepare-content.js';
import type { PreparedVersion } from '../../changes/read-sections.js';
import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { conflict, invalidRequest, notFound } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import { findDocument, toDocument } from '../../view/locate.js';
import type { WriteContext } from '../../changes/write-context.js';
import { prepareVersion } from './content.js';
import { createDocument, prepareDocument, type CreateDocumentInput } from './create-document.js';
import { deleteDocument, type Deletion } from './delete-document.js';
import type { AuditNote, WriteOperation } from '../operation.js';
import { isOwnRepeat } from '../own-repeat.js';
import { updateDocument, type UpdateDocumentInput } from './update-document.js';
import { rememberedFor } from '../idempotently.js';

/* Writes that can be sent again without a key of their own: a repeat finds its outcome and is answered with it. */

export interface WrittenText {
  readonly document: Document;
  /** Nothing was written: this very write was already done. */
  readonly isRepeat: boolean;
}

function noteWritten({ document, isRepeat }: WrittenText): AuditNote {
  const note = { version: document.current.id, documentId: document.id };
  return isRepeat ? { ...note, detail: { replayed: true } } : note;
}

/**
 * Refuses a create that would restore a document with the same content, created here by the same principal and deleted
 * by another. The create may be a retry whose first answer was lost, and its sender cannot know of the deletion. It
 * counts as a retry for as long as a key for retries is remembered over REST.
 * @throws Refusal CONFLICT `deleted_since`
 */
function requireNotDeleted({ transaction, author, reach }: WriteContext, location: Location, sha256: string): void {
  const { tables, now } = transaction;
  for (const { number, id, deletedAt, deletedBy } of tables.documents.deletedAt(location)) {
    const first = tables.versions.bySequence(number, 1);
    if (first?.author.id !== author.id || first.sha256 !== sha256 || first.at <= now - rememberedFor) continue;
    if (deletedBy === author.id || !roleContains(reach.roleOn(id, location), 'editor')) continue;
    const by = tables.principals.find(deletedBy);
    throw conflict('deleted_since', 'A document that you made here with this very content was deleted since.', {
      deletedAt,
      ...(by === undefined ? {} : { deletedBy: { id: by.id, kind: by.kind, displayName: by.displayName } }),
    });
  }
}

/**
 * As a create. The same by the same principal again finds it done. Editor. @throws Refusal also CONFLICT
 * `deleted_since`
 */
export const createText: WriteOperation<CreateDocumentInput, WrittenText, PreparedContent> = {
  kind: 'write',
  name: createDocument.name,
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  prepare: prepareDocument,
  run(context, input, content) {
    const found = findDocument(context.transaction.tables, input.location);
    const intended = { parent: null, sha256: content.sha256 };
    if (
      found !== undefined &&
      isOwnRepeat(
        context.transaction.tables,
        { number: found.row.number, current: found.row.current },
        context.author.id,
        intended,
      )
    ) {
      return { document: toDocument(context.transaction.tables, found, context.transaction.now), isRepeat: true };
    }
    if (found === undefined) requireNotDeleted(context, input.location, content.sha256);
    return { document: createDocument.run(context, input, content), isRepeat: false };
  },
  noteResult: noteWritten,
};

export interface ReplaceTextInput extends Omit<UpdateDocumentInput, 'precondition'> {
  /** The version to replace. */
  readonly expected: string;
  /** Whether the writer means to write much less text than before. */
  readonly allowShrink: boolean;
}

/** Bytes from which a text may not lose more than half by mistake. */
const longText = 2048;

/**
 * Replaces a whole document, if it is still the version named by the writer. The same again finds it done. Editor.
 * @throws Refusal as an update does, and INVALID_REQUEST `large_shrink`, `not_text` for a document that is not text
 */
export const replaceText: WriteOperation<ReplaceTextInput, WrittenText, PreparedVersion> = {
  kind: 'write',
  name: updateDocument.name,
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  prepare: (context, { location, content, mediaType }) => prepareVersion(context, location, content, mediaType),
  run(context, { expected, allowShrink, ...input }, content) {
    const { tables, now } = context.transaction;
    const found = findDocument(tables, input.location);
    if (found === undefined) throw notFound();
    const { current } = found.row;
    const intended = { parent: expected, sha256: content.sha256 };
    if (isOwnRepeat(tables, { number: found.row.number, current }, context.author.id, intended)) {
      return { document: toDocument(tables, found, now), isRepeat: true };
    }
    if (current.id === expected && current.kind === 'binary' && content.kind === 'text') {
      throw invalidRequest('not_text', 'The document is not text, and would be lost under one.');
    }
    const isShrink = current.kind === 'text' && current.size > longText && content.size * 2 < current.size;
    if (current.id === expected && isShrink && !allowShrink) {
      throw invalidRequest('large_shrink', 'The new text is less than half of the old one.', {
        bytesBefore: current.size,
        bytes: content.size,
      });
    }
    const precondition = { any: false, versionIds: [expected] } as const;
    return {
      document: updateDocument.run(context, { ...input, precondition, isUtf8: true }, content),
      isRepeat: false,
    };
  },
  noteResult: noteWritten,
};

export interface RemoveTextInput {
  readonly location: Location;
  /** The version to delete. */
  readonly expected: string;
  readonly claimId?: string | undefined;
  readonly message: string | null;
}

export interface RemovedText {
  readonly deletion: Deletion;
  readonly isRepeat: boolean;
}

/**
 * Deletes a document, if it is still the version named by the writer. The same again finds it done. Editor of the
 * document, or of the one deleted there.
 */
export const removeText: WriteOperation<RemoveTextInput, RemovedText> = {
  kind: 'write',
  name: deleteDocument.name,
  needs: ({ location }) => [{ role: 'editor', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run(context, { location, expected, ...more }) {
    const { tables } = context.transaction;
    // The needs above count deleted documents here too. They must give no right to a live one, and a live one out of
    // the caller's hands counts as absent.
    if (findDocument(tables, location) !== undefined && roleContains(context.view.roleAt(location), 'editor')) {
      const precondition = { any: false, versionIds: [expected] } as const;
      return { deletion: deleteDocument.run(context, { location, precondition, ...more }, undefined), isRepeat: false };
    }
    const deleted = tables.documents
      .deletedAt(location)
      .find(({ id }) => roleContains(context.reach.roleOn(id, location), 'editor'));
    if (deleted?.deletedBy !== context.author.id) throw notFound();
    if (tables.versions.bySequence(deleted.number, deleted.sequence)?.id !== expected) throw notFound();
    const { id: documentId, number: documentNumber, deletedAt, commit: versionId } = deleted;
    return { deletion: { documentId, documentNumber, location, deletedAt, versionId }, isRepeat: true };
  },
  noteResult: ({ deletion, isRepeat }) => {
    const note = { version: deletion.versionId, documentId: deletion.documentId };
    return isRepeat ? { ...note, detail: { replayed: true } } : note;
  },
};
