import { Buffer } from 'node:buffer';
import { isVersionId } from '../domain/etag.js';
import { Refusal } from '../domain/refusal.js';
import { parseLabels } from '../operations/documents/content.js';
import type { Folder } from '../domain/document.js';
import { readDocument } from '../operations/documents/read-document.js';
import { searchDocuments, type FoundText, type SearchInput } from '../operations/documents/search-documents.js';
import { searchLines, type LineResults, type SearchLinesInput } from '../operations/documents/search-lines.js';
import { browseFolder, type Entry } from '../operations/folders/browse-folder.js';
import { decodeText } from '../text/charset.js';
import { toDocumentRecord } from '../records/document-record.js';
import { toFolderRecord } from '../records/folder-record.js';
import { toLineRecord } from '../records/line-record.js';
import { toHitRecord } from '../records/search-hit-record.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, type Fields } from './fields.js';
import { cutContent } from './carrier/sent-content.js';

/** Entries of a page of `ls`, each page one read in the audit log. */
const pageSize = 200;
const defaultHits = 20;
const maxHits = 200;
/** Lines on either side of one. */
const maxContext = 5;

const toEntry = (entry: Entry): object =>
  entry.type === 'folder'
    ? { type: 'folder', ...toFolderRecord(entry.folder) }
    : { type: 'document', ...toDocumentRecord(entry.document) };

/** Hands over one level of a folder, page after page. @returns how many entries there are */
async function listFolder({ perform, onProgress, signal }: WorkspaceContext, fields: Fields): Promise<number> {
  const location = fields.folderOrRoot('location');
  let told = 0;
  for (let after: string | null = ''; after !== null;) {
    signal.throwIfAborted();
    const input = { location, order: 'name', after, limit: pageSize } as const;
    const page: Awaited<ReturnType<typeof browseFolder.run>> = await perform(browseFolder, input);
    told += page.items.length;
    if (page.items.length > 0) await onProgress({ entries: page.items.map(toEntry) });
    after = page.next;
  }
  return told;
}

/** The document itself, where the place is none of a folder. @throws the refusal of the folder for any other place */
async function listDocument({ perform, onProgress }: WorkspaceContext, fields: Fields, refusal: Refusal) {
  if (refusal.code !== 'NOT_FOUND' || fields.folderOrRoot('location') === '') throw refusal;
  const { document } = await perform(readDocument, { location: fields.location('location'), withContent: false });
  await onProgress({ entries: [{ type: 'document', ...toDocumentRecord(document) }] });
  return 1;
}

/** Hands over the bytes, a piece at a time: a receiver that does not read holds one piece, and the rest of a small one. */
async function sendBytes(context: WorkspaceContext, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const bytes of content) {
    for (const piece of cutContent(bytes)) {
      context.signal.throwIfAborted();
      await context.onProgress({ bytes: piece.toString('base64') });
    }
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The first lines, through as many pages as it takes: each is one search in the audit log. */
async function findLines(
  { perform, signal }: WorkspaceContext,
  fields: Fields,
  labels: SearchLinesInput['labels'],
  limit: number,
): Promise<object> {
  const match = fields.text('match');
  if (match !== 'exact' && match !== 'pattern') throw badField('match', 'must be exact or pattern');
  const context = fields.optionalCount('context') ?? 0;
  if (context > maxContext) throw badField('context', `must be at most ${maxContext}`);
  const items: object[] = [];
  let position: SearchLinesInput['position'] = null;
  do {
    signal.throwIfAborted();
    const page: LineResults = await perform(searchLines, {
      query: fields.text('words'),
      match,
      location: fields.folderOrRoot('in'),
      labels,
      context,
      limit: limit - items.length,
      position,
      departure: () => signal,
    });
    items.push(...page.items.map(toLineRecord));
    ({ position } = page);
  } while (position !== null && items.length < limit);
  return { items };
}

/** ls, cat, search. Each read is on record as the operator's. */
export const readingCommands: Readonly<Record<string, Command>> = {
  ls: inWorkspace(async (context, fields) => {
    try {
      return { told: await listFolder(context, fields) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { told: await listDocument(context, fields, error) };
    }
  }, 'There is no such folder or document.'),
  cat: inWorkspace(async (context, fields) => {
    const versionId = fields.optionalText('version');
    if (versionId !== undefined && !isVersionId(versionId)) {
      throw badField('version', 'must be the id of a version: 40 hex digits');
    }
    const withContent = !fields.flag('record_only');
    const read = await context.perform(readDocument, {
      location: fields.location('location'),
      versionId,
      withContent,
      withTextState: true,
    });
    const record = toDocumentRecord(read.document, read.version, read.text);
    if (!withContent) return record;
    if (fields.flag('text_only') && read.version.kind === 'binary') return { ...record, is_withheld: true };
    const bytes = read.bytes ?? Buffer.alloc(0);
    // A terminal shows UTF-8. What is long comes as it is.
    const shown = fields.flag('text_only') ? Buffer.from(decodeText(bytes, read.version.mediaType)) : bytes;
    await sendBytes(context, read.openStream === null ? only(shown) : await read.openStream());
    return record;
  }, 'There is no such document, or it has no such version. `cartulary ls` lists what there is.'),
  search: inWorkspace(async (context, fields) => {
    const limit = fields.optionalCount('limit') ?? defaultHits;
    if (limit > maxHits) throw badField('limit', `must be at most ${maxHits}`);
    const label = fields.optionalText('label');
    const labels = label === undefined ? [] : parseLabels([label]);
    if (fields.isThere('match')) return findLines(context, fields, labels, limit);
    const asked = { query: fields.text('words'), location: fields.folderOrRoot('in'), labels };
    const hits: FoundText[] = [];
    const meant: string[] = [];
    const folders: Folder[] = [];
    let position: SearchInput['position'] = null;
    // An answer to a phrase can end early.
    do {
      const input: SearchInput = { ...asked, limit: limit - hits.length, position };
      const found = await context.perform(searchDocuments, input);
      hits.push(...found.hits);
      folders.push(...found.folders);
      meant.push(...found.didYouMean.map(({ word }) => word));
      ({ position } = found);
    } while (hits.length < limit && position !== null);
    return {
      items: hits.map(toHitRecord),
      ...(folders.length === 0 ? {} : { folders: folders.map(toFolderRecord) }),
      ...(meant.length === 0 ? {} : { did_you_mean: meant }),
    };
  }),
};
