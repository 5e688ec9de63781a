import type { Version } from '../domain/document.js';
import type { ObjectReader } from '../journal/object-reader.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { ClaimRow } from '../sidecar/tables/claim-table.js';
import { decodeAs, decodeText, type Charset } from '../text/charset.js';
import { followHeading } from '../text/follow-heading.js';
import type { Heading } from '../text/outline.js';
import { findSectionAgain, type FindAgain } from './find-section-again.js';
import { stagedFrom } from './prepare-content.js';
import { readSections, type PlacedSection, type ReadSections } from './read-sections.js';

/** What tells contents apart. */
type Content = Pick<Version, 'blobOid'>;

/** A version, or content that has no media type yet, and is read by its charset. */
type Text = Content &
  Pick<Version, 'kind' | 'size'> & {
    readonly mediaType?: string;
    readonly charset?: Charset | undefined;
  };

/** Whether a content is a text that can be read for its sections. */
export function isReadable({ kind, size }: Pick<Text, 'kind' | 'size'>): boolean {
  return kind === 'text' && size <= stagedFrom;
}

/**
 * The claimed sections of many texts, read before the transaction that writes them. Only these sections are kept, since
 * the texts may be many.
 */
export class FollowedTexts {
  /** By the name of the text, then of the section. Null for a text too long to read. */
  readonly #read = new Map<string, ReadonlyMap<string, PlacedSection | null> | null>();
  /** By the names of a text and of the one that replaces it: the ids of the sections there. */
  readonly #next = new Map<string, ReadonlyMap<string, string>>();

  /**
   * Reads the texts that a document gets, one after the other.
   * @param claims on the document
   * @param before the content that the first of them replaces; undefined for an unknown one
   * @throws errors of the repository
   */
  async add(
    objects: Pick<ObjectReader, 'readBlob'>,
    caller: { readonly principalId: string },
    claims: readonly ClaimRow[],
    before: Text | undefined,
    texts: readonly Text[],
  ): Promise<void> {
    let present = claims.filter(({ section }) => section !== null);
    if (present.length === 0) return;
    const read = async ({ blobOid, mediaType, charset }: Text) => {
      const bytes = await objects.readBlob(blobOid);
      return readSections(mediaType === undefined ? decodeAs(bytes, charset) : decodeText(bytes, mediaType));
    };
    const claimed = present.flatMap(({ section }) => section ?? []);
    // A write replaces also what cannot be read.
    const first = before === undefined || !isReadable(before) ? undefined : await read(before).catch(() => undefined);
    let replaced = first?.headings;
    let name = before?.blobOid ?? '';
    for (const text of texts) {
      if (!isReadable(text)) {
        [replaced, name] = [undefined, text.blobOid];
        continue;
      }
      const sections = await read(text);
      const next = findNext(present, replaced, sections?.headings);
      this.#next.set(pairOf(name, text.blobOid), new Map([...this.#nextOf(name, text.blobOid), ...next]));
      present = present.map((claim) => {
        const section = findSectionAgain(
          claim,
          caller,
          () => sections,
          (of) => next.get(of),
        );
        return { ...claim, section };
      });
      const wanted = [...claimed, ...present.flatMap(({ section }) => section ?? []), ...next.values()];
      const found = wanted.map((section) => [section, sections?.find(section) ?? null] as const);
      const known = this.#read.get(text.blobOid) ?? [];
      this.#read.set(text.blobOid, sections === undefined ? null : new Map([...known, ...found]));
      [replaced, name] = [sections?.headings, text.blobOid];
      await yieldToLoop();
    }
  }

  /** Whether these sections of the text were read, or the text is too long to read. */
  hasRead({ blobOid }: Content, sections: readonly string[]): boolean {
    const found = this.#read.get(blobOid);
    return found === null || (found !== undefined && sections.every((section) => found.has(section)));
  }

  /** The sections of a text. One that was not read counts as gone, so that its claim binds the whole document. */
  sectionsOf({ blobOid }: Content): ReadSections {
    const found = this.#read.get(blobOid) ?? undefined;
    return () => (found === undefined ? undefined : { find: (section) => found.get(section) ?? null });
  }

  /** Finds the sections of a text in the one that replaces it. */
  findAgainIn(before: Content, after: Content): FindAgain {
    const next = this.#nextOf(before.blobOid, after.blobOid);
    return (section) => next.get(section);
  }

  #nextOf(before: string, after: string): ReadonlyMap<string, string> {
    return this.#next.get(pairOf(before, after)) ?? new Map<string, string>();
  }
}

const pairOf = (before: string, after: string): string => `${before} ${after}`;

/** The ids that the claimed sections of a text have in the one that replaces it. */
function findNext(
  claims: readonly ClaimRow[],
  before: readonly Heading[] = [],
  after: readonly Heading[] = [],
): ReadonlyMap<string, string> {
  const next = new Map<string, string>();
  for (const { section } of claims) {
    const heading = before.find(({ id }) => id === section);
    const found = heading === undefined ? undefined : followHeading(before, after, heading);
    if (heading !== undefined && found !== undefined) next.set(heading.id, found.id);
  }
  return next;
}
