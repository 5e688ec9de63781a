/** Why a document has no text, or none any more. Kept in rows and shown to people: a word keeps its meaning for good. */
export const extractionReasons = [
  'encrypted',
  'damaged',
  'expands_too_far',
  'too_deep',
  'too_many_parts',
  'has_doctype',
  'too_much_memory',
  'too_long',
  'too_large',
  'old_format',
  'no_text',
  'stopped_the_service',
] as const;

export type ExtractionReason = (typeof extractionReasons)[number];

/** A page, a slide, a sheet, a chapter or an attachment. */
export interface TextPart {
  /** For example `Page 12`. */
  readonly title: string;
  /** 1; 2 within an attachment. */
  readonly level: number;
  /** Where it begins in the text, in UTF-16 units. */
  readonly offset: number;
}

/** A line of the text that is a heading in the document. */
export interface TextHeading {
  /** 1 is the highest. */
  readonly level: number;
  /** Where its line begins, in UTF-16 units. */
  readonly offset: number;
}

/** The text that was found in a file. */
export interface ExtractedText {
  readonly text: string;
  /** In the order of the text. */
  readonly parts: readonly TextPart[];
  readonly headings: readonly TextHeading[];
  /** Whether the file holds more text than is read of one file. */
  readonly isCut: boolean;
}

/** What became of reading a file. */
export type Extraction = ExtractedText | { readonly reason: ExtractionReason };

/** Why a document has no text: its kind is not read, or its file could not be. */
export type TextLack =
  | { readonly state: 'none'; readonly reason?: undefined }
  | { readonly state: 'failed'; readonly reason: ExtractionReason };

/** What is known of a text without the text. */
export interface TextFacts {
  /** Pages, slides, sheets, chapters and attachments, each under a heading of the first level. */
  readonly pages: number;
  /** UTF-16 units of the Markdown. */
  readonly characters: number;
  /** Whether the file holds more text than is read of one file. */
  readonly isCut: boolean;
}

/** How far the text of a file is. What waits has no place and no estimate. */
export type TextState = TextLack | { readonly state: 'waiting' } | ({ readonly state: 'done' } & TextFacts);

/** The sentence that says why there is no text, and what can be done. */
export function explainNoText(reason: ExtractionReason): string {
  return sentences[reason];
}

const sentences: Readonly<Record<ExtractionReason, string>> = {
  encrypted: 'It needs a password. Store it without one.',
  damaged: 'It is damaged, or is no file of its kind.',
  expands_too_far: 'It unpacks to far more than a document of its size holds.',
  too_deep: 'It is nested too deeply.',
  too_many_parts: 'It has too many parts.',
  has_doctype: 'It declares a document type, which files of its kind do not need.',
  too_much_memory: 'Reading it takes more memory than one document may.',
  too_long: 'Reading it takes more time than one document may.',
  too_large: 'It is larger than the files whose text is read.',
  old_format: 'Its format is an old one that is not read. Save it in the present format, such as docx.',
  no_text: 'It holds no text. It may be a scan, whose words are pictures.',
  stopped_the_service: 'The service ended twice while it read this file. Store it again to have it read once more.',
};
