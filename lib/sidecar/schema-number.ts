import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** A step of a schema: a file of SQL with its number. */
export interface SchemaStep {
  readonly number: number;
  readonly name: string;
}

/** The steps of a folder, in their order. */
export function listSteps(folder: string): SchemaStep[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const number = fileName.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), name }];
    })
    .toSorted((a, b) => a.number - b.number);
}

/** Offsets in the header of a SQLite file, and in a write-ahead log and each of its frames (sqlite.org/fileformat). */
const versionAt = 60;
const headerSize = 100;
const logHeaderSize = 32;
const frameHeaderSize = 24;

/**
 * The number of the last step that a file has had, read from its bytes: no connection is opened, so no byte of the
 * folder changes. What a killed process left in the write-ahead log counts.
 * @returns undefined where there is no file yet, or nothing that SQLite wrote
 */
export function readSchemaNumber(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const header = readBytes(file, (read) => read(0, headerSize));
  const log = `${file}-wal`;
  const inLog = existsSync(log) ? readBytes(log, findInLog) : undefined;
  if (inLog !== undefined) return inLog;
  // A file that was cut short is damaged. Its opening says so.
  const isWhole = header.length === headerSize && header.toString('latin1', 0, 15) === 'SQLite format 3';
  return isWhole ? header.readUInt32BE(versionAt) : undefined;
}

type Read = (at: number, count: number) => Buffer;

/** The number in the newest committed first page of the log; undefined where the log has none. */
function findInLog(read: Read): number | undefined {
  const header = read(0, logHeaderSize);
  if (header.length < logHeaderSize) return undefined;
  const pageSize = header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  let written: number | undefined;
  let committed: number | undefined;
  for (let at = logHeaderSize; ; at += frameHeaderSize + pageSize) {
    const frame = read(at, frameHeaderSize);
    // Frames of an earlier round of the log follow the newest one.
    if (frame.length < frameHeaderSize || !frame.subarray(8, 16).equals(salts)) return committed;
    if (frame.readUInt32BE(0) === 1) {
      const page = read(at + frameHeaderSize, headerSize);
      if (page.length === headerSize) written = page.readUInt32BE(versionAt);
    }
    const isCommit = frame.readUInt32BE(4) !== 0;
    if (isCommit) committed = written;
  }
}

function readBytes<Result>(file: string, use: (read: Read) => Result): Result {
  const descriptor = openSync(file, 'r');
  try {
    return use((at, count) => {
      const bytes = Buffer.alloc(count);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, count, at));
    });
  } finally {
    closeSync(descriptor);
  }
}
