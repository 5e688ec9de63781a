import { deflateRawSync } from 'node:zlib';

/** An entry of an archive: its content, or what is said of one that is packed already. */
export type ZipContent =
  string | Buffer | { readonly packed: Buffer; readonly size: number; readonly crc?: number; readonly flags?: number };

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** An entry that is packed once, for several places. */
export const packEntry = (bytes: Buffer): Exclude<ZipContent, string | Buffer> => ({
  packed: deflateRawSync(bytes),
  size: bytes.length,
  crc: crcOf(bytes),
});

/** A zip archive with these entries, in their order. */
export function makeZip(entries: Readonly<Record<string, ZipContent>>): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(entries)) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const entry = { crc: 0, flags: 0, ...(Buffer.isBuffer(bytes) ? packEntry(bytes) : bytes) };
    const title = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    writeFacts(local, 4, entry, title.length);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    writeFacts(central, 6, entry, title.length);
    central.writeUInt32LE(at, 42);
    pieces.push(local, title, entry.packed);
    directory.push(central, title);
    at += local.length + title.length + entry.packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(entries).length & 0xffff, 8);
  end.writeUInt16LE(Object.keys(entries).length & 0xffff, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, central, end]);
}

function writeFacts(
  header: Buffer,
  from: number,
  { packed, size, crc, flags }: { packed: Buffer; size: number; crc: number; flags: number },
  nameLength: number,
): void {
  header.writeUInt16LE(20, from);
  header.writeUInt16LE(flags | 0x800, from + 2);
  header.writeUInt16LE(8, from + 4);
  header.writeUInt32LE(crc, from + 10);
  header.writeUInt32LE(packed.length, from + 14);
  header.writeUInt32LE(size, from + 18);
  header.writeUInt16LE(nameLength, from + 22);
}
