import type { Version } from '../domain/document.js';
import type { ClaimRow } from '../sidecar/tables/claim-table.js';
import { decodeText } from '../text/charset.js';
import { followHeading } from '../text/follow-heading.js';
import type { Heading } from '../text/outline.js';
import { readSections, type ReadSections, type ReadText } from './read-sections.js';
import type { WriteContext } from './write-context.js';

/**
 * Finds a section of the replaced text again in the new one, by its place.
 * @returns its id in the new text; undefined where nobody knows
 */
export type FindAgain = (section: string) => string | undefined;

export const nobodyKnows: FindAgain = () => undefined;

/** The version that a write replaces. */
export interface Replaced {
  readonly version: Version;
  /** Its text, or that of an older version where another writer was faster. */
  readonly read: ReadText | undefined;
}

/** Maximum of bytes that are read within a transaction, since all other writers wait meanwhile. */
const maxBytes = 256 * 1024;

/** Finds sections by the headings of the two texts. The replaced text is read at most once, and only if asked for. */
export function findByHeadings(
  transaction: Partial<Pick<WriteContext['transaction'], 'findContent'>>,
  { version, read }: Replaced,
  readNext: ReadSections,
): FindAgain {
  const readBefore = (): readonly Heading[] => {
    if (read?.versionId === version.id) return readSections(read.text)?.headings ?? [];
    if (version.kind !== 'text' || version.size > maxBytes) return [];
    const bytes = transaction.findContent?.(version);
    if (bytes === undefined) return [];
    return readSections(decodeText(bytes, version.mediaType))?.headings ?? [];
  };
  let before: readonly Heading[] | undefined;
  return (section) => {
    const after = readNext()?.headings;
    if (after === undefined) return undefined;
    before ??= readBefore();
    const heading = before.find(({ id }) => id === section);
    return heading === undefined ? undefined : followHeading(before, after, heading)?.id;
  };
}

/**
 * The id that a claimed section has in the new text. Headings of the same words have numbers, which change where another
 * one comes or goes. Only the holder itself renames a heading or changes the lines: for others, a section with other
 * lines is another section.
 * @returns null for a claim on the whole document
 */
export function findSectionAgain(
  { section, sectionDigest, holder }: Pick<ClaimRow, 'section' | 'sectionDigest' | 'holder'>,
  { principalId }: { readonly principalId: string },
  readNext: ReadSections,
  findAgain: FindAgain,
): string | null {
  const next = section === null ? undefined : findAgain(section);
  if (next === undefined || holder.id === principalId) return next ?? section;
  return readNext()?.find(next)?.digest === sectionDigest ? next : section;
}

/** The lines of one text, with the holders of claims on them. */
export class ClaimedLines {
  readonly #holders: (string | undefined)[] = [];

  /** Gives a section's lines to the holder. @returns false, and gives none, where another holder has one of them */
  take(holder: string, { line, lastLine }: Pick<Heading, 'line' | 'lastLine'>): boolean {
    for (let at = line; at <= lastLine; at += 1) {
      const other = this.#holders[at];
      if (other !== undefined && other !== holder) return false;
    }
    for (let at = line; at <= lastLine; at += 1) this.#holders[at] = holder;
    return true;
  }
}
