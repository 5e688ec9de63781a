import { isVersionId, type Precondition } from '../domain/etag.js';
import { nameOf, parentOf, parseFolderLocation, type Location } from '../domain/location.js';
import { conflict, Refusal } from '../domain/refusal.js';
import { parseMediaType, parseMessage } from '../operations/documents/content.js';
import { createDocument } from '../operations/documents/create-document.js';
import { deleteDocument } from '../operations/documents/delete-document.js';
import { readDocument } from '../operations/documents/read-document.js';
import { updateDocument } from '../operations/documents/update-document.js';
import { browseFolder } from '../operations/folders/browse-folder.js';
import { move, rename } from '../operations/folders/relocate.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, type Fields } from './fields.js';

/** The version that a write relies on. @throws Refusal INVALID_REQUEST `bad_field` */
function readIfMatch(fields: Fields): Precondition | undefined {
  const text = fields.optionalText('if_match');
  if (text === undefined) return undefined;
  const id = text.replace(/^"(.*)"$/, '$1');
  if (!isVersionId(id)) throw badField('if_match', 'must be the ETag of a version: 40 hex digits');
  return { any: false, versionIds: [id] };
}

/** The version that is there now; undefined where there is no document. It is a read, and on record as one. */
async function findCurrent({ perform }: WorkspaceContext, location: Location): Promise<Precondition | undefined> {
  try {
    const { version } = await perform(readDocument, { location, withContent: false });
    return { any: false, versionIds: [version.id] };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** The refusal of a new document at a taken place, with the ways on. */
function explainTaken(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.details?.reason !== 'name_taken') return error;
  const message = `${error.message} To replace a document, name the version that you read with --if-match: \`cartulary ls -l\` shows it. --replace replaces the one that is there now.`;
  const { reason, ...details } = error.details;
  return conflict(reason, message, details);
}

/** The refusal of a move that would let more people in: who they are, and the option that agrees. */
function explainWidening(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.details?.reason !== 'access_would_widen') return error;
  const { reason, ...details } = error.details;
  const { gains, digest } = details.report;
  const named = gains.map(({ subject, toRole }) => `${subject.displayName ?? 'a group'} (${toRole ?? 'none'})`);
  const message = `More people would reach this at the new location: ${named.join(', ')}. To move it, add --accept-access ${digest}.`;
  return conflict(reason, message, details);
}

/** Whether a folder is there: then `mv` moves into it, as elsewhere. */
async function isFolder({ perform }: WorkspaceContext, location: Location): Promise<boolean> {
  try {
    await perform(browseFolder, { location, order: 'name', after: '', limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

const absent = 'There is no such document. `cartulary ls` lists what there is.';

/** put, mv, rm. A write refuses where the document is no longer the one that its caller knows. */
export const writingCommands: Readonly<Record<string, Command>> = {
  put: inWorkspace(async (context, fields) => {
    const location = fields.location('location');
    if (context.content === undefined) throw badField('content', 'is missing');
    const mediaType = fields.optionalText('media_type');
    const input = {
      location,
      content: { stream: context.content },
      mediaType: mediaType === undefined ? undefined : parseMediaType(mediaType),
      message: parseMessage(fields.optionalText('message')),
    };
    const given = readIfMatch(fields);
    // Read before the content comes, so that a write of another during a long upload is not overwritten.
    const precondition = given ?? (fields.flag('replace') ? await findCurrent(context, location) : undefined);
    if (precondition !== undefined) {
      const { current } = await context.perform(updateDocument, { ...input, precondition });
      return { location, version: current.id, created: false };
    }
    try {
      const { current } = await context.perform(createDocument, { ...input, labels: [] });
      return { location, version: current.id, created: true };
    } catch (error) {
      throw explainTaken(error);
    }
  }, `${absent} Without --if-match, \`cartulary put\` makes a new one.`),
  mv: inWorkspace(async (context, fields) => {
    const from = fields.location('from');
    const target = fields.text('to');
    const report = fields.optionalText('accept_access');
    const shared = { location: from, acknowledged: report !== undefined, report, precondition: readIfMatch(fields) };
    const place = parseFolderLocation(target, 'to');
    const isInto = place === '' || target.endsWith('/') || (place !== from && (await isFolder(context, place)));
    const to = isInto ? { toFolder: place, name: nameOf(from) } : { toFolder: parentOf(place), name: nameOf(place) };
    const isRename = to.toFolder === parentOf(from);
    try {
      const relocated = await (isRename
        ? context.perform(rename, { ...shared, name: to.name })
        : context.perform(move, { ...shared, ...to }));
      return { from: relocated.from, to: relocated.to, commit: relocated.versionId };
    } catch (error) {
      throw explainWidening(error);
    }
  }, 'There is no such document or folder. `cartulary ls` lists what there is.'),
  rm: inWorkspace(async (context, fields) => {
    const location = fields.location('location');
    const precondition = readIfMatch(fields) ?? (await findCurrent(context, location)) ?? { any: true };
    const { versionId } = await context.perform(deleteDocument, { location, precondition });
    return { location, deleted: true, version: versionId };
  }, 'There is no such document. A folder goes with everything in it by `cartulary folder delete`.'),
};
