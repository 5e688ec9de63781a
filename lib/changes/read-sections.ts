import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { PreparedContent } from './prepare-content.js';
import { decodeAs } from '../text/charset.js';
import { makeSectionReader, readOutline, readSection, type Heading } from '../text/outline.js';

/** Maximum of lines read within a transaction, since all other writers wait meanwhile. */
const maxLines = 10_000;

function hasTooManyLines(text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > maxLines) return true;
  }
  return false;
}

/** Stands for the lines of a section. Null in a text too long to read. */
export function digestSection(text: string, heading: Heading): string | null {
  return hasTooManyLines(text) ? null : digest(readSection(text, heading));
}

function digest(section: string): string {
  return createHash('sha256').update(section).digest('hex');
}

/**
 * A document's text of one version, read before a transaction. The transaction compares the version before it uses the
 * text.
 */
export interface ReadText {
  readonly versionId: string;
  /** Undefined for binary content, and for text too large to read. */
  readonly text: string | undefined;
}

/** Content of a new version, with the text that it replaces where sections of it are claimed. */
export interface PreparedVersion extends PreparedContent {
  readonly before?: ReadText | undefined;
}

/** A section of one text. */
export interface PlacedSection extends Pick<Heading, 'line' | 'lastLine'> {
  /** Stands for its lines. */
  readonly digest: string;
}

/** The sections of one text. The text is read once for any number of sections. */
export interface Sections {
  /** Null when there is no such heading. */
  find(section: string): PlacedSection | null;
  /** All headings. Undefined where only some sections are known. */
  readonly headings?: readonly Heading[] | undefined;
}

/** Reads a text's sections on demand. Undefined for no text, and for one too long to read in a transaction. */
export type ReadSections = () => Sections | undefined;

/**
 * @param text undefined for a binary document @returns undefined for that, and for one too long to read in a
 * transaction
 */
export function readSections(text: string | undefined): Sections | undefined {
  if (text === undefined || hasTooManyLines(text)) return undefined;
  const headings = readOutline(text);
  const byId = new Map(headings.map((heading) => [heading.id, heading]));
  const read = makeSectionReader(text);
  return {
    headings,
    find(section) {
      const heading = byId.get(section);
      if (heading === undefined) return null;
      return { line: heading.line, lastLine: heading.lastLine, digest: digest(read(heading)) };
    },
  };
}

/** Reads at most once. */
export function readOnce(read: () => string | undefined): ReadSections {
  let sections: { readonly value: Sections | undefined } | undefined;
  return () => (sections ??= { value: readSections(read()) }).value;
}

/** The sections of content that waits for its transaction. */
export function readPrepared({ kind, charset, deflated, size }: PreparedContent): ReadSections {
  return readOnce(() => {
    if (kind !== 'text' || deflated === null) return undefined;
    return decodeAs(inflateSync(deflated, { maxOutputLength: Math.max(size, 1) }), charset);
  });
}
