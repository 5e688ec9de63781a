import { addComment } from '../operations/comments/add-comment.js';
import { breakClaim } from '../operations/claims/break-claim.js';
import { releaseClaim } from '../operations/claims/release-claim.js';
import { renewClaim } from '../operations/claims/renew-claim.js';
import { takeClaim } from '../operations/claims/take-claim.js';
import { deleteComment, editComment, resolveThread } from '../operations/comments/change-comment.js';
import { addLabels, removeLabels, setLabels } from '../operations/documents/change-labels.js';
import { listClaims } from '../operations/claims/list-claims.js';
import { listComments } from '../operations/comments/list-comments.js';
import { readDocument } from '../operations/documents/read-document.js';
import { toClaimRecord, toPlacedClaimRecord } from '../records/claim-record.js';
import { toCommentRecord, toListedCommentRecord, toResolutionRecord } from '../records/comment-record.js';
import { toLabelsRecord } from '../records/label-record.js';
import { inWorkspace, type Command } from './command.js';
import { badField, parseDuration, type Fields } from './fields.js';
import { listPages } from './read-pages.js';
import { readSubjectIds } from './read-subject.js';

const noDocument = 'There is no such document.';
const noClaim = 'There is no such claim of the operator. `cartulary claim list` shows those in force.';
const noComment = 'There is no such comment on this document, or it is not the operator’s.';

const readLocation = (fields: Fields) => fields.location('location');

/** A duration such as `30m`, in whole seconds. */
function readSeconds(fields: Fields): number | undefined {
  const text = fields.optionalText('for');
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration === undefined) throw badField('for', 'must be a duration such as 30m (s, m, h, d, w)');
  return duration / 1000;
}

/** A list given as one text with commas between; no label and no id contains a comma. */
function readList(fields: Fields, name: string): string[] {
  const text = fields.optionalText(name) ?? '';
  return text.trim() === '' ? [] : text.split(',').map((item) => item.trim());
}

const readLabels = (fields: Fields) => ({ location: readLocation(fields), labels: readList(fields, 'labels') });

/** Commands about claims, comments and labels. Their caller acts as the operator. */
export const annotationCommands: Readonly<Record<string, Command>> = {
  'claim.list': inWorkspace(async ({ perform }, fields) => {
    const location = fields.folderOrRoot('location');
    return listPages((page) => perform(listClaims, { location, ...page }), toPlacedClaimRecord);
  }),
  'claim.take': inWorkspace(async ({ perform }, fields) => {
    const location = readLocation(fields);
    const section = fields.optionalText('section');
    const purpose = fields.optionalText('purpose');
    const { claim, renewed } = await perform(takeClaim, { location, section, seconds: readSeconds(fields), purpose });
    return { ...toPlacedClaimRecord(claim), renewed };
  }, noDocument),
  'claim.renew': inWorkspace(async ({ perform }, fields) => {
    const input = { claimId: fields.text('claim'), seconds: readSeconds(fields) };
    return toClaimRecord((await perform(renewClaim, input)).claim);
  }, noClaim),
  'claim.release': inWorkspace(async ({ perform }, fields) => {
    const { claim } = await perform(releaseClaim, { claimId: fields.text('claim') });
    return { id: claim.id, released: true };
  }, noClaim),
  'claim.break': inWorkspace(async ({ perform }, fields) => {
    const location = readLocation(fields);
    const { claim } = await perform(breakClaim, { location, claimId: fields.text('claim') });
    return { id: claim.id, location, broken: true };
  }, 'There is no such claim on this document.'),
  'comment.list': inWorkspace(async ({ perform }, fields) => {
    const location = readLocation(fields);
    const which = fields.flag('open') ? 'open' : 'all';
    return listPages((page) => perform(listComments, { location, which, ...page }), toListedCommentRecord);
  }, noDocument),
  'comment.add': inWorkspace(async (context, fields) => {
    const { perform } = context;
    const quote = fields.optionalText('quote');
    const { comment } = await perform(addComment, {
      location: readLocation(fields),
      text: fields.text('text'),
      passage: quote === undefined ? undefined : { quote },
      threadId: fields.optionalText('thread'),
      mentions: (await readSubjectIds(context, fields, 'mention', ['principal'])) ?? [],
    });
    return toCommentRecord(comment);
  }, 'There is no such document, or no such thread on it.'),
  'comment.edit': inWorkspace(async (context, fields) => {
    const { perform } = context;
    const { comment } = await perform(editComment, {
      location: readLocation(fields),
      commentId: fields.text('comment'),
      text: fields.text('text'),
      mentions: (await readSubjectIds(context, fields, 'mention', ['principal'])) ?? [],
    });
    return toCommentRecord(comment);
  }, noComment),
  'comment.delete': inWorkspace(async ({ perform }, fields) => {
    const input = { location: readLocation(fields), commentId: fields.text('comment') };
    const { commentId } = await perform(deleteComment, input);
    return { id: commentId, deleted: true };
  }, 'There is no such comment on this document.'),
  'comment.resolve': inWorkspace(async ({ perform }, fields) => {
    const { threadId, resolved } = await perform(resolveThread, {
      location: readLocation(fields),
      threadId: fields.text('thread'),
      resolved: !fields.flag('reopen'),
    });
    return { id: threadId, resolved: toResolutionRecord(resolved) };
  }, 'There is no such thread on this document.'),
  'label.list': inWorkspace(async ({ perform }, fields) => {
    const { document } = await perform(readDocument, { location: readLocation(fields), withContent: false });
    return toLabelsRecord(document);
  }, noDocument),
  'label.add': inWorkspace(
    async ({ perform }, fields) => toLabelsRecord(await perform(addLabels, readLabels(fields))),
    noDocument,
  ),
  'label.remove': inWorkspace(
    async ({ perform }, fields) => toLabelsRecord(await perform(removeLabels, readLabels(fields))),
    noDocument,
  ),
  'label.set': inWorkspace(
    async ({ perform }, fields) => toLabelsRecord(await perform(setLabels, readLabels(fields))),
    noDocument,
  ),
};
