import { isMarkdown, type Document, type Version } from '../../domain/document.js';
import { findHeading } from '../../text/find-heading.js';
import { cutOutline, type CutOutline } from '../../text/cut-outline.js';
import { readOutlineInSteps, type Heading } from '../../text/outline.js';
import { countHidden } from '../../domain/hidden-characters.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { Role } from '../../domain/role.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { decodeTextInSteps } from '../../text/charset.js';
import { countLines, cutText, type TextPart } from '../../text/cut-text.js';
import type { TextLack } from '../../domain/extraction.js';
import type { ReadOperation } from '../operation.js';
import { extractText, type FoundText } from './extract-text.js';
import { requireVersion } from '../history/require-version.js';
import { readDocument, type DocumentRead, type ReadDocumentInput } from './read-document.js';

export interface ReadPartInput extends Pick<ReadDocumentInput, 'location' | 'versionId' | 'expected'> {
  /** Only this section, by its heading's id or words. */
  readonly section?: string | undefined;
  /** Headings in place of text, or none with it. Left out: with the first part of a long text. */
  readonly outline?: 'only' | 'none' | undefined;
  /** The first line, counted from 1 in the whole document. Left out: the start of the section or text. */
  readonly startLine?: number | undefined;
  readonly startColumn?: number | undefined;
  /** Whether text is made of a file that is none, such as a PDF. */
  readonly mayExtract?: boolean | undefined;
  /** Of the text and its outline together. UTF-16 units. */
  readonly maxChars: number;
}

export interface PartRead {
  readonly document: Document;
  readonly role: Role;
  readonly version: Version;
  /** How the text was made of a file, or why there is none. Undefined where the content is text, and where none was asked for. */
  readonly extracted?: FoundText | TextLack | undefined;
  /** Null for binary content. */
  readonly shown: ShownText | null;
  /** Binary content, if it is small. */
  readonly bytes: Buffer | null;
}

export interface ShownText {
  readonly totalLines: number;
  readonly within: Heading | undefined;
  /** Undefined when only the outline was requested. */
  readonly part: TextPart | undefined;
  /** Number of characters in the part that its reader cannot see. */
  readonly hiddenCharacters: number;
  /** If requested, and with the first part of a long Markdown or plain text. */
  readonly outline: CutOutline | undefined;
}

/** Maximum bytes of a text that is read in parts, or searched for headings. */
const maxReadBytes = 16 * 1024 * 1024;
/** Texts whose first part brings their outline: in others, number signs begin remarks. */
const outlined = /^text\/(?:markdown|plain)\b/;
/** The part of an answer with text that its outline may take, and its first heading twice as much. */
const outlineShare = 4;

/** The text. Undefined for binary content. @throws Refusal INVALID_REQUEST `content_too_large` */
export async function readText({ version, bytes, openStream }: DocumentRead): Promise<string | undefined> {
  if (version.kind !== 'text') return undefined;
  const decode = (read: Buffer) => runCooperatively(decodeTextInSteps(read, version.mediaType));
  if (bytes !== null || openStream === null) return bytes === null ? undefined : decode(bytes);
  if (version.size > maxReadBytes) {
    throw invalidRequest('content_too_large', `Texts of up to ${maxReadBytes} bytes are read here.`, {
      limit: maxReadBytes,
      size: version.size,
    });
  }
  const pieces: Buffer[] = [];
  for await (const piece of await openStream()) pieces.push(piece as Buffer);
  return decode(Buffer.concat(pieces));
}

function isWithin(heading: Heading, { line, lastLine }: Heading): boolean {
  return heading.line >= line && heading.line <= lastLine;
}

