import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { PreparedContent } from './prepare-content.js';
import { makeSectionReader, readOutline, readSection, type Heading } from '../text/outline.js';
import type { WriteContext } from './write-context.js';

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

/** The sections of one text. The text is read once for any number of sections. */
export interface Sections {
  /** Stands for the lines of the section. Null when there is no such heading. */
  digestOf(section: string): string | null;
}

/** Reads a text's sections on demand. Undefined for no text, and for one too long to read in a transaction. */
export type ReadSections = () => Sections | undefined;

/**
 * @param text undefined for a binary document @returns undefined for that, and for one too long to read in a
 * transaction
 */
export function readSections(text: string | undefined): Sections | undefined {
  if (text === undefined || hasTooManyLines(text)) return undefined;
  const headings = new Map(readOutline(text).map((heading) => [heading.id, heading]));
  const read = makeSectionReader(text);
  return {
    digestOf(section) {
      const heading = headings.get(section);
      return heading === undefined ? null : digest(read(heading));
    },
  };
}

/** Reads at most once. */
export function readOnce(read: () => string | undefined): ReadSections {
  let sections: { readonly value: Sections | undefined } | undefined;
  return () => (sections ??= { value: readSections(read()) }).value;
}

/** The sections of content that waits for its transaction. */
export function readPrepared({ kind, deflated, size }: PreparedContent): ReadSections {
  return readOnce(() => {
    if (kind !== 'text' || deflated === null) return undefined;
    return inflateSync(deflated, { maxOutputLength: Math.max(size, 1) }).toString('utf8');
  });
}

/**
 * Updates the claims on sections of a document for its new text. If the heading is gone, or the text cannot be read, a
 * claim binds the whole document. It binds the section again once a text has the heading.
 */
export function followSections({ transaction }: WriteContext, document: number, readNext: ReadSections): void {
  for (const { id, section, sectionDigest } of transaction.tables.claims.on(document, transaction.now)) {
    if (section === null) continue;
    const next = readNext()?.digestOf(section) ?? null;
    if (next !== sectionDigest) transaction.tables.claims.setSectionDigest(id, next);
  }
}
