import { closeSync, openSync, readSync } from 'node:fs';
import type { ExportedCheckpoint, ExportedLine, ExportedRecord } from './exported-line.js';

/** A line of an export cannot be read. */
export class ExportUnreadable extends Error {
  override readonly name = 'ExportUnreadable';
}

const recordMembers =
  'action at code credential detail hash interface outcome prev_hash principal request_id seq target version';
const checkpointMembers = 'at closing hash seq signature workspace';

const pieceSize = 64 * 1024;

/**
 * The records of an export and the signatures between them, line by line; memory stays flat.
 * @throws ExportUnreadable with the line's number, where it is neither; Error when the file cannot be read
 */
export function* readExport(file: string): Generator<ExportedLine> {
  let number = 0;
  for (const line of readLines(file)) {
    number += 1;
    if (line !== '') yield parseLine(line, number);
  }
}

function parseLine(line: string, number: number): ExportedLine {
  let entry: Partial<ExportedRecord & ExportedCheckpoint> | null;
  try {
    entry = JSON.parse(line) as Partial<ExportedRecord & ExportedCheckpoint> | null;
  } catch {
    throw new ExportUnreadable(`line ${number} is no JSON`);
  }
  // A member outside the hash and the signature would pass unnoticed.
  if (hasMembers(entry?.record, recordMembers)) return entry as ExportedRecord;
  if (hasMembers(entry?.checkpoint, checkpointMembers)) return entry as ExportedCheckpoint;
  throw new ExportUnreadable(`line ${number} is no audit record`);
}

function hasMembers(value: unknown, members: string): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).toSorted().join(' ') === members;
}

function* readLines(file: string): Generator<string> {
  const descriptor = openSync(file, 'r');
  try {
    const piece = Buffer.alloc(pieceSize);
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const length = readSync(descriptor, piece);
      if (length === 0) break;
      rest = Buffer.concat([rest, piece.subarray(0, length)]);
      let start = 0;
      for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a, start)) {
        yield rest.toString('utf8', start, end);
        start = end + 1;
      }
      rest = rest.subarray(start);
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
