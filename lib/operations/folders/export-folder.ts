import type { Readable } from 'node:stream';
import type { AuditExtent } from '../../domain/audit-record.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { Release } from '../../limits/work-limiter.js';
import { sourceOf } from '../../limits/work-limits.js';
import { listFolder, type FolderListing, type ListedDocument } from '../../journal/folder-listing.js';
import { stagedFrom } from '../../changes/prepare-content.js';
import { ExportTally } from './export-tally.js';
import { RevocableStream } from '../revocable-stream.js';
import type { View } from '../../view/view.js';
import { readableExtent } from '../note-extent.js';
import type { ReadContext, ReadOperation } from '../operation.js';

/** One document of an export. Its bytes are opened at their turn. */
export interface ExportedDocument {
  readonly document: ListedDocument;
  open(): Promise<Buffer | Readable>;
}

export interface FolderExport {
  readonly location: Location;
  /** The commit of the whole export. Null in an empty workspace. */
  readonly commit: string | null;
  /** The folders and documents of the caller in it. */
  readonly extent: AuditExtent;
  /**
   * In location order. Each is read on request, so memory stays flat. Opening one is refused once the caller may no
   * longer have it.
   */
  readonly documents: AsyncIterable<ExportedDocument>;
  /** Releases the pinned state. Call it at any end of the export. */
  readonly close: () => void;
}

/**
 * Everything in a folder within the caller's reach. The state is that of this moment, regardless of the export's
 * duration. Reader. Once the caller loses its key or its reach, opening later documents is refused.
 */
export const exportFolder: ReadOperation<{ readonly location: Location }, FolderExport> = {
  kind: 'read',
  name: 'folder.export',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  async run(context, { location }) {
    const { view, workspace, caller } = context;
    if (view.folder(location) === undefined) throw notFound();
    const release = await workspace.workLimits.exports.take(sourceOf(workspace.name, caller));
    try {
      return await beginExport(context, location, release);
    } catch (error) {
      release();
      throw error;
    }
  },
  noteResult: ({ commit, extent }) => ({ ...(commit === null ? {} : { version: commit }), extent }),
  discard: ({ close }) => close(),
};

/** The snapshot decides the content of the export, and it may have had to wait. */
async function beginExport(
  { workspace, caller }: ReadContext,
  location: Location,
  release: Release,
): Promise<FolderExport> {
  const begun: {
    commit?: string | null;
    extent?: AuditExtent;
    revocableStream?: RevocableStream;
    tally?: ExportTally;
  } = {};
  const viewNow = (): View => {
    const view = workspace.view(caller);
    if (view.folder(location) === undefined) throw notFound();
    const context = { workspace, caller, view };
    const commit = workspace.journal.state.head;
    const note = { target: location, ...(commit === null ? {} : { version: commit }) };
    const revocableStream = new RevocableStream(context, exportFolder.name, note);
    const extent = readableExtent(view, location);
    Object.assign(begun, { commit, extent, revocableStream, tally: new ExportTally(context, note) });
    return view;
  };
  const listing = await listFolder(workspace, viewNow, location);
  const { commit = null, extent, revocableStream, tally } = begun;
  if (extent === undefined || revocableStream === undefined || tally === undefined)
    throw new Error('Nothing is listed.');
  const open = async (document: ListedDocument): Promise<Buffer | Readable> => {
    await revocableStream.requireReadable(document);
    const { current } = document;
    if (current.size <= stagedFrom) return tally.add(await workspace.objects.readContent(current));
    return tally.follow(revocableStream.guard(await workspace.objects.streamContent(current), document));
  };
  const close = (): void => {
    listing.close();
    release();
    tally.end();
  };
  return { location, commit, extent, documents: tally.countAll(openEach(listing, open)), close };
}

async function* openEach(
  listing: FolderListing,
  open: (document: ListedDocument) => Promise<Buffer | Readable>,
): AsyncGenerator<ExportedDocument> {
  for (let document = await listing.next(); document !== undefined; document = await listing.next()) {
    const listed = document;
    yield { document: listed, open: () => open(listed) };
  }
}
