import { isUtf8 } from 'node:buffer';

/*
 * How bytes become text, for everything that reads. The bytes stay as they were sent. A text is in the first of these
 * that it fits: UTF-16 where it begins with the mark of that, UTF-8, and the charset that its media type declares
 * (decision 0100). So it is known from the bytes and the media type alone, which git has.
 */

/** How a text's bytes are read: `marked-utf-16le`, `marked-utf-16be`, or the name of an encoding in lower case. */
export type Charset = string;

const utf8 = 'utf-8';
const littleMarked = 'marked-utf-16le';
const bigMarked = 'marked-utf-16be';

/** What windows-1252 has in the places 0x80 to 0x9f. Some releases of Node read it as ISO 8859-1, which has none of these. */
const between = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const windows1252 = 'windows-1252';
/** By the byte. */
const unitOf = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? between.charCodeAt(byte - 0x80) : byte,
);

/** The encodings that every supported release of Node has: whether content is text must not change with the release. */
const everywhere: ReadonlySet<string> = new Set(
  `utf-8 utf-16le utf-16be ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8
  iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 koi8-r koi8-u macintosh windows-874 windows-1250
  windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258
  x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr`.split(/\s+/),
);

/** The names of encodings by the labels met so far. Only labels of the standard, which are few. */
const known = new Map<string, Charset>();

function nameOfLabel(label: string): Charset | undefined {
  const found = known.get(label);
  if (found !== undefined) return found;
  try {
    const name = new TextDecoder(label).encoding;
    if (!everywhere.has(name)) return undefined;
    known.set(label, name);
    return name;
  } catch {
    return undefined;
  }
}

const parameters = /; ?charset=(?:"([^"]*)"|([^;]*))/gi;

/**
 * The charset that a media type declares, if it is one of the Encoding Standard that can be read here. Undefined for
 * none, for an unknown one, and for UTF-8, which needs no declaration.
 */
export function declaredCharset(mediaType: string): Charset | undefined {
  const [found] = mediaType.matchAll(parameters);
  if (found === undefined) return undefined;
  const name = nameOfLabel((found[1] ?? found[2] ?? '').trim().toLowerCase());
  return name === utf8 ? undefined : name;
}

/** The media type with this charset in the place of another. @param charset a label; undefined for none */
function withCharset(mediaType: string, charset: string | undefined): string {
  // A second one would count as soon as the first is gone.
  const bare = mediaType.replaceAll(parameters, '');
  return charset === undefined ? bare : `${bare}; charset=${charset}`;
}

/** The media type, where it declares another charset, with UTF-8 in its place. */
export function declareUtf8(mediaType: string): string {
  return declaredCharset(mediaType) === undefined ? mediaType : withCharset(mediaType, utf8);
}

/** A label of the charset for a media type. Marked UTF-16 has one label for both orders, since the mark says it. */
export function labelOf(charset: Charset): string {
  return isMarked(charset) ? 'utf-16' : charset;
}

const isMarked = (charset: Charset): boolean => charset === littleMarked || charset === bigMarked;

function markedCharset(bytes: Uint8Array): Charset | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return littleMarked;
  return bytes[0] === 0xfe && bytes[1] === 0xff ? bigMarked : undefined;
}

/** What was found out about content before its media type was certain. */
export interface Judged {
  /** How it is text: undefined for binary content, and for UTF-8. */
  readonly charset?: Charset | undefined;
  /** The charset that was declared when it was checked. */
  readonly declared?: Charset | undefined;
  readonly kind: 'text' | 'binary';
}

/**
 * The media type for checked content. One that declares another charset than the one by which it was checked gets that
 * charset, or none: a rebuild must find the same.
 */
export function fitMediaType(mediaType: string, { charset, declared, kind }: Judged): string {
  if (charset !== undefined) {
    return isMarked(charset) || declaredCharset(mediaType) === charset ? mediaType : withCharset(mediaType, charset);
  }
  if (kind === 'text') return mediaType;
  const now = declaredCharset(mediaType);
  return now === undefined || now === declared ? mediaType : withCharset(mediaType, undefined);
}

/** Reads pieces of a text in one charset. The mark stays, as the first character. */
class Decoder {
  readonly #decoder: InstanceType<typeof TextDecoder> | undefined;

  constructor(charset: Charset, fatal: boolean) {
    const name = charset === littleMarked ? 'utf-16le' : charset === bigMarked ? 'utf-16be' : charset;
    if (name !== windows1252) this.#decoder = new TextDecoder(name, { fatal, ignoreBOM: true });
  }

  /** @throws TypeError for bytes that do not fit, where it is fatal */
  decode(piece: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decoder.decode(piece, { stream: true });
    const units = new Uint16Array(piece.length);
    for (let at = 0; at < piece.length; at += 1) units[at] = unitOf[piece[at] ?? 0] ?? 0;
    return Buffer.from(units.buffer).toString('utf16le');
  }

