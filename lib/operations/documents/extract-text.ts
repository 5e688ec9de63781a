import type { TextLack } from '../../domain/extraction.js';
import { notFound, unavailable } from '../../domain/refusal.js';
import { ChildLost } from '../../extraction/child-process.js';
import { fileOf } from '../../indexing/file-texts.js';
import { sourceOf } from '../../limits/work-limits.js';
import type { ReadContext } from '../operation.js';
import type { DocumentRead } from './read-document.js';

/** The text that was made of a file. */
export interface FoundText {
  /** As Markdown, with a heading for each part. */
  readonly text: string;
  /** Whether the file holds more text. */
  readonly isCut: boolean;
}

/**
 * The text that was made of the file of a document. Where none is there, it is made, as one of the reader's computations.
 * The caller's reach is looked at again afterwards, since that may take seconds.
 * @throws Refusal NOT_FOUND where the caller reaches the document no more; RATE_LIMITED, UNAVAILABLE
 */
export async function extractText(context: ReadContext, read: DocumentRead): Promise<FoundText | TextLack> {
  const { workspace, caller } = context;
  const { document, version } = read;
  const { files } = workspace.texts;
  if (!files.makesText(version.mediaType, document.name)) return { state: 'none' };
  const file = fileOf(document, version);
  const known = await files.find(file);
  if (known !== undefined) return 'reason' in known ? { state: 'failed', reason: known.reason } : known;
  const release = await workspace.workLimits.computations.take(sourceOf(workspace.name, caller));
  try {
    const made = await files.make(file).catch((error: unknown) => {
      if (error instanceof ChildLost) return null;
      throw error;
    });
    if (workspace.view(caller).documentById(document.id) === undefined) throw notFound();
    if (made === null) throw unavailable();
    return 'reason' in made ? { state: 'failed', reason: made.reason } : made;
  } finally {
    release();
  }
}
