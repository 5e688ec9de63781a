import { maxDepth } from '../bounds.js';
import type { TextWriter } from './text-writer.js';
import { Unreadable } from './unreadable.js';

/** Groups that hold no text of the document. */
const left: ReadonlySet<string> = new Set(
  'fonttbl colortbl stylesheet info pict object themedata colorschememapping latentstyles datastore generator listtable listoverridetable rsidtbl xmlnstbl fldinst filetbl revtbl upr mmathPr'.split(
    ' ',
  ),
);
/** Words that stand for characters. */
const characters: ReadonlyMap<string, string> = new Map([
  ['par', '\n'],
  ['line', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['row', '\n'],
  ['tab', '\t'],
  ['cell', '\t'],
  ['emdash', '—'],
  ['endash', '–'],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
]);
/** Character sets of fonts, by their numbers in the table of fonts. */
const charsetLabels: ReadonlyMap<number, string> = new Map([
  [128, 'shift_jis'],
  [129, 'euc-kr'],
  [134, 'gbk'],
  [136, 'big5'],
  [161, 'windows-1253'],
  [162, 'windows-1254'],
  [163, 'windows-1258'],
  [177, 'windows-1255'],
  [178, 'windows-1256'],
  [186, 'windows-1257'],
  [204, 'windows-1251'],
  [222, 'windows-874'],
  [238, 'windows-1250'],
]);
const codePages: ReadonlyMap<number, string> = new Map([
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [866, 'ibm866'],
  [874, 'windows-874'],
  [10_000, 'macintosh'],
  [65_001, 'utf-8'],
]);

interface Group {
  readonly isLeft: boolean;
  /** Units that stand after a Unicode character for programs that do not know it. */
  fallback: number;
  charset: string | undefined;
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Rich text (rtf). @throws Unreadable `damaged`, `too_deep` */
export function readRichText(bytes: Buffer, writer: TextWriter): void {
  if (!bytes.subarray(0, 5).equals(Buffer.from('{\\rtf'))) throw new Unreadable('damaged');
  new RichTextReader(bytes, writer).read();
}

class RichTextReader {
  readonly #bytes: Buffer;
  readonly #writer: TextWriter;
  readonly #groups: Group[] = [];
  #group: Group = { isLeft: false, fallback: 1, charset: undefined };
  #codePage = 'windows-1252';
  /** The charset of each font, and the font that is described. */
  readonly #fonts = new Map<number, string>();
  #font = 0;
  /** Whether the present group is within the table of fonts. */
  #fontTableDepth = 0;
  /** Bytes of characters that are not decoded yet. */
  #pending: number[] = [];
  #toSkip = 0;
  #at = 0;

  constructor(bytes: Buffer, writer: TextWriter) {
    this.#bytes = bytes;
    this.#writer = writer;
  }

  read(): void {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const code = bytes[this.#at] ?? 0;
      this.#at += 1;
      if (code === 0x7b) this.#open();
      else if (code === 0x7d) {
        if (!this.#close()) break;
      } else if (code === 0x5c) this.#readControl();
      else if (code !== 0x0a && code !== 0x0d) this.#takeByte(code);
    }
    this.#flush();
    this.#writer.endLine();
  }

  #open(): void {
    this.#flush();
    if (this.#groups.length >= maxDepth) throw new Unreadable('too_deep');
    this.#groups.push(this.#group);
    this.#group = { ...this.#group };
  }

  /** @returns whether the document goes on */
  #close(): boolean {
    this.#flush();
    if (this.#fontTableDepth === this.#groups.length) this.#fontTableDepth = 0;
    const outer = this.#groups.pop();
    if (outer === undefined) return false;
    this.#group = outer;
    return this.#groups.length > 0;
  }

  #readControl(): void {
    const bytes = this.#bytes;
    const code = bytes[this.#at] ?? 0;
    if (!isLetter(code)) {
      this.#at += 1;
      this.#takeSymbol(code);
      return;
    }
    const start = this.#at;
    while (isLetter(bytes[this.#at] ?? 0) && this.#at - start < 40) this.#at += 1;
    const word = bytes.toString('latin1', start, this.#at);
    const from = this.#at;
    if (bytes[this.#at] === 0x2d) this.#at += 1;
    while (isDigit(bytes[this.#at] ?? 0) && this.#at - from < 12) this.#at += 1;
    const number = this.#at > from ? Number(bytes.toString('latin1', from, this.#at)) : undefined;
    if (bytes[this.#at] === 0x20) this.#at += 1;
    this.#takeWord(word, number);
  }

  #takeSymbol(code: number): void {
    if (code === 0x27) {
      const byte = Number.parseInt(this.#bytes.toString('latin1', this.#at, this.#at + 2), 16);
      this.#at += 2;
      if (!Number.isNaN(byte)) this.#takeByte(byte);
      return;
    }
    if (code === 0x2a) this.#leaveOut();
    else if (code === 0x7e) this.#write('\u00a0');
    else if (code === 0x5f) this.#write('-');
    else if (code === 0x0a || code === 0x0d) this.#write('\n');
    else if (code === 0x5c || code === 0x7b || code === 0x7d) this.#takeByte(code);
  }

  #leaveOut(): void {
    this.#flush();
    this.#group = { ...this.#group, isLeft: true };
  }

  #takeWord(word: string, number: number | undefined): void {
    if (word === 'fonttbl') this.#fontTableDepth = this.#groups.length;
    if (left.has(word)) this.#leaveOut();
    else if (word === 'bin') this.#at += Math.max(0, number ?? 0);
    else if (word === 'u' && number !== undefined) {
      this.#write(String.fromCharCode(number & 0xffff));
      this.#toSkip = this.#group.fallback;
    } else if (word === 'uc') this.#group.fallback = Math.min(Math.max(number ?? 1, 0), 100);
    else if (word === 'ansicpg') this.#codePage = labelOf(number ?? 1252);
    else if (word === 'mac') this.#codePage = 'macintosh';
    else if (word === 'f') this.#takeFont(number ?? 0);
    else if (word === 'plain') this.#changeCharset(undefined);
    else if (word === 'fcharset') {
      const label = charsetLabels.get(number ?? 0);
      if (label !== undefined && this.#fonts.size < 10_000) this.#fonts.set(this.#font, label);
    } else {
      const text = characters.get(word);
      if (text !== undefined) this.#write(text);
    }
  }

  #takeFont(number: number): void {
    this.#font = number;
    if (this.#fontTableDepth === 0) this.#changeCharset(this.#fonts.get(number));
  }

  #changeCharset(charset: string | undefined): void {
    this.#flush();
    this.#group.charset = charset;
  }

  #takeByte(byte: number): void {
    if (this.#toSkip > 0) {
      this.#toSkip -= 1;
      return;
    }
    if (this.#group.isLeft) return;
    this.#pending.push(byte);
    if (this.#pending.length >= 16 * 1024) this.#flush();
  }

  #write(text: string): void {
    this.#flush();
    this.#toSkip = 0;
    if (!this.#group.isLeft) this.#writer.write(text);
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const text = new TextDecoder(this.#group.charset ?? this.#codePage).decode(Buffer.from(this.#pending));
    this.#pending = [];
    this.#writer.write(text);
  }
}

/** The label of a code page. Unknown ones are read as the usual one. */
function labelOf(codePage: number): string {
  const known = codePages.get(codePage);
  if (known !== undefined) return known;
  return codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : 'windows-1252';
}
