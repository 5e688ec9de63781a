import { isVersionId } from '../domain/etag.js';
import { formatUnified } from '../text/text-diff.js';
import { compareVersions } from '../operations/history/compare-versions.js';
import { parseMessage } from '../operations/documents/content.js';
import { deleteFolder } from '../operations/folders/delete-folder.js';
import { undeleteFolder } from '../operations/folders/undelete-folder.js';
import { listHistory } from '../operations/history/list-history.js';
import { undeleteDocument } from '../operations/documents/undelete-document.js';
import { retryText } from '../operations/documents/retry-text.js';
import { restoreVersion } from '../operations/documents/restore-version.js';
import { previewRevert, revertChanges } from '../operations/history/revert-changes.js';
import { toTextRecord } from '../records/document-record.js';
import { toHistoryRecord } from '../records/history-record.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, parsePastTime, type Fields } from './fields.js';
import { listPages } from './read-pages.js';
import { readPrincipal } from './read-subject.js';

const noDocument = 'There is no such document, or it has no such version.';
const noFolder = 'There is no such folder, or none was deleted there.';

function readVersion(fields: Fields, name: string): string | undefined {
  const text = fields.optionalText(name);
  if (text !== undefined && !isVersionId(text)) throw badField(name, 'must be the id of a version: 40 hex digits');
  return text;
}

const readRevert = async (context: WorkspaceContext, fields: Fields) => ({
  location: fields.folder('location'),
  principalId: await readPrincipal(context, fields, 'principal'),
  since: parsePastTime('since', fields.text('since'), context.host.clock.now()),
});

/** Commands about documents and folders and their histories. */
export const contentCommands: Readonly<Record<string, Command>> = {
  'document.history': inWorkspace(async ({ perform }, fields) => {
    const location = fields.location('location');
    return listPages((page) => perform(listHistory, { location, ...page }), toHistoryRecord);
  }, noDocument),
  'document.diff': inWorkspace(async ({ perform }, fields) => {
    const { from, to, diff, why, isExtracted } = await perform(compareVersions, {
      location: fields.location('location'),
      fromVersionId: readVersion(fields, 'from'),
      toVersionId: readVersion(fields, 'to'),
    });
    return {
      from: from?.id ?? null,
      to: to.id,
      diff: diff === null ? null : formatUnified(diff),
      ...(isExtracted ? { extracted: true } : {}),
      ...(why === null ? {} : { not_compared_because: why }),
    };
  }, noDocument),
  'document.restore': inWorkspace(async ({ perform }, fields) => {
    const versionId = readVersion(fields, 'version');
    if (versionId === undefined) throw badField('version', 'is missing');
    const location = fields.location('location');
    const message = parseMessage(fields.optionalText('message'));
    const { current } = await perform(restoreVersion, { location, versionId, message });
    return { location, version: current.id, restored: versionId };
  }, noDocument),
  'document.undelete': inWorkspace(async ({ perform }, fields) => {
    const { location, current } = await perform(undeleteDocument, { location: fields.location('location') });
    return { location, version: current.id };
  }, 'No document was deleted at this location.'),
  'document.retry-text': inWorkspace(async ({ perform }, fields) => {
    const { location, text } = await perform(retryText, { location: fields.location('location') });
    return { location, ...toTextRecord(text) };
  }, noDocument),
  'folder.delete': inWorkspace(async ({ perform }, fields) => {
    const result = await perform(deleteFolder, { location: fields.folder('location') });
    return { location: result.location, documents: result.documents, commit: result.versionId };
  }, noFolder),
  'folder.undelete': inWorkspace(async ({ perform }, fields) => {
    const result = await perform(undeleteFolder, { location: fields.folder('location') });
    const { folder, documents, leftAlone, versionId } = result;
    return { location: folder.location, documents, left_alone: leftAlone, commit: versionId };
  }, noFolder),
  'folder.revert': inWorkspace(async (context, fields) => {
    const { perform } = context;
    const input = await readRevert(context, fields);
    const preview = fields.optionalText('apply');
    if (preview === undefined) {
      const { steps, leftAlone, digest } = await perform(previewRevert, input);
      return {
        items: [
          ...steps.map(({ action, location }) => ({ action, location, apply: digest })),
          ...leftAlone.map(({ location, reason }) => ({ action: `none: ${reason}`, location, apply: digest })),
        ],
      };
    }
    const message = parseMessage(fields.optionalText('message'));
    const { steps, leftAlone, versionId } = await perform(revertChanges, { ...input, preview, message });
    return { documents: steps.length, left_alone: leftAlone, commit: versionId };
  }, noFolder),
};
