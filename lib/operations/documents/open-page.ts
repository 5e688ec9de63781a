import type { Location } from '../../domain/location.js';
import { listComments, type ListedComments } from '../comments/list-comments.js';
import type { ReadOperation } from '../operation.js';
import { readDocument, type DocumentRead } from './read-document.js';

export interface OpenPageInput {
  readonly location: Location;
  /** Left out: the current one. */
  readonly versionId?: string | undefined;
}

/** A document with what a page shows beside it. */
export interface OpenedPage {
  readonly read: DocumentRead;
  /** The first ones, of all threads. */
  readonly comments: ListedComments;
}

/** Comments that come with the document. */
export const commentsOfPage = 100;

/**
 * A document as a page opens it, in one read and by one record: with its text and its comments. The record says that the
 * page follows the place from then on, too. Reader.
 * @throws Refusal as `readDocument` does
 */
export const openPage: ReadOperation<OpenPageInput, OpenedPage> = {
  kind: 'read',
  name: readDocument.name,
  isHeavy: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location, detail: { with: ['comments', 'changes'] } }),
  async run(context, { location, versionId }) {
    // Both begin in this turn of the event loop, by the same view.
    const listing = { location, which: 'all', versionId, after: '', limit: commentsOfPage } as const;
    const [read, comments] = await Promise.all([
      readDocument.run(context, { location, versionId, withContent: true, withTextState: true }),
      listComments.run(context, listing),
    ]);
    return { read, comments };
  },
  noteResult: ({ read: { document, version } }) => ({ version: version.id, documentId: document.id }),
};
