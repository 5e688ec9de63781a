import type { Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { ReadOperation } from '../operation.js';
import { readDocument, type DocumentRead, type ReadDocumentInput } from './read-document.js';

export interface ShowImageInput extends ReadDocumentInput {
  /** The document whose page shows the image, by the word of the page: it may be a new one that is not stored yet. */
  readonly within: Location;
}

const isImage = ({ mediaType }: Pick<Version, 'mediaType'>): boolean => mediaType.startsWith('image/');

/**
 * Reads an image that a page shows by itself. Who wrote the page chose it, not who looks at it, so the record names the
 * page, and nothing but images is given out. Reader of it.
 * @throws Refusal NOT_FOUND, also for a document that is no image; as `readDocument`
 */
export const showImage: ReadOperation<ShowImageInput, DocumentRead> = {
  ...readDocument,
  name: 'document.show_image',
  note: ({ location, within }) => ({ target: location, detail: { within } }),
  run(context, input) {
    const document = context.view.document(input.location);
    if (document === undefined || !isImage(document.current)) throw notFound();
    return readDocument.run(context, input);
  },
};
