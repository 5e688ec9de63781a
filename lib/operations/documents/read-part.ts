import type { Document, Version } from '../../domain/document.js';
import { findHeading } from '../../text/find-heading.js';
import { readOutlineInSteps, type Heading } from '../../text/outline.js';
import { countHidden } from '../../domain/hidden-characters.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { Role } from '../../domain/role.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { countLines, cutText, type TextPart } from '../../text/cut-text.js';
import type { ReadOperation } from '../operation.js';
import { readDocument, type DocumentRead, type ReadDocumentInput } from './read-document.js';

export interface ReadPartInput extends Pick<ReadDocumentInput, 'location' | 'versionId' | 'expected'> {
  /** Only this section, by its heading's id or words. */
  readonly section?: string | undefined;
  /** Headings in place of text. */
  readonly isOutlineOnly: boolean;
  /** The first line, counted from 1 in the whole document. Left out: the start of the section or text. */
  readonly startLine?: number | undefined;
  readonly startColumn?: number | undefined;
  /** UTF-16 units. */
  readonly maxChars: number;
}

export interface PartRead {
  readonly document: Document;
  readonly role: Role;
  readonly version: Version;
  /** Null for binary content. */
  readonly shown: ShownText | null;
}

export interface ShownText {
  /** The whole text, for measuring. */
  readonly text: string;
  readonly totalLines: number;
  readonly within: Heading | undefined;
  /** Undefined when only the outline was requested. */
  readonly part: TextPart | undefined;
  /** Number of characters in the part that its reader cannot see. */
  readonly hiddenCharacters: number;
  /** Headings, if requested, and with the first part of a long Markdown document. */
  readonly headings: readonly Heading[] | undefined;
}

/** Maximum bytes of a text that is read in parts, or searched for headings. */
const maxReadBytes = 16 * 1024 * 1024;
const maxOutlinedBytes = 1024 * 1024;

/** The text. Undefined for binary content. @throws Refusal INVALID_REQUEST `content_too_large` */
async function readText({ version, bytes, openStream }: DocumentRead): Promise<string | undefined> {
  if (version.kind !== 'text') return undefined;
  if (bytes !== null || openStream === null) return bytes?.toString('utf8');
  if (version.size > maxReadBytes) {
    throw invalidRequest('content_too_large', `Texts of up to ${maxReadBytes} bytes are read here.`, {
      limit: maxReadBytes,
      size: version.size,
    });
  }
  const pieces: Buffer[] = [];
  for await (const piece of await openStream()) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function readHeadings(text: string, version: Version): Promise<readonly Heading[]> {
  return version.size > maxOutlinedBytes ? [] : runCooperatively(readOutlineInSteps(text));
}

function isWithin(heading: Heading, { line, lastLine }: Heading): boolean {
  return heading.line >= line && heading.line <= lastLine;
}

/** @throws Refusal INVALID_REQUEST `bad_field`, and as `findHeading` does */
async function showText(text: string, version: Version, input: ReadPartInput): Promise<ShownText> {
  const { section, isOutlineOnly, startLine, startColumn = 1, maxChars } = input;
  const totalLines = countLines(text);
  const all = section !== undefined || isOutlineOnly ? await readHeadings(text, version) : [];
  const within = section === undefined ? undefined : findHeading(all, section);
  if (isOutlineOnly) {
    const headings = within === undefined ? all : all.filter((heading) => isWithin(heading, within));
    return { text, totalLines, within, part: undefined, hiddenCharacters: 0, headings };
  }
  const start = startLine ?? within?.line ?? 1;
  if (within !== undefined && (start < within.line || start > within.lastLine)) {
    throw invalidRequest('bad_field', `The section has the lines ${within.line} to ${within.lastLine}.`, {
      input: 'startLine',
    });
  }
  const part = cutText(text, { startLine: start, startColumn, lastLine: within?.lastLine, maxChars });
  const isFirst = start === 1 && startColumn === 1 && within === undefined;
  const isOutlined = part.nextLine !== null && isFirst && version.mediaType.startsWith('text/markdown');
  const hiddenCharacters = await runCooperatively(countHidden(part.text));
  const headings = isOutlined ? await readHeadings(text, version) : undefined;
  return { text, totalLines, within, part, hiddenCharacters, headings };
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
    const read = await readDocument.run(context, { location, versionId, expected, withContent: true });
    const { document, role, version } = read;
    const text = await readText(read);
    if (text !== undefined) return { document, role, version, shown: await showText(text, version, input) };
    const { section, isOutlineOnly, startLine, startColumn } = input;
    const isOfText = isOutlineOnly || [section, startLine, startColumn].some((each) => each !== undefined);
    if (isOfText) throw invalidRequest('not_text', 'The document is not text: it has no lines and no headings.');
    return { document, role, version, shown: null };
  },
  noteResult: ({ document, version }) => ({ version: version.id, documentId: document.id }),
};

/** Larger documents are read in parts, or as they are stored. Bytes. */
const maxWholeBytes = 1024 * 1024;

/** A document with its whole content. Reader. @throws Refusal INVALID_REQUEST `content_too_large` */
export const readWhole: ReadOperation<
  Pick<ReadDocumentInput, 'location'>,
  DocumentRead & { readonly bytes: Buffer }
> = {
  kind: 'read',
  name: readDocument.name,
  needs: (input) => readDocument.needs({ ...input, withContent: true }),
  note: ({ location }) => ({ target: location }),
  async run(context, { location }) {
    const read = await readDocument.run(context, { location, withContent: true });
    const { bytes, version } = read;
    if (bytes !== null) return { ...read, bytes };
    throw invalidRequest('content_too_large', 'This document is too large to be read whole. Read it in parts.', {
      limit: maxWholeBytes,
      size: version.size,
    });
  },
  noteResult: ({ document, version }) => ({ version: version.id, documentId: document.id }),
};
