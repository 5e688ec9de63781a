import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { maxEntries } from '../bounds.js';
import { kindOf } from '../file-kinds.js';
import { readHtml } from './read-html.js';
import type { TextWriter } from './text-writer.js';
import { reasonOf, Unreadable } from './unreadable.js';

/** Reads an attachment as a file of its own. */
export type ReadAttachment = (bytes: Buffer, mediaType: string, name: string) => Promise<void>;

/** A mail (eml): what its head says, its text, and each attachment as a part. Attachments of attachments are left out. */
export async function readMail(bytes: Buffer, writer: TextWriter, readAttachment: ReadAttachment): Promise<void> {
  const mail = await parse(bytes);
  if (mail.headers.length === 0) throw new Unreadable('damaged');
  if (mail.attachments.length > maxEntries) throw new Unreadable('too_many_parts');
  writeHead(mail, writer);
  if ((mail.text ?? '').trim() !== '') writer.write(mail.text ?? '');
  else if (mail.html !== undefined) readHtml(mail.html, writer);
  for (const [index, attachment] of mail.attachments.entries()) {
    await takeAttachment(attachment, index + 1, writer, readAttachment);
  }
}

/** @throws Unreadable `too_deep`, `too_many_parts` */
async function parse(bytes: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(bytes);
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    if (said.startsWith('Maximum MIME nesting depth')) throw new Unreadable('too_deep');
    if (said.startsWith('Maximum header size')) throw new Unreadable('too_many_parts');
    throw error;
  }
}

function writeHead(mail: Email, writer: TextWriter): void {
  if (mail.subject !== undefined && mail.subject.trim() !== '') {
    writer.beginHeading(1);
    writer.write(mail.subject.replaceAll(/\s+/g, ' ').trim());
    writer.endLine();
  }
  const lines: (readonly [string, readonly Address[] | undefined])[] = [
    ['From', mail.from === undefined ? undefined : [mail.from]],
    ['To', mail.to],
    ['Cc', mail.cc],
  ];
  for (const [name, addresses = []] of lines) {
    if (addresses.length > 0) writer.write(`${name}: ${addresses.map(showAddress).join(', ')}\n`);
  }
  if (mail.date !== undefined) writer.write(`Date: ${mail.date}\n`);
  writer.write('\n');
}

function showAddress(address: Address): string {
  if (address.group !== undefined) return [address.name, ...address.group.map(showAddress)].join(' ');
  return address.name === '' ? address.address : `${address.name} <${address.address}>`;
}

async function takeAttachment(
  { content, mimeType, filename }: Attachment,
  number: number,
  writer: TextWriter,
  readAttachment: ReadAttachment,
): Promise<void> {
  writer.beginPart(`Attachment ${number}`);
  const name = filename ?? '';
  if (name !== '') writer.write(`${name}\n`);
  const kind = kindOf(mimeType, name);
  if (kind === undefined || kind === 'mail' || typeof content === 'string') return;
  const bytes = content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(new Uint8Array(content));
  try {
    await writer.within(() => readAttachment(bytes, mimeType, name));
  } catch (error) {
    // The mail has its text, whatever is in its attachments.
    if (!(error instanceof Error) || error.name === 'TextIsFull' || reasonOf(error) === 'too_much_memory') throw error;
  }
  writer.endLine();
}