  /** @throws TypeError for a character that has no end, where it is fatal */
  end(): string {
    return this.#decoder?.decode() ?? '';
  }
}

/** Decides in which charset content that comes in pieces is text, if in any. No text holds a NUL. */
export class TextCheck {
  readonly #declared: Charset | undefined;
  /** The first byte, while it is the only one. */
  #start: Uint8Array | undefined = new Uint8Array(0);
  #utf8: Utf8Check | undefined;
  #other: { readonly charset: Charset; readonly decoder: Decoder } | undefined;

  /** @param declared the charset that the content's media type declares */
  constructor(declared?: Charset) {
    this.#declared = declared;
  }

  update(piece: Uint8Array): void {
    let bytes = piece;
    if (this.#start !== undefined) {
      if (this.#start.length > 0) bytes = Buffer.concat([this.#start, piece]);
      if (bytes.length < 2) {
        this.#start = Uint8Array.from(bytes);
        return;
      }
      this.#begin(bytes);
    }
    this.#take(bytes);
  }

  /** How the content is text; undefined for binary content. */
  charset(): Charset | undefined {
    if (this.#start !== undefined) {
      const bytes = this.#start;
      this.#begin(bytes);
      this.#take(bytes);
    }
    if (this.#utf8?.isText() === true) return utf8;
    if (this.#other === undefined) return undefined;
    const { charset, decoder } = this.#other;
    try {
      const rest = decoder.end();
      return rest.includes('\0') ? undefined : charset;
    } catch {
      return undefined;
    } finally {
      this.#other = undefined;
    }
  }

  #begin(bytes: Uint8Array): void {
    this.#start = undefined;
    const marked = markedCharset(bytes);
    if (marked === undefined) this.#utf8 = new Utf8Check();
    const charset = marked ?? this.#declared;
    if (charset !== undefined) this.#other = { charset, decoder: new Decoder(charset, true) };
  }

  #take(bytes: Uint8Array): void {
    if (this.#utf8?.update(bytes) === false) this.#utf8 = undefined;
    if (this.#other === undefined) return;
    try {
      if (this.#other.decoder.decode(bytes).includes('\0')) this.#other = undefined;
    } catch {
      this.#other = undefined;
    }
  }
}

/** Decides whether content that comes in pieces is UTF-8 without NUL. */
class Utf8Check {
  /** The first bytes of a character that ends in the next piece. */
  #begun = Buffer.alloc(0);

  /** @returns whether it can still be */
  update(piece: Uint8Array): boolean {
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece]);
    const whole = bytes.length - lengthOfBegunCharacter(bytes);
    const complete = bytes.subarray(0, whole);
    this.#begun = Buffer.from(bytes.subarray(whole));
    return isPlain(complete);
  }

  isText(): boolean {
    return this.#begun.length === 0;
  }
}

const isPlain = (bytes: Uint8Array): boolean => !bytes.includes(0) && isUtf8(bytes);

/** How many bytes at the end begin a UTF-8 character without ending it. */
function lengthOfBegunCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue; // inside a character
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** What content is, in the words of a version's row. @param declared as for `TextCheck` */
export function judge(check: TextCheck, declared: Charset | undefined): Judged {
  const charset = check.charset();
  const kind = charset === undefined ? 'binary' : 'text';
  return { kind, charset: charset === utf8 ? undefined : charset, declared };
}

/** How the bytes of a text are read. Meaningful only where a check has found that they are text. */
export function charsetOf(bytes: Uint8Array, mediaType: string): Charset {
  const marked = markedCharset(bytes);
  if (marked !== undefined) return marked;
  const declared = declaredCharset(mediaType);
  return declared === undefined || isPlain(bytes) ? utf8 : declared;
}

/** The text of a version's bytes. @param mediaType the version's own */
export function decodeText(bytes: Buffer, mediaType: string): string {
  return decodeAs(bytes, charsetOf(bytes, mediaType));
}

/** @param charset undefined for UTF-8 */
export function decodeAs(bytes: Buffer, charset: Charset | undefined): string {
  if (charset === undefined || charset === utf8) return bytes.toString('utf8');
  const decoder = new Decoder(charset, false);
  return decoder.decode(bytes) + decoder.end();
}

/** Bytes that are decoded in one step: about ten milliseconds for the slowest charset. */
const stepLength = 512 * 1024;

/** The same for long content: ten megabytes of Chinese take a tenth of a second. */
export function* decodeTextInSteps(bytes: Buffer, mediaType: string): Generator<void, string> {
  const charset = charsetOf(bytes, mediaType);
  if (charset === utf8) return yield* decodeUtf8InSteps(bytes);
  const decoder = new Decoder(charset, false);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += stepLength) {
    yield;
    parts.push(decoder.decode(bytes.subarray(at, at + stepLength)));
  }
  return parts.join('') + decoder.end();
}

/** As it is, with its mark of the byte order. */
export function* decodeUtf8InSteps(bytes: Buffer): Generator<void, string> {
  if (bytes.length <= stepLength) return bytes.toString('utf8');
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = beforeCharacter(bytes, Math.min(at + stepLength, bytes.length));
    parts.push(bytes.toString('utf8', at, end));
    at = end;
    yield;
  }
  return parts.join('');
}

