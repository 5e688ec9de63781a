import type { Readable } from 'node:stream';
import type { Document } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { stagedFrom } from '../workspace/prepare-content.js';
import { pinView } from '../workspace/pin-view.js';
import { HandOut } from './hand-out.js';
import type { ReadOperation } from './operation.js';

/** One document of an export, its bytes opened when their turn comes. */
export interface ExportedDocument {
  readonly document: Document;
  open(): Promise<Buffer | Readable>;
}

export interface FolderExport {
  readonly location: Location;
  /** The commit that all of it belongs to; null in an empty workspace. */
  readonly commit: string | null;
  /**
   * In location order, each read as it is asked for, so that memory stays flat. Opening one is refused once the caller
   * may not have it any more.
   */
  readonly documents: Iterable<ExportedDocument>;
  /** Gives free what keeps the state pinned; to be called however it ends. */
  readonly close: () => void;
}

/**
 * Everything in a folder that the caller reaches, as it is at this moment however long the export takes. Reader.
 * Where the caller loses its key or its reach meanwhile, opening what comes then is refused.
 */
export const exportFolder: ReadOperation<{ readonly location: Location }, FolderExport> = {
  kind: 'read',
  name: 'folder.export',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run(context, { location }) {
    const { view, workspace } = context;
    if (view.folder(location) === undefined) throw notFound();
    const handOut = new HandOut(context, exportFolder.name, { target: location });
    const commit = workspace.journal.state.head;
    const pinned = pinView(workspace.journal.sidecar, view.reach, view.now);
    return {
      location,
      commit,
      documents: openEach(pinned.view.walk(location), async (document) => {
        await handOut.requireReadable(document);
        const { current } = document;
        if (current.size <= stagedFrom) return workspace.objects.readContent(current);
        return handOut.guard(await workspace.objects.streamContent(current), document);
      }),
      close: pinned.close,
    };
  },
  discard: ({ close }) => close(),
};

function* openEach(
  documents: Iterable<Document>,
  open: (document: Document) => Promise<Buffer | Readable>,
): Generator<ExportedDocument> {
  for (const document of documents) yield { document, open: () => open(document) };
}
