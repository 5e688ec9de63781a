import type { ExtractedText, TextState } from '../../domain/extraction.js';
import { notFound, unavailable } from '../../domain/refusal.js';
import { maxFileBytes } from '../../extraction/bounds.js';
import { composeMarkdownInSteps } from '../../extraction/compose-markdown.js';
import { ChildLost } from '../../extraction/child-process.js';
import { sourceOf } from '../../limits/work-limits.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { ReadContext } from '../operation.js';
import type { DocumentRead } from './read-document.js';

/** The text that was made of a file. */
export interface FoundText extends Pick<ExtractedText, 'isCut'> {
  /** As Markdown, with a heading for each part. */
  readonly text: string;
}

/**
 * Makes text of the file of a document that was read. Nothing is kept, so each reader has it made anew, as one of its
 * computations. The caller's reach is looked at again afterwards, since it may take seconds.
 * @throws Refusal NOT_FOUND where the caller reaches the document no more; RATE_LIMITED, UNAVAILABLE
 */
export async function extractText(context: ReadContext, read: DocumentRead): Promise<FoundText | TextState> {
  const { workspace, caller } = context;
  const { document, version } = read;
  const { extractor } = workspace;
  if (!extractor.reads(version.mediaType, document.name)) return { state: 'none' };
  if (version.size > maxFileBytes) return { state: 'failed', reason: 'too_large' };
  const release = await workspace.workLimits.computations.take(sourceOf(workspace.name, caller));
  try {
    const bytes = await readBytes(read);
    const writer = `${workspace.name}/${version.author.id}`;
    const found = await extractor.extract({ bytes, mediaType: version.mediaType, name: document.name, writer });
    if (workspace.view(caller).documentById(document.id) === undefined) throw notFound();
    if ('reason' in found) return { state: 'failed', reason: found.reason };
    return { text: await runCooperatively(composeMarkdownInSteps(found)), isCut: found.isCut };
  } catch (error) {
    throw error instanceof ChildLost ? unavailable() : error;
  } finally {
    release();
  }
}

async function readBytes({ bytes, openStream }: DocumentRead): Promise<Buffer> {
  if (bytes !== null) return bytes;
  if (openStream === null) throw new Error('The content was not read.');
  const pieces: Buffer[] = [];
  for await (const piece of await openStream()) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
