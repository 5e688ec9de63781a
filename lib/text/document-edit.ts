/** Replaces a text, which must stand in the document exactly so many times, by another. */
export interface TextReplacement {
  readonly op: 'replace_text';
  readonly oldText: string;
  readonly newText: string;
  /** How many places there must be; all of them are replaced. */
  readonly count: number;
}

/** Works on a section, with all sections below it; its heading line always stays. */
export interface SectionEdit {
  readonly op: 'replace_section' | 'append_to_section' | 'insert_before_section' | 'insert_after_section';
  /** A heading's id, or its words where no other heading has them. */
  readonly section: string;
  readonly newText: string;
}

/** Adds to the end of the document. */
export interface Addition {
  readonly op: 'append';
  readonly newText: string;
}

export type DocumentEdit = TextReplacement | SectionEdit | Addition;

/** Puts `words` in the place of [start, end). Offsets in UTF-16 units. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly words: string;
}
