import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { PreparedContent } from './prepare-content.js';
import { makeSectionReader, readOutline, readSection, type Heading } from '../text/outline.js';
import type { WriteContext } from './write-context.js';

/** Lines of a text beyond which nobody looks into it within a turn, since everyone else waits meanwhile. */
const maxLines = 10_000;

function hasTooManyLines(text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > maxLines) return true;
  }
  return false;
}

/** Stands for the lines of a section; null in a text that is too long to be looked into. */
export function digestSection(text: string, heading: Heading): string | null {
  return hasTooManyLines(text) ? null : digest(readSection(text, heading));
}

function digest(section: string): string {
  return createHash('sha256').update(section).digest('hex');
}

/** The sections of one text, which is read once however many of them are asked for. */
export interface Sections {
  /** Stands for the lines of the section; null when there is no such heading. */
  digestOf(section: string): string | null;
}

/** Gives a text's sections when they are asked for; undefined where it is no text, or too long to look into in a turn. */
export type ReadSections = () => Sections | undefined;

/** @param text undefined for a document that is none @returns undefined for that, and for one too long to look into in a turn */
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

/** Asks once. */
export function readOnce(read: () => string | undefined): ReadSections {
  let sections: { readonly value: Sections | undefined } | undefined;
  return () => (sections ??= { value: readSections(read()) }).value;
}

/** The sections of content that waits for the pen. */
export function readPrepared({ kind, deflated, size }: PreparedContent): ReadSections {
  return readOnce(() => {
    if (kind !== 'text' || deflated === null) return undefined;
    return inflateSync(deflated, { maxOutputLength: Math.max(size, 1) }).toString('utf8');
  });
}

/**
 * Lets the claims on sections of a document stand for its new text. Where the heading is gone, or the text cannot be
 * looked into, a claim binds the whole document from now on, until a text has the heading again.
 */
export function followSections({ transaction }: WriteContext, document: number, readNext: ReadSections): void {
  for (const { id, section, sectionDigest } of transaction.tables.claims.on(document, transaction.now)) {
    if (section === null) continue;
    const next = readNext()?.digestOf(section) ?? null;
    if (next !== sectionDigest) transaction.tables.claims.setSectionDigest(id, next);
  }
}
