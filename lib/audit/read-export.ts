import { closeSync, openSync, readSync } from 'node:fs';
import type { ExportedRecord } from './export.js';

/** A line of an export cannot be read. */
export class ExportUnreadable extends Error {
  override readonly name = 'ExportUnreadable';
}

const members =
  'action at code credential detail hash interface outcome prev_hash principal request_id seq target version';

const pieceSize = 64 * 1024;

/**
 * The records of an export, line by line; memory stays flat.
 * @throws ExportUnreadable with the line's number, where it is no record; Error when the file cannot be read
 */
export function* readExport(file: string): Generator<ExportedRecord> {
  let number = 0;
  for (const line of readLines(file)) {
    number += 1;
    if (line !== '') yield parseLine(line, number);
  }
}

function parseLine(line: string, number: number): ExportedRecord {
  let entry: Partial<ExportedRecord> | null;
  try {
    entry = JSON.parse(line) as Partial<ExportedRecord> | null;
  } catch {
    throw new ExportUnreadable(`line ${number} is no JSON`);
  }
  const record = entry?.record;
  // A member that is not hashed would pass unnoticed.
  if (typeof record !== 'object' || Object.keys(record).toSorted().join(' ') !== members) {
    throw new ExportUnreadable(`line ${number} is no audit record`);
  }
  return entry as ExportedRecord;
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
