import { addComment } from '../operations/comments/add-comment.js';
import { breakClaim } from '../operations/claims/break-claim.js';
import { releaseClaim } from '../operations/claims/release-claim.js';
import { takeClaim } from '../operations/claims/take-claim.js';
import { deleteComment, editComment, resolveThread } from '../operations/comments/change-comment.js';
import { addLabels, removeLabels, setLabels } from '../operations/documents/change-labels.js';
import { compareVersions } from '../operations/history/compare-versions.js';
import { deleteFolder, undeleteFolderInShort } from '../operations/folders/delete-folder.js';
import { listClaims } from '../operations/claims/list-claims.js';
import { listComments } from '../operations/comments/list-comments.js';
import { listHistory } from '../operations/history/list-history.js';
import { readDocument } from '../operations/documents/read-document.js';
import { restoreVersion } from '../operations/documents/restore-version.js';
import { listRevert, revertChangesInShort } from '../operations/history/revert-changes.js';
import { presentBrokenClaim, presentPlacedClaim, presentReleasedClaim, presentTakenClaim } from './present-claim.js';
import {
  presentAddedComment,
  presentDeletedComment,
  presentEditedComment,
  presentListedComment,
  presentThread,
} from './present-comment.js';
import { presentLabels, presentWrittenDocument } from './present-document.js';
import { presentFolderDeletion, presentFolderUndeletion } from './present-folder.js';
import { presentDiff, presentHistoryEntry } from './present-history.js';
import { presentRevert, presentRevertPreview } from './present-revert.js';
import {
  readBreakClaimRequest,
  readListClaimsRequest,
  readReleaseClaimRequest,
  readTakeClaimRequest,
} from './read-claim-request.js';
import {
  readAddCommentRequest,
  readDeleteCommentRequest,
  readEditCommentRequest,
  readListCommentsRequest,
  readResolveThreadRequest,
} from './read-comment-request.js';
import { readDiffRequest, readHistoryRequest, readRestoreRequest } from './read-history-request.js';
import { readLocationRequest } from './read-item-request.js';
import {
  readAddLabelsRequest,
  readLabelsRequest,
  readRemoveLabelRequest,
  readSetLabelsRequest,
} from './read-label-request.js';
import { presentPage } from './read-page.js';
import { readRevertPreviewRequest, readRevertRequest } from './read-revert-request.js';
import { route, type Route } from './route.js';

/**
 * What goes beyond the specification: a client can do without. None of these paths has a location in it, since every
 * path below `/v1/documents/` is a document's.
 */
export const extensionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/history',
    operation: listHistory,
    read: readHistoryRequest,
    present: presentPage(presentHistoryEntry),
  }),
  route({ method: 'GET', path: '/v1/diffs', operation: compareVersions, read: readDiffRequest, present: presentDiff }),
  route({
    method: 'POST',
    path: '/v1/restores',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: restoreVersion,
    read: readRestoreRequest,
    present: presentWrittenDocument,
  }),
  route({
    method: 'POST',
    path: '/v1/folder-deletions',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: deleteFolder,
    read: readLocationRequest,
    present: presentFolderDeletion,
  }),
  route({
    method: 'POST',
    path: '/v1/folder-undeletes',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: undeleteFolderInShort,
    read: readLocationRequest,
    present: presentFolderUndeletion,
  }),
  route({
    method: 'GET',
    path: '/v1/reverts',
    operation: listRevert,
    read: readRevertPreviewRequest,
    present: presentRevertPreview,
  }),
  route({
    method: 'POST',
    path: '/v1/reverts',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: revertChangesInShort,
    read: readRevertRequest,
    present: presentRevert,
  }),
  route({
    method: 'GET',
    path: '/v1/labels',
    operation: readDocument,
    read: readLabelsRequest,
    present: ({ document }) => presentLabels(document),
  }),
  route({
    method: 'POST',
    path: '/v1/labels',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: addLabels,
    read: readAddLabelsRequest,
    present: presentLabels,
  }),
  route({
    method: 'PUT',
    path: '/v1/labels',
    takes: ['json'],
    operation: setLabels,
    read: readSetLabelsRequest,
    present: presentLabels,
  }),
  route({
    method: 'DELETE',
    path: '/v1/labels',
    operation: removeLabels,
    read: readRemoveLabelRequest,
    present: presentLabels,
  }),
  route({
    method: 'GET',
    path: '/v1/claims',
    operation: listClaims,
    read: readListClaimsRequest,
    present: presentPage(presentPlacedClaim),
  }),
  route({
    method: 'POST',
    path: '/v1/claims',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: takeClaim,
    read: readTakeClaimRequest,
    present: presentTakenClaim,
  }),
  route({
    method: 'DELETE',
    path: '/v1/claims',
    operation: releaseClaim,
    read: readReleaseClaimRequest,
    present: presentReleasedClaim,
  }),
  route({
    method: 'POST',
    path: '/v1/claim-breaks',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: breakClaim,
    read: readBreakClaimRequest,
    present: presentBrokenClaim,
  }),
  route({
    method: 'GET',
    path: '/v1/comments',
    operation: listComments,
    read: readListCommentsRequest,
    present: presentPage(presentListedComment),
  }),
  route({
    method: 'POST',
    path: '/v1/comments',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: addComment,
    read: readAddCommentRequest,
    present: presentAddedComment,
  }),
  route({
    method: 'PUT',
    path: '/v1/comments',
    takes: ['json'],
    operation: editComment,
    read: readEditCommentRequest,
    present: presentEditedComment,
  }),
  route({
    method: 'DELETE',
    path: '/v1/comments',
    operation: deleteComment,
    read: readDeleteCommentRequest,
    present: presentDeletedComment,
  }),
  route({
    method: 'PUT',
    path: '/v1/threads',
    takes: ['json'],
    operation: resolveThread,
    read: readResolveThreadRequest,
    present: presentThread,
  }),
];
