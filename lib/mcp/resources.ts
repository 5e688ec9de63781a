import { formatTime } from '../domain/clock.js';
import { rootLocation } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { listReachedDocuments, type ReachedDocument } from '../operations/documents/list-reached.js';
import { perform } from '../operations/perform.js';
import { readContent } from '../operations/documents/read-part.js';
import { fitPage } from './answer-room.js';
import { documentScheme, placeIn, uriOf, type Addressed } from './resource-address.js';
import { readOrRecord } from './tool.js';
import type { RequestContext } from './request-context.js';

export const documentTemplate = {
  uriTemplate: `${documentScheme}{+location}`,
  name: 'document',
  title: 'Document',
  description:
    'A document by its whole path from the workspace root. A long text comes in parts; a list names the first 1,000.',
};

const pageSize = 100;
/** Documents in a list, on all its pages: programs page to the end, and the tools find the others. */
const maxListed = 1000;
/** Characters of a text in one answer. */
const resourceRoom = 60_000;

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly annotations: { readonly lastModified: string };
}

/** @throws Refusal NOT_FOUND */
function requirePlace(uri: string): Addressed {
  const place = placeIn(uri);
  if (place === undefined || place.startLine === 0 || place.startColumn === 0) throw notFound();
  return place;
}

/**
 * A page of the documents within the caller's reach.
 * @throws Refusal INVALID_REQUEST `bad_cursor`
 */
export async function listResources(
  context: RequestContext,
  cursor: string | undefined,
): Promise<{ readonly resources: ListedResource[]; readonly nextCursor?: string }> {
  const { workspace, caller, cursors, owner } = context;
  const cursorOwner = { credential: `${workspace.name}/${owner}`, route: 'mcp resources/list', query: {} };
  const after = await readOrRecord(workspace, caller, listReachedDocuments.name, () =>
    cursor === undefined ? '' : cursors.open(cursor, cursorOwner),
  );
  const [listed = '0', last = ''] = after === '' ? [] : splitOnce(after);
  const input = { location: rootLocation, isRecursive: true, changedSince: null, after: last, limit: pageSize };
  const { result } = await perform(workspace, caller, listReachedDocuments, input);
  const { shown, next } = fitPage(result, presentListed, ({ document }) => document.location);
  const resources = shown as ListedResource[];
  const count = Number(listed) + resources.length;
  if (next === null || count >= maxListed) return { resources };
  const position = `${String(count).padStart(4, '0')} ${next}`;
  return { resources, nextCursor: cursors.seal(position, cursorOwner) };
}

/** The number of the resources listed so far, and the last of them. */
function splitOnce(position: string): [string, string] {
  const at = position.indexOf(' ');
  return [position.slice(0, at), position.slice(at + 1)];
}

function presentListed({ document: { location, current } }: ReachedDocument): ListedResource {
  return {
    uri: uriOf(location),
    name: location,
    mimeType: current.mediaType,
    size: current.size,
    annotations: { lastModified: formatTime(current.at) },
  };
}

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: { readonly commit: string; readonly role: string };
}

/**
 * A document as a resource, or a part of a long text with the address of the next one.
 * @throws Refusal NOT_FOUND, the same for an impossible URI; INVALID_REQUEST `content_too_large`, `bad_field` for a part
 * behind the end; CONFLICT `stale_if_match` for the rest of an older version
 */
export async function readResource(context: RequestContext, uri: string): Promise<readonly ResourceContent[]> {
  const { workspace, caller } = context;
  const place = await readOrRecord(workspace, caller, readContent.name, () => requirePlace(uri));
  const { result } = await perform(workspace, caller, readContent, { ...place, maxChars: resourceRoom });
  const { document, role, version, shown, bytes } = result;
  const known = { commit: document.current.id, role };
  const mimeType = version.mediaType;
  const part = shown?.part;
  if (part === undefined) return [{ uri, mimeType, blob: Buffer.from(bytes ?? []).toString('base64'), _meta: known }];
  const read = { uri, mimeType, text: part.text, _meta: known };
  if (part.nextLine === null) return [read];
  const rest = `?commit=${document.current.id}&start_line=${part.nextLine}&start_column=${part.nextColumn ?? 1}`;
  const notice = `The text goes on at line ${part.nextLine} of ${shown?.totalLines ?? 0}: read this address.`;
  return [read, { uri: `${uriOf(document.location)}${rest}`, mimeType: 'text/plain', text: notice }];
}
