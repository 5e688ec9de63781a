import type { Extraction } from '../../domain/extraction.js';
import { kindOf, type FileKind } from '../file-kinds.js';
import { Archive } from './archive.js';
import { decodePage, decodeText } from './decode-text.js';
import { readEpub } from './read-epub.js';
import { readHtml } from './read-html.js';
import { readMail } from './read-mail.js';
import { readOpenDocument } from './read-open-document.js';
import { readPdf } from './read-pdf.js';
import { readRichText } from './read-rich-text.js';
import { readSheets } from './read-sheets.js';
import { readSlides } from './read-slides.js';
import { readWord } from './read-word.js';
import { TextIsFull, TextWriter } from './text-writer.js';
import { reasonOf, Unreadable } from './unreadable.js';

/** A file to read. */
export interface ReadFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly name: string;
  /** The charset of plain text that declares none and is no UTF-8. */
  readonly charset?: string | undefined;
}

/** The first bytes of files of Office before 2007, and of newer ones with a password. */
const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ofPassword = Buffer.from('EncryptedPackage', 'utf16le');

const archived: Readonly<Partial<Record<FileKind, (archive: Archive, writer: TextWriter) => Promise<void>>>> = {
  word: readWord,
  sheets: readSheets,
  slides: readSlides,
  openText: (archive, writer) => readOpenDocument(archive, writer, 'none'),
  openSheets: (archive, writer) => readOpenDocument(archive, writer, 'sheets'),
  openSlides: (archive, writer) => readOpenDocument(archive, writer, 'slides'),
  epub: readEpub,
};

/**
 * The text of a file, or why there is none. Never throws.
 * @param maps folder of the character maps for PDF
 */
export async function readFile(file: ReadFile, maps: string): Promise<Extraction> {
  const writer = new TextWriter();
  try {
    await readKind(file, writer, maps, true);
  } catch (error) {
    if (!(error instanceof TextIsFull)) return { reason: reasonOf(error) };
  }
  const read = writer.finish();
  return read.text.trim() === '' ? { reason: 'no_text' } : read;
}

async function readKind(file: ReadFile, writer: TextWriter, maps: string, isWhole: boolean): Promise<void> {
  const { bytes, mediaType, name } = file;
  const kind = kindOf(mediaType, name);
  if (bytes.subarray(0, compound.length).equals(compound)) {
    throw new Unreadable(kind !== 'old' && bytes.includes(ofPassword) ? 'encrypted' : 'old_format');
  }
  const readArchived = kind === undefined ? undefined : archived[kind];
  if (readArchived !== undefined) await readArchived(await Archive.open(bytes), writer);
  else if (kind === 'pdf') await readPdf(bytes, writer, maps);
  else if (kind === 'html') readHtml(decodePage(bytes, mediaType), writer);
  else if (kind === 'richText') readRichText(bytes, writer);
  else if (kind === 'text') writer.write(decodeText(bytes, mediaType, file.charset));
  else if (kind === 'mail' && isWhole) {
    await readMail(bytes, writer, (content, type, title) =>
      readKind({ bytes: content, mediaType: type, name: title }, writer, maps, false),
    );
  } else throw new Unreadable(kind === 'old' ? 'old_format' : 'damaged');
}
