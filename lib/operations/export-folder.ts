import type { Readable } from 'node:stream';
import type { Document } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { stagedFrom } from '../workspace/prepare-content.js';
import { pinView } from '../workspace/pin-view.js';
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
  /** In location order, each read as it is asked for, so that memory stays flat. */
  readonly documents: Iterable<ExportedDocument>;
  /** Gives free what keeps the state pinned; to be called however it ends. */
  readonly close: () => void;
}

/** Everything in a folder that the caller reaches, as it is at this moment however long the export takes. Reader. */
export const exportFolder: ReadOperation<{ readonly location: Location }, FolderExport> = {
  kind: 'read',
  name: 'folder.export',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run({ view, workspace }, { location }) {
    if (view.folder(location) === undefined) throw notFound();
    const commit = workspace.journal.state.head;
    const pinned = pinView(workspace.journal.sidecar, view.reach, view.now);
    return {
      location,
      commit,
      documents: openEach(pinned.view.walk(location), (document) =>
        document.current.size > stagedFrom
          ? workspace.objects.streamBlob(document.current.blobOid)
          : workspace.objects.readBlob(document.current.blobOid),
      ),
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
