import type { TextState } from '../../domain/extraction.js';
import type { Location } from '../../domain/location.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import { fileOf } from '../../indexing/file-texts.js';
import type { ReadOperation } from '../operation.js';

export interface RetriedText {
  readonly location: Location;
  /** How far the text is now. */
  readonly text: TextState;
}

/**
 * Has the text of a file made again that could not be made, in the background and in turn. Editor. What waits already
 * goes on waiting, and a text that is there stays: so one try is pending at most, however often this is asked. It
 * changes no document.
 * @throws Refusal INVALID_REQUEST `no_text` for a document whose text is not made of its file
 */
export const retryText: ReadOperation<{ readonly location: Location }, RetriedText> = {
  kind: 'read',
  name: 'document.retry_text',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  async run({ workspace, view }, { location }) {
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const { files } = workspace.texts;
    const file = fileOf(document, document.current);
    if (document.current.kind !== 'binary' || !files.makesText(file.mediaType, file.name)) {
      const message = 'There is nothing to try again: text is not made of this document.';
      throw invalidRequest('no_text', message, { extraction: { state: 'none' } });
    }
    return { location, text: await files.tryAgain(file) };
  },
  noteResult: ({ text }) => ({ detail: { state: text.state } }),
};
