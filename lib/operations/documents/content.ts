import { Buffer } from 'node:buffer';
import { lookup } from 'mime-types';
import type { PreparedContent } from '../../changes/prepare-content.js';
import type { PreparedVersion } from '../../changes/read-sections.js';
import { maxVersionMessage } from '../../domain/history-entry.js';
import type { Location } from '../../domain/location.js';
import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import { readPolicy } from '../../access/read-policy.js';
import { prepareContent, prepareStream } from '../../changes/prepare-content.js';
import { declaredCharset, labelOf, type Judged } from '../../text/charset.js';
import type { PrepareContext } from '../operation.js';
import { requireVisible } from '../require-visible.js';
import { readClaimedText } from './read-text.js';

/**
 * A face's content: whole; in pieces, where one long piece would hold the event loop; or as it arrives (raw uploads).
 */
export type ContentSource =
  { readonly bytes: Buffer } | { readonly pieces: readonly Buffer[] } | { readonly stream: AsyncIterable<Uint8Array> };

const loneSurrogate = /\p{Surrogate}/u;

/** The encoding of content in a JSON body. */
export type ContentEncoding = 'utf-8' | 'base64';

/** Turns a JSON body's content into bytes. @throws Refusal as `ContentDecoder` does */
export function decodeContent(content: string, encoding: ContentEncoding = 'utf-8'): Buffer {
  const decoder = new ContentDecoder(encoding);
  const bytes = decoder.decode(content);
  decoder.end();
  return bytes;
}

/** Turns the content of a JSON body into bytes, piece by piece. No piece may end within a surrogate pair. */
export class ContentDecoder {
  readonly #encoding: ContentEncoding;
  /** Characters of an incomplete base64 group. */
  #rest = '';
  #isPadded = false;

  constructor(encoding: ContentEncoding) {
    this.#encoding = encoding;
  }

