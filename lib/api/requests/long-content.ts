import { createHash } from 'node:crypto';
import { findTextMember, type TextSpan } from '../../http/json-shape.js';
import { ContentDecoder, contentTooLarge, type ContentEncoding } from '../../operations/documents/content.js';
import { canonicalize } from './canonicalize.js';

/** The content of a JSON body, taken out of it in pieces. */
export interface LongContent {
  readonly pieces: readonly Buffer[];
  /** SHA-256 of the whole body's RFC 8785 form. */
  readonly digest: Buffer;
}

/** A JSON body without its content. */
export interface SplitBody {
  /** The body, with '' as its `content`. */
  readonly value: unknown;
  readonly content: LongContent;
}

const member = 'content';
/** Bytes of JSON parsed at a time. */
const pieceLength = 64 * 1024;
const backslash = 0x5c;
const letterU = 0x75;

/**
 * Parses a long JSON body piece by piece, and yields on the way. `JSON.parse` of ten megabytes holds the event loop for
 * a tenth of a second, and nothing can interrupt it.
 * @param maxRest bytes of the body beside its content
 * @param maxContent bytes of content
 * @returns undefined when the body has no text as its `content`
 * @throws Refusal INVALID_REQUEST `bad_json`, `bad_field`, `content_too_large`; SyntaxError for invalid JSON
 */
export function* splitBody(bytes: Buffer, maxRest: number, maxContent: number): Generator<void, SplitBody | undefined> {
  const [span] = yield* findTextMember(bytes, member);
  if (span === undefined) return undefined;
  if (bytes.length - (span.end - span.start) > maxRest) return undefined;
  const rest = Buffer.concat([bytes.subarray(0, span.start), bytes.subarray(span.end)]);
  const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rest)) as Record<string, unknown>;
  const content = yield* takeContent(bytes, span, value, maxContent);
  return { value, content };
}

function* takeContent(
  bytes: Buffer,
  span: TextSpan,
  value: Readonly<Record<string, unknown>>,
  largest: number,
): Generator<void, LongContent> {
  const { [member]: _, ...others } = value;
  const decoder = new ContentDecoder((others['encoding'] === 'base64' ? 'base64' : 'utf-8') satisfies ContentEncoding);
  // In the canonical form `content` is the first of a body's possible members.
  const hash = createHash('sha256').update(`{"${member}":"`);
  const pieces: Buffer[] = [];
  let size = 0;
  for (const piece of readText(bytes, span)) {
    hash.update(JSON.stringify(piece).slice(1, -1));
    const decoded = decoder.decode(piece);
    size += decoded.length;
    if (size > largest) throw contentTooLarge(largest);
    pieces.push(decoded);
    yield;
  }
  decoder.end();
  const end = canonicalize(others)?.slice(1) ?? '}';
  hash.update(end === '}' ? '"}' : `",${end}`);
  return { pieces, digest: hash.digest() };
}

/** The characters of a text in JSON, in pieces of at most `pieceLength`. @throws SyntaxError, TypeError */
function* readText(bytes: Buffer, { start, end }: TextSpan): Generator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let at = start; at < end;) {
    const stop = at + pieceLength < end ? findCut(bytes, at, at + pieceLength, end) : end;
    yield JSON.parse(`"${decoder.decode(bytes.subarray(at, stop))}"`) as string;
    at = stop;
  }
}

/** The last place up to `limit` for a cut: not within an escape, a pair of them, or a character. */
function findCut(bytes: Buffer, from: number, limit: number, end: number): number {
  for (let at = from; at < limit;) {
    const distance = bytes.subarray(at, limit).indexOf(backslash);
    if (distance < 0) {
      let cut = limit;
      while (cut > at && isContinued(bytes[cut])) cut -= 1;
      return cut > from ? cut : limit;
    }
    const escape = at + distance;
    const next = Math.min(end, escape + lengthOfEscape(bytes, escape));
    if (next > limit) return escape > from ? escape : next;
    at = next;
  }
  return limit;
}

/** Whether the byte continues a character from before it (RFC 3629 §3). */
function isContinued(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Both halves of a surrogate pair count as one. */
function lengthOfEscape(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== letterU) return 2;
  const isHigh = /^d[89ab]$/i.test(bytes.toString('latin1', at + 2, at + 4));
  const isPair = isHigh && bytes[at + 6] === backslash && bytes[at + 7] === letterU;
  return isPair ? 12 : 6;
}
