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

/** A version whose text is wanted. */
type ReadVersion = Pick<DocumentRead, 'document' | 'version'>;

/**
 * The text that was made of the file of a document. Where none is there, it is made, as one of the reader's computations.
 * The caller's reach is looked at again afterwards, since that may take seconds.
 * @throws Refusal NOT_FOUND where the caller reaches the document no more; RATE_LIMITED, UNAVAILABLE
 */
export async function extractText(context: ReadContext, read: ReadVersion): Promise<FoundText | TextLack> {
  const known = await findKnown(context, read);
  if (known !== undefined) return known;
  const { workspace, caller } = context;
  const release = await workspace.workLimits.computations.take(sourceOf(workspace.name, caller));
  try {
    return await makeText(context, read);
  } finally {
    release();
  }
}

/**
 * The same within an operation that is a computation itself: waiting for room while it holds some, it could wait for
 * others like it for ever.
 * @throws Refusal NOT_FOUND, UNAVAILABLE
 */
export async function extractWithin(context: ReadContext, read: ReadVersion): Promise<FoundText | TextLack> {
  return (await findKnown(context, read)) ?? makeText(context, read);
}

async function findKnown(
  { workspace }: ReadContext,
  { document, version }: ReadVersion,
): Promise<FoundText | TextLack | undefined> {
  const { files } = workspace.texts;
  if (!files.makesText(version.mediaType, document.name)) return { state: 'none' };
  const known = await files.find(fileOf(document, version));
  return known !== undefined && 'reason' in known ? { state: 'failed', reason: known.reason } : known;
}

async function makeText(
  { workspace, caller }: ReadContext,
  { document, version }: ReadVersion,
): Promise<FoundText | TextLack> {
  const made = await workspace.texts.files.make(fileOf(document, version)).catch((error: unknown) => {
    if (error instanceof ChildLost) return null;
    throw error;
  });
  if (workspace.view(caller).documentById(document.id) === undefined) throw notFound();
  if (made === null) throw unavailable();
  return 'reason' in made ? { state: 'failed', reason: made.reason } : made;
}