  /** @throws Refusal INVALID_REQUEST `bad_field` for text that is not Unicode, or for invalid base64 */
  decode(piece: string): Buffer {
    if (this.#encoding === 'base64') return this.#decodeBase64(piece);
    if (loneSurrogate.test(piece)) {
      throw invalidRequest('bad_field', 'The content holds half a surrogate pair, which no UTF-8 text can.', {
        field: 'content',
      });
    }
    return Buffer.from(piece, 'utf8');
  }

  /** @throws Refusal INVALID_REQUEST `bad_field` when the content stops within a group of base64 */
  end(): void {
    if (this.#rest !== '') throw notBase64();
  }

  #decodeBase64(piece: string): Buffer {
    const text = this.#rest + piece;
    const whole = text.length - (text.length % 4);
    this.#rest = text.slice(whole);
    const groups = text.slice(0, whole);
    // Padding ends the content, so nothing may follow it.
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(groups) || (this.#isPadded && text !== '')) throw notBase64();
    this.#isPadded ||= groups.endsWith('=');
    return Buffer.from(groups, 'base64');
  }
}

function notBase64(): Refusal {
  return invalidRequest('bad_field', 'The content is not base64 (RFC 4648 §4, padded, without line breaks).', {
    field: 'content',
  });
}

/**
 * Prepares content for its transaction.
 * @param mediaType the one that it will have, if that is known: it can declare how the bytes are text
 * @throws Refusal INVALID_REQUEST `content_too_large` with the limit in bytes
 */
export async function prepareSource(
  context: PrepareContext,
  source: ContentSource,
  mediaType?: string,
): Promise<PreparedContent> {
  // The present one, and not the view's: an import prepares many contents, in several turns of the event loop.
  const policy = readPolicy(context.workspace.journal.reader);
  const declared = mediaType === undefined ? undefined : declaredCharset(mediaType);
  if ('bytes' in source) {
    if (source.bytes.length > policy.largestText) throw contentTooLarge(policy.largestText);
    const content = await prepareContent(context.workspace.staging, source.bytes, context.staged, declared);
    context.workspace.objects.remember(content, source.bytes);
    return content;
  }
  if ('pieces' in source) {
    const stream = limited(toAsync(source.pieces), policy.largestText);
    return prepareStream(context.workspace.staging, stream, context.staged, declared);
  }
  return prepareStream(context.workspace.staging, limited(source.stream, policy.largestBlob), context.staged, declared);
}

/**
 * The same for a new version of an existing document. An erase of the document breaks off content that arrives in
 * pieces.
 * @throws Refusal NOT_FOUND then
 */
export async function prepareVersion(
  context: PrepareContext,
  location: Location,
  source: ContentSource,
  mediaType?: string,
): Promise<PreparedVersion> {
  const document = context.view.document(location);
  if (document === undefined) return prepareSource(context, source, mediaType);
  const declaring = mediaType ?? document.current.mediaType;
  const content = await context.workspace.uploads.follow(document.id, (guard) =>
    prepareSource(context, 'stream' in source ? { stream: guard(source.stream) } : source, declaring),
  );
  return { ...content, before: await readClaimedText(context, location) };
}

async function* toAsync(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

async function* limited(stream: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > most) throw contentTooLarge(most);
    yield chunk;
  }
}

/** The same for a length stated beforehand and for a measured one. @param limit bytes */
export function contentTooLarge(limit: number): Refusal {
  return invalidRequest('content_too_large', `The content is larger than ${limit} bytes.`, { field: 'content', limit });
}

const mediaTypePattern =
  /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}(?:; ?[a-z0-9-]{1,40}=(?:[a-zA-Z0-9!#$&^_.+-]{1,80}|"[ a-zA-Z0-9!#$&'()+,./:=?^_-]{0,80}")){0,4}$/;

/** @throws Refusal INVALID_REQUEST `bad_field` when it is not a media type (RFC 9110 §8.3.1) */
export function parseMediaType(text: string): string {
  const semicolon = text.indexOf(';');
  const essence = (semicolon < 0 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  const mediaType = semicolon < 0 ? essence : `${essence};${text.slice(semicolon + 1)}`;
  if (!mediaTypePattern.test(mediaType)) {
    throw invalidRequest('bad_field', 'The media_type is not a media type such as text/markdown or image/png.', {
      input: 'mediaType',
    });
  }
  return mediaType;
}

const plainText = 'text/plain; charset=utf-8';
/** Types of binary content, regardless of the ending: elsewhere `.ts` can be a video. */
const neverText = /^(?:audio|font|image|video)\/(?!.*\+(?:json|xml)$)/;

/**
 * The media type by name and bytes. Text never gets the type of a picture, sound, film or font, so that it is shown as
 * text. Text that is not in UTF-8 gets the charset by which it was found to be text.
 */
export function guessMediaType(name: string, { kind, charset }: Judged): string {
  const byName = lookup(name);
  if (kind === 'binary') return byName === false || byName.startsWith('text/') ? 'application/octet-stream' : byName;
  if (charset !== undefined) {
    return `${byName === false || neverText.test(byName) ? 'text/plain' : byName}; charset=${labelOf(charset)}`;
  }
  if (byName === false || neverText.test(byName)) return plainText;
  return byName.startsWith('text/') ? `${byName}; charset=utf-8` : byName;
}

/**
 * A writer's note on a version, with LF line ends and without surrounding blanks. An empty one is null.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseMessage(text: string | undefined): string | null {
  if (text === undefined) return null;
  const message = text.replace(/\r\n?/g, '\n').trim();
  if (message.length > maxVersionMessage || loneSurrogate.test(message)) {
    throw invalidRequest('bad_field', `The message must be text of at most ${maxVersionMessage} characters.`, {
      input: 'message',
    });
  }
  requireVisible(message, { input: 'message' });
  return message === '' ? null : message;
}

const maxLabelLength = 100;
const maxLabels = 50;

/** A long text is not composed, because composing takes the square of its length. */
const maxComposedLength = 4 * maxLabelLength;

/**
 * Reads labels that a document may already have, to find or remove them.
 * @returns the labels once each, in order. @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseLabels(labels: readonly string[] | undefined): string[] {
  const parsed = (labels ?? []).map((label) => {
    const trimmed = label.trim();
    return trimmed.length > maxComposedLength ? trimmed : trimmed.normalize('NFC');
  });
  const isBad = (label: string): boolean =>
    label === '' || label.length > maxLabelLength || /[\0-\x1f\x7f,]/.test(label) || loneSurrogate.test(label);
  if (parsed.length > maxLabels || parsed.some(isBad)) {
    throw invalidRequest('bad_field', `At most ${maxLabels} labels of 1 to ${maxLabelLength} characters, no commas.`, {
      input: 'labels',
    });
  }
  return [...new Set(parsed)].toSorted();
}

/** For labels new to a document. @throws Refusal INVALID_REQUEST `bad_field` */
export function requireVisibleLabels(labels: readonly string[]): void {
  for (const label of labels) requireVisible(label, { input: 'labels' });
}
