/** One entry of a zip archive, with what its headers say. */
export interface ZipEntry {
  /** Its path in the archive, UTF-8. */
  readonly name: Buffer;
  /** Milliseconds since 1970. An archive knows every other second of UTC, from 1980 to 2107. */
  readonly at: number;
  readonly isDeflated: boolean;
  /** Whether its content may be too long for 32 bits, which has to be said before the content comes. */
  readonly isLong: boolean;
}

/** What is known of an entry's content once it is through. */
export interface ZipContent {
  readonly crc: number;
  /** Bytes before and after compression. */
  readonly size: number;
  readonly compressed: number;
}

/** The largest values of the older form. They say that the value stands in the form for large archives (ZIP64). */
const [largest16, largest32] = [0xffff, 0xffff_ffff];
/** Version 4.5 of the format has ZIP64. */
const versionNeeded = 45;
/** Made on Unix, so that the modes are those of files there. */
const versionMade = (3 << 8) | versionNeeded;
/** The checksum and sizes follow the content; names are UTF-8. */
const flags = (1 << 3) | (1 << 11);
/** A regular file that all may read and its owner may write. */
const mode = 0o100644;
const zip64 = 1;

/** What stands before an entry's content (APPNOTE 4.3.7). */
export function encodeEntryStart(entry: ZipEntry): Buffer {
  const fixed = Buffer.alloc(30);
  fixed.writeUInt32LE(0x04034b50, 0);
  fixed.writeUInt16LE(versionNeeded, 4);
  writeCommon(fixed, 6, entry);
  // The checksum and the sizes are not known yet. With ZIP64 the sizes are said to stand there.
  if (entry.isLong) fixed.fill(0xff, 18, 26);
  const extra = entry.isLong ? encodeZip64([0, 0]) : Buffer.alloc(0);
  fixed.writeUInt16LE(entry.name.length, 26);
  fixed.writeUInt16LE(extra.length, 28);
  return Buffer.concat([fixed, entry.name, extra]);
}

/** What stands after an entry's content (APPNOTE 4.3.9). */
export function encodeEntryEnd({ isLong }: ZipEntry, { crc, size, compressed }: ZipContent): Buffer {
  const record = Buffer.alloc(isLong ? 24 : 16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(crc, 4);
  if (isLong) {
    record.writeBigUInt64LE(BigInt(compressed), 8);
    record.writeBigUInt64LE(BigInt(size), 16);
  } else {
    record.writeUInt32LE(compressed, 8);
    record.writeUInt32LE(size, 12);
  }
  return record;
}

/**
 * An entry's record in the directory (APPNOTE 4.3.12).
 * @param offset where the entry starts in the archive, in bytes
 */
export function encodeDirectoryRecord(entry: ZipEntry, content: ZipContent, offset: number): Buffer {
  const { crc, size, compressed } = content;
  const isLarge = entry.isLong || offset >= largest32;
  const extra = isLarge ? encodeZip64([size, compressed, offset]) : Buffer.alloc(0);
  const fixed = Buffer.alloc(46);
  fixed.writeUInt32LE(0x02014b50, 0);
  fixed.writeUInt16LE(versionMade, 4);
  fixed.writeUInt16LE(versionNeeded, 6);
  writeCommon(fixed, 8, entry);
  fixed.writeUInt32LE(crc, 16);
  fixed.writeUInt32LE(isLarge ? largest32 : compressed, 20);
  fixed.writeUInt32LE(isLarge ? largest32 : size, 24);
  fixed.writeUInt16LE(entry.name.length, 28);
  fixed.writeUInt16LE(extra.length, 30);
  fixed.writeUInt32LE(mode * 2 ** 16, 38);
  fixed.writeUInt32LE(isLarge ? largest32 : offset, 42);
  return Buffer.concat([fixed, entry.name, extra]);
}

/** The end of an archive (APPNOTE 4.3.14 to 4.3.16). */
export function encodeDirectoryEnd(directory: { entries: number; offset: number; length: number }): Buffer {
  const { entries, offset, length } = directory;
  const isLarge = entries >= largest16 || offset >= largest32 || length >= largest32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isLarge ? largest16 : entries, 8);
  end.writeUInt16LE(isLarge ? largest16 : entries, 10);
  end.writeUInt32LE(isLarge ? largest32 : length, 12);
  end.writeUInt32LE(isLarge ? largest32 : offset, 16);
  if (!isLarge) return end;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  // The length of the rest of it.
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(versionMade, 12);
  record.writeUInt16LE(versionNeeded, 14);
  record.writeBigUInt64LE(BigInt(entries), 24);
  record.writeBigUInt64LE(BigInt(entries), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  // One disk in all.
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator, end]);
}

/** Flags, method and time, which both headers of an entry have. */
function writeCommon(header: Buffer, at: number, entry: ZipEntry): void {
  header.writeUInt16LE(flags, at);
  header.writeUInt16LE(entry.isDeflated ? 8 : 0, at + 2);
  const time = new Date(Math.min(Math.max(entry.at, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31, 23, 59, 58)));
  const [hours, minutes, seconds] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()];
  header.writeUInt16LE((hours << 11) | (minutes << 5) | (seconds >> 1), at + 4);
  const [year, month, day] = [time.getUTCFullYear() - 1980, time.getUTCMonth() + 1, time.getUTCDate()];
  header.writeUInt16LE((year << 9) | (month << 5) | day, at + 6);
}

/** Values of 64 bits, as an extra field. */
function encodeZip64(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(zip64, 0);
  field.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, index) => field.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  return field;
}