/** The place itself, or the start of the character that a cut there would divide: more than three in a row belong to none. */
function beforeCharacter(bytes: Buffer, place: number): number {
  return place - ([0, 1, 2, 3].find((back) => !isBehind(bytes[place - back])) ?? 0);
}

const isBehind = (byte = 0): boolean => (byte & 0xc0) === 0x80;

/** The bytes of a text as UTF-8, for what works on bytes. The same object where they are. */
export function* asUtf8InSteps(bytes: Buffer, mediaType: string): Generator<void, Buffer> {
  const charset = charsetOf(bytes, mediaType);
  if (charset === utf8) return bytes;
  const decoder = new Decoder(charset, false);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += stepLength) {
    yield;
    // A decoder gives both halves of a surrogate pair together, so each part has bytes of its own.
    parts.push(Buffer.from(decoder.decode(bytes.subarray(at, at + stepLength)), 'utf8'));
  }
  yield;
  return Buffer.concat([...parts, Buffer.from(decoder.end(), 'utf8')]);
}

/** Reads a text that comes in pieces. */
export interface TextDecoding {
  decode(piece: Uint8Array): string;
  end(): string;
}

/** @param charset undefined for UTF-8, and for UTF-16 with a mark */
export function openDecoder(charset?: Charset): TextDecoding {
  if (charset !== undefined) return new Decoder(charset, false);
  let start = Buffer.alloc(0);
  let decoder: Decoder | undefined;
  const begin = (): Decoder => (decoder = new Decoder(markedCharset(start) ?? utf8, false));
  return {
    decode(piece) {
      if (decoder !== undefined) return decoder.decode(piece);
      start = Buffer.concat([start, piece]);
      return start.length < 2 ? '' : begin().decode(start);
    },
    end: () => (decoder === undefined ? begin().decode(start) : '') + (decoder?.end() ?? ''),
  };
}

/** The charset of content in pieces that is known to be text. Reads it to its end at most. */
export async function findCharset(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  mediaType: string,
): Promise<Charset> {
  const check = new TextCheck(declaredCharset(mediaType));
  for await (const piece of pieces) check.update(piece);
  return check.charset() ?? utf8;
}

const noByte = -1;
/** The byte of each UTF-16 unit that a charset of single bytes has, by the charset. All of them are whole characters. */
const encoders = new Map<Charset, Int16Array | undefined>();

/** Undefined for a charset in which a character takes several bytes. */
function encoderOf(charset: Charset): Int16Array | undefined {
  if (encoders.has(charset)) return encoders.get(charset);
  const bytes = new Int16Array(0x10000).fill(noByte);
  let isSingle = true;
  for (let byte = 0; byte < 256; byte += 1) {
    const text = decodeAs(Buffer.from([byte]), charset);
    const rest = decodeAs(Buffer.from([byte, 0x41]), charset);
    // A byte that begins a longer character swallows the next one, or is no character alone.
    if (rest.length !== 2 || rest[1] !== 'A') isSingle = false;
    const unit = text.charCodeAt(0);
    if (text !== '\ufffd' && bytes[unit] === noByte) bytes[unit] = byte;
  }
  const found = isSingle ? bytes : undefined;
  encoders.set(charset, found);
  return found;
}

/** Why a text has no bytes in a charset. */
export interface Unsayable {
  readonly charset: string;
  /** The first character that the charset does not have. Undefined where the charset is read here and not written. */
  readonly character: string | undefined;
}

/**
 * The bytes of an edited text. It stays in the charset of the document, and keeps the mark.
 * @param before how the document is read @param mediaType by which the bytes will be read
 */
export function encodeText(text: string, before: Charset, mediaType: string): Buffer | Unsayable {
  if (before === utf8) return Buffer.from(text, 'utf8');
  if (isMarked(before)) return encodeUtf16(text.startsWith('\ufeff') ? text : `\ufeff${text}`, before);
  const bytes = before.startsWith('utf-16') ? encodeUtf16(text, before) : encodeBytes(text, before);
  if (!Buffer.isBuffer(bytes)) return bytes;
  // Few texts in another charset are valid UTF-8 too. They would be read as that.
  return decodeText(bytes, mediaType) === text ? bytes : { charset: before, character: undefined };
}

function encodeUtf16(text: string, charset: Charset): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return charset.endsWith('be') ? bytes.swap16() : bytes;
}

function encodeBytes(text: string, charset: Charset): Buffer | Unsayable {
  const encoder = encoderOf(charset);
  const bytes = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const byte = encoder === undefined ? (unit < 0x80 ? unit : noByte) : (encoder[unit] ?? noByte);
    if (byte === noByte) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? unit);
      return { charset, character: encoder === undefined ? undefined : character };
    }
    bytes[at] = byte;
  }
  return bytes;
}
