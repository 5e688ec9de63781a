import { formatTime } from '../domain/clock.js';
import { faultOfLocation, nameOf, rootLocation, segmentsOf, type Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { listReachedDocuments } from '../operations/documents/list-reached.js';
import { perform } from '../operations/perform.js';
import { readWhole } from '../operations/documents/read-part.js';
import { readOrRecord } from './tool.js';
import type { RequestContext } from './request-context.js';

const scheme = 'cartulary://doc/';
export const documentTemplate = {
  uriTemplate: `${scheme}{+location}`,
  name: 'document',
  title: 'Document',
  description: 'A document by its whole path from the workspace root.',
};

const pageSize = 100;

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
  readonly size: number;
  readonly annotations: { readonly lastModified: string };
}

/** Where a document is as a resource; slashes stay, all else is percent-encoded. */
function uriOf(location: Location): string {
  return `${scheme}${segmentsOf(location).map(encodeURIComponent).join('/')}`;
}

/** The location in a URI; undefined for a foreign URI, or an impossible location. */
function locationIn(uri: string): Location | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  try {
    const location = decodeURIComponent(uri.slice(scheme.length));
    return faultOfLocation(location) === undefined ? (location as Location) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Refusal NOT_FOUND */
function requireLocation(uri: string): Location {
  const location = locationIn(uri);
  if (location === undefined) throw notFound();
  return location;
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
  const input = { location: rootLocation, isRecursive: true, changedSince: null, after, limit: pageSize };
  const { result } = await perform(workspace, caller, listReachedDocuments, input);
  const resources = result.items.map(({ document: { location, current } }) => ({
    uri: uriOf(location),
    name: nameOf(location),
    title: location,
    mimeType: current.mediaType,
    size: current.size,
    annotations: { lastModified: formatTime(current.at) },
  }));
  return result.next === null ? { resources } : { resources, nextCursor: cursors.seal(result.next, cursorOwner) };
}

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta: { readonly commit: string; readonly role: string };
}

/**
 * A document whole, as a resource.
 * @throws Refusal NOT_FOUND, the same for an impossible URI; INVALID_REQUEST `content_too_large`
 */
export async function readResource(context: RequestContext, uri: string): Promise<ResourceContent> {
  const { workspace, caller } = context;
  const location = await readOrRecord(workspace, caller, readWhole.name, () => requireLocation(uri));
  const read = await perform(workspace, caller, readWhole, { location });
  const { document, role, version, bytes } = read.result;
  const content =
    version.kind === 'text' ? { text: bytes.toString('utf8') } : { blob: Buffer.from(bytes).toString('base64') };
  return { uri, mimeType: version.mediaType, ...content, _meta: { commit: document.current.id, role } };
}
