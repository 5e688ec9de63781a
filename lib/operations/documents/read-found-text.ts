import type { Document, Version } from '../../domain/document.js';
import { explainNoText, type TextLack } from '../../domain/extraction.js';
import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import { extractorNumber } from '../../extraction/extractor.js';
import { fileOf } from '../../indexing/file-texts.js';
import { kindOf } from '../../extraction/file-kinds.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { cutText } from '../../text/cut-text.js';
import { findHeading } from '../../text/find-heading.js';
import { readOutlineInSteps } from '../../text/outline.js';
import type { ReadOperation } from '../operation.js';
import { extractText } from './extract-text.js';
import { readDocument, type DocumentRead } from './read-document.js';
import { readText } from './read-part.js';

export interface ReadFoundTextInput extends Pick<Parameters<typeof readDocument.needs>[0], 'location' | 'versionId'> {
  /** Only this section, by its heading's id or words. */
  readonly section?: string | undefined;
  /** Whether the caller has the text of this version, by its tag. */
  readonly isKnown?: ((tag: string) => boolean) | undefined;
}

export interface FoundTextRead {
  readonly document: Document;
  readonly version: Version;
  /** Names the text of this version, and changes with the way in which text is made. */
  readonly tag: string;
  /** Undefined where the caller has it. */
  readonly text: string | undefined;
  /** Whether the file holds more text. */
  readonly isCut: boolean;
}

/** What a text file is besides its words: text is made of it, too. */
const isMarked = ({ mediaType }: Version, { name }: Document): boolean => {
  const kind = kindOf(mediaType, name);
  return kind !== undefined && kind !== 'text';
};

/**
 * The text of a document: as it is, or made of a file such as a PDF. Reader.
 * @throws Refusal INVALID_REQUEST `no_text`, `no_such_section`, `section_ambiguous`, `content_too_large`
 */
export const readFoundText: ReadOperation<ReadFoundTextInput, FoundTextRead> = {
  kind: 'read',
  name: readDocument.name,
  needs: ({ location }) => readDocument.needs({ location, withContent: true }),
  note: ({ location }) => ({ target: location, detail: { form: 'text' } }),
  async run(context, { location, versionId, section, isKnown }) {
    const record = await readDocument.run(context, { location, versionId, withContent: false });
    const { document, version } = record;
    const isMade = version.kind === 'binary' || isMarked(version, document);
    const { files } = context.workspace.texts;
    const tagNow = (): string =>
      `${version.id}+text.${isMade ? files.wayOf(fileOf(document, version)) : extractorNumber}`;
    let tag = tagNow();
    if (isKnown?.(tag) === true) return { document, version, tag, text: undefined, isCut: false };
    const read = await readDocument.run(context, { location, versionId, withContent: true });
    let found = await findText(context, read);
    // The policy can change while a text is waited for, and the tag has to name the one that is sent.
    while (tag !== tagNow()) {
      tag = tagNow();
      found = await findText(context, read);
    }
    const { text, isCut } = found;
    return { document, version, tag, text: section === undefined ? text : await cutSection(text, section), isCut };
  },
  noteResult: ({ document, version }) => ({ version: version.id, documentId: document.id }),
};

async function findText(
  context: Parameters<typeof extractText>[0],
  read: DocumentRead,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const plain = isMarked(read.version, read.document) ? undefined : await readText(read);
  if (plain !== undefined) return { text: plain, isCut: false };
  const found = await extractText(context, read);
  if ('text' in found) return found;
  throw refuseNoText(found);
}

/** The refusal of a document without text. */
function refuseNoText(extraction: TextLack): Refusal {
  const sentence =
    extraction.reason === undefined ? 'Text is not made of files of its kind.' : explainNoText(extraction.reason);
  return invalidRequest('no_text', `The document has no text. ${sentence}`, { extraction });
}

async function cutSection(text: string, section: string): Promise<string> {
  const { line, lastLine } = findHeading(await runCooperatively(readOutlineInSteps(text)), section);
  return cutText(text, { startLine: line, startColumn: 1, lastLine, maxChars: text.length }).text;
}
