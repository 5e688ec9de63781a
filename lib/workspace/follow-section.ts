import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { PreparedContent } from '../domain/change.js';
import { readSection } from '../domain/outline.js';
import type { Pen } from './pen.js';

/** Gives a text when it is asked for; undefined where it is no text, or too large to look into within a turn. */
export type ReadText = () => string | undefined;

/** The text of content that waits for the pen. */
export function readPrepared({ kind, deflated, size }: PreparedContent): ReadText {
  return () => {
    if (kind !== 'text' || deflated === null) return undefined;
    return inflateSync(deflated, { maxOutputLength: Math.max(size, 1) }).toString('utf8');
  };
}

/** Stands for the lines of a section; null when there is no such heading. */
export function digestSection(text: string, section: string): string | null {
  const lines = readSection(text, section);
  return lines === undefined ? null : createHash('sha256').update(lines).digest('hex');
}

/**
 * Lets the claims on sections of a document stand for its new text. Where the heading is gone, or the text cannot be
 * looked into, a claim binds the whole document from now on, until a text has the heading again.
 */
export function followSections({ turn }: Pen, document: number, readText: ReadText): void {
  let text: string | undefined;
  let isRead = false;
  for (const { id, section, sectionDigest } of turn.tables.claims.on(document, turn.now)) {
    if (section === null) continue;
    if (!isRead) text = readText();
    isRead = true;
    const digest = text === undefined ? null : digestSection(text, section);
    if (digest !== sectionDigest) turn.tables.claims.setSectionDigest(id, digest);
  }
}