/** @throws Refusal INVALID_REQUEST `bad_field`, and as `findHeading` does */
async function showText(text: string, version: Pick<Version, 'mediaType'>, input: ReadPartInput): Promise<ShownText> {
  const { section, startLine, startColumn = 1, maxChars } = input;
  const isOutlineOnly = input.outline === 'only';
  const totalLines = countLines(text);
  const readHeadings = () => runCooperatively(readOutlineInSteps(text));
  const isShown = ({ isLoose }: Heading): boolean => isMarkdown(version) || !isLoose;
  const all = section !== undefined || isOutlineOnly ? await readHeadings() : [];
  const within = section === undefined ? undefined : findHeading(all, section);
  const start = startLine ?? within?.line ?? 1;
  if (within !== undefined && (start < within.line || start > within.lastLine)) {
    throw invalidRequest('bad_field', `The section has the lines ${within.line} to ${within.lastLine}.`, {
      input: 'startLine',
    });
  }
  if (isOutlineOnly) {
    const isAsked = (heading: Heading): boolean =>
      heading.line >= start && (within === undefined || isWithin(heading, within)) && isShown(heading);
    const outline = cutOutline(all.filter(isAsked), maxChars);
    return { totalLines, within, part: undefined, hiddenCharacters: 0, outline };
  }
  const place = { startLine: start, startColumn, lastLine: within?.lastLine };
  let part = cutText(text, { ...place, maxChars });
  const isFirst = start === 1 && startColumn === 1 && within === undefined && input.outline !== 'none';
  let outline: CutOutline | undefined;
  if (part.nextLine !== null && isFirst && outlined.test(version.mediaType)) {
    outline = cutOutline((await readHeadings()).filter(isShown), Math.floor(maxChars / outlineShare));
    part = cutText(text, { ...place, maxChars: maxChars - outline.chars });
  }
  const hiddenCharacters = await runCooperatively(countHidden(part.text));
  return { totalLines, within, part, hiddenCharacters, outline };
}

/**
 * A document with a part of its text: from a line on, or of a section, or only its headings. Reader. A request for a
 * missing part is a refused read, and recorded as such.
 * @throws Refusal CONFLICT `stale_if_match` where a version was expected; INVALID_REQUEST `bad_field`, `not_text`,
 * `no_such_section`, `section_ambiguous`, `content_too_large`
 */
export const readPart: ReadOperation<ReadPartInput, PartRead> = {
  kind: 'read',
  name: readDocument.name,
  needs: (input) => readDocument.needs({ ...input, withContent: true }),
  note: ({ location }) => ({ target: location }),
  async run(context, input) {
    const { location, versionId, expected } = input;
    requireVersion(context.view, location, versionId, 'commit');
    const read = await readDocument.run(context, { location, versionId, expected, withContent: true });
    const { document, role, version } = read;
    const text = await readText(read);
    if (text !== undefined)
      return { document, role, version, shown: await showText(text, version, input), bytes: null };
    const extracted = input.mayExtract === true ? await extractText(context, read) : undefined;
    if (extracted !== undefined && 'text' in extracted) {
      const shown = await showText(extracted.text, { mediaType: 'text/markdown' }, input);
      return { document, role, version, shown, bytes: null, extracted };
    }
    const { section, outline, startLine, startColumn } = input;
    const isOfText = outline === 'only' || [section, startLine, startColumn].some((each) => each !== undefined);
    if (isOfText) throw invalidRequest('not_text', 'The document is not text: it has no lines and no headings.');
    return { document, role, version, shown: null, bytes: read.bytes, extracted };
  },
  noteResult: ({ document, version }) => ({ version: version.id, documentId: document.id }),
};

/** Larger binary content is read as it is stored. Bytes. */
const maxWholeBytes = 1024 * 1024;

/** A document with its bytes, or a part of its text. Reader. @throws Refusal as `readPart` does */
export const readContent: typeof readPart = {
  ...readPart,
  async run(context, input) {
    const read = await readPart.run(context, { ...input, outline: 'none' });
    if (read.shown !== null || read.bytes !== null) return read;
    throw invalidRequest('content_too_large', 'This document is too large to be read here.', {
      limit: maxWholeBytes,
      size: read.version.size,
    });
  },
};
