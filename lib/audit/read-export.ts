import { closeSync, openSync, readSync } from 'node:fs';
import type { AuditText } from '../domain/audit-record.js';
import type { SignedCheckpoint } from './signed-checkpoint.js';
import type { ExportedLine, ExportedRecord } from './exported-line.js';

/** A line of an export cannot be read. */
export class ExportUnreadable extends Error {
  override readonly name = 'ExportUnreadable';
}

const recordMembers =
  'action at code credential detail hash interface outcome prev_hash principal request_id seq target version';
const textMembers = 'detail salt seq target';
const checkpointMembers = 'at closing hash seq signature workspace';

const pieceSize = 64 * 1024;
/** Bytes of a line. The longest record names what one request of git asked for, and stays well below. */
const maxLine = 4 * 1024 * 1024;

/**
 * The records of an export and the signatures between them, line by line; memory stays flat.
 * @throws ExportUnreadable with the line's number, where it is neither; Error when the file cannot be read
 */
export function* readExport(file: string): Generator<ExportedLine> {
  let number = 0;
  for (const line of readLines(file)) {
    number += 1;
    if (line.length > 0) yield parseLine(line, number);
  }
}

/**
 * Hash and signature cover values. What stands in a line beside them would pass unnoticed, and be read by people and
 * other programs. So a line must have exactly the members of its kind, and be the very bytes that writing them gives:
 * no member twice, no other spelling of a value, no space.
 */
function parseLine(line: Buffer, number: number): ExportedLine {
  let entry: unknown;
  try {
    entry = JSON.parse(line.toString('utf8'));
  } catch {
    throw new ExportUnreadable(`line ${number} is no JSON`);
  }
  if (!isRecordLine(entry) && !isCheckpointLine(entry)) {
    throw new ExportUnreadable(`line ${number} is no audit record`);
  }
  if (!Buffer.from(JSON.stringify(entry)).equals(line)) {
    throw new ExportUnreadable(`line ${number} is not as an export writes it: it was changed, if only in its spelling`);
  }
  return entry;
}

function isRecordLine(entry: unknown): entry is ExportedRecord {
  if (!hasMembers(entry, 'record') && !hasMembers(entry, 'record text')) return false;
  const { record, text } = entry as { readonly record: unknown; readonly text?: unknown };
  if (!hasMembers(record, recordMembers)) return false;
  return text === undefined || isTextOf((record as { readonly seq: unknown }).seq, text);
}

/** A salt is read leniently: bytes behind its last digit would not count. */
function isTextOf(seq: unknown, text: unknown): boolean {
  if (!hasMembers(text, textMembers)) return false;
  const { seq: own, salt, target, detail } = text as { readonly [Member in keyof AuditText]: unknown };
  return own === seq && isSpelled(salt, 'hex') && isTextOrNull(target) && isTextOrNull(detail);
}

function isCheckpointLine(entry: unknown): entry is ExportedLine {
  if (!hasMembers(entry, 'checkpoint')) return false;
  const { checkpoint } = entry as { readonly checkpoint: unknown };
  if (!hasMembers(checkpoint, checkpointMembers)) return false;
  const { workspace, at, closing, signature } = checkpoint as { readonly [Member in keyof SignedCheckpoint]: unknown };
  const isTyped = typeof workspace === 'string' && typeof at === 'string' && typeof closing === 'boolean';
  return isTyped && isSpelled(signature, 'base64');
}

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

/** Whether it is bytes in their one spelling. */
const isSpelled = (value: unknown, encoding: 'hex' | 'base64'): boolean =>
  typeof value === 'string' && Buffer.from(value, encoding).toString(encoding) === value;

function hasMembers(value: unknown, members: string): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).toSorted().join(' ') === members;
}

/** @throws ExportUnreadable where a line is longer than any that an export has */
function* readLines(file: string): Generator<Buffer> {
  const descriptor = openSync(file, 'r');
  let number = 1;
  /** Of the line that has begun. */
  let pieces: Buffer[] = [];
  let length = 0;
  const takeIn = (part: Buffer): void => {
    length += part.length;
    if (length > maxLine) throw new ExportUnreadable(`line ${number} is longer than any record`);
    // The piece is read into again.
    if (part.length > 0) pieces.push(Buffer.from(part));
  };
  const end = (): Buffer => {
    const line = Buffer.concat(pieces, length);
    pieces = [];
    length = 0;
    number += 1;
    return line;
  };
  try {
    const piece = Buffer.alloc(pieceSize);
    for (;;) {
      const read = piece.subarray(0, readSync(descriptor, piece));
      if (read.length === 0) break;
      let start = 0;
      for (let at = read.indexOf(0x0a); at >= 0; at = read.indexOf(0x0a, start)) {
        takeIn(read.subarray(start, at));
        yield end();
        start = at + 1;
      }
      takeIn(read.subarray(start));
    }
    if (length > 0) yield end();
  } finally {
    closeSync(descriptor);
  }
}
