import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Oid, PackableObject } from '../objects/objects.js';

/**
 * A pack's bytes and the places of its entries, before checksums. It is made of plain typed arrays, so that it crosses
 * to a worker without a copy.
 */
export interface PackLayout {
  /** The whole pack; the 20 bytes of its trailer are still to be filled. */
  bytes: Uint8Array<ArrayBuffer>;
  /** 20 bytes of oid for each entry, in the pack's order. */
  oids: Uint8Array<ArrayBuffer>;
  /** Where each entry starts. */
  starts: Float64Array<ArrayBuffer>;
}

/** A pack and its index, complete. */
export interface PackFiles {
  /** `pack-` and the pack's checksum: the files' name without ending. */
  name: string;
  pack: Uint8Array<ArrayBuffer>;
  index: Uint8Array<ArrayBuffer>;
}

/** An entry of a pack, with its bytes. */
export interface PackEntry {
  oid: Oid;
  header: Uint8Array;
  deflated: Uint8Array;
}

export const headerLength = 12;
export const trailerLength = 20;
export const typeNumbers = { commit: 1, tree: 2, blob: 3 } as const;
/** The type of a delta that names its base. */
export const deltaNumber = 7;

/** The entry that a pack holds for an object (gitformat-pack(5)). */
export function packEntry({ oid, type, size, deflated, base }: PackableObject): PackEntry {
  if (base === undefined) return { oid, header: entryHeader(typeNumbers[type], size), deflated };
  return { oid, header: Buffer.concat([entryHeader(deltaNumber, size), Buffer.from(base, 'hex')]), deflated };
}

/**
 * Lays entries one after the other behind a pack header. Each oid may come once
 * only.
 */
export function layOutPack(entries: readonly PackEntry[]): PackLayout {
  let length = headerLength + trailerLength;
  for (const { header, deflated } of entries) length += header.length + deflated.length;
  const bytes = new Uint8Array(length);
  const oids = new Uint8Array(entries.length * 20);
  const starts = new Float64Array(entries.length);
  putPackHeader(bytes, entries.length);
  const oidBytes = Buffer.from(oids.buffer);
  let position = headerLength;
  for (const [i, { oid, header, deflated }] of entries.entries()) {
    oidBytes.write(oid, i * 20, 'hex');
    starts[i] = position;
    bytes.set(header, position);
    bytes.set(deflated, position + header.length);
    position += header.length + deflated.length;
  }
  return { bytes, oids, starts };
}

/** Writes the header of a pack of `count` objects. */
export function putPackHeader(bytes: Uint8Array, count: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint32(0, 0x5041434b); // "PACK"
  view.setUint32(4, 2);
  view.setUint32(8, count);
}

/** Fills a pack's trailer and makes its index. Pure computation. */
export function sealPack({ bytes, oids, starts }: PackLayout): PackFiles {
  const end = bytes.length - trailerLength;
  const checksum = sha1(bytes.subarray(0, end));
  bytes.set(checksum, end);
  const crcs = new Uint32Array(starts.length);
  for (let i = 0; i < starts.length; i++) crcs[i] = crc32(bytes.subarray(starts[i], starts[i + 1] ?? end));
  return {
    name: `pack-${checksum.toString('hex')}`,
    pack: bytes,
    index: encodeIndex({ oids, starts, crcs, checksum }),
  };
}

/** The largest offset that an index holds in 4 bytes. */
const maxShortOffset = 0x7fff_ffff;

/** An index of version 2 (gitformat-pack(5)), for entries in any order. */
export function encodeIndex({
  oids,
  starts,
  crcs,
  checksum,
}: {
  oids: Uint8Array;
  starts: Float64Array;
  crcs: Uint32Array;
  checksum: Uint8Array;
}): Uint8Array<ArrayBuffer> {
  const count = starts.length;
  const all = Buffer.from(oids.buffer, oids.byteOffset, oids.byteLength);
  const order = orderByName(all, count);
  let long = 0;
  for (const start of starts) if (start > maxShortOffset) long += 1;
  const index = Buffer.alloc(8 + 1024 + count * 28 + long * 8 + 40);
  index.writeUInt32BE(0xff74_4f63, 0);
  index.writeUInt32BE(2, 4);
  const oidsAt = 8 + 1024;
  const crcsAt = oidsAt + count * 20;
  const offsetsAt = crcsAt + count * 4;
  const longAt = offsetsAt + count * 4;
  const fanout = new Uint32Array(256);
  let longs = 0;
  for (const [place, i] of order.entries()) {
    all.copy(index, oidsAt + place * 20, i * 20, i * 20 + 20);
    index.writeUInt32BE(crcs[i]!, crcsAt + place * 4);
    const start = starts[i]!;
    if (start > maxShortOffset) {
      index.writeUInt32BE(0x8000_0000 + longs, offsetsAt + place * 4);
      index.writeBigUInt64BE(BigInt(start), longAt + longs * 8);
      longs += 1;
    } else index.writeUInt32BE(start, offsetsAt + place * 4);
    fanout[all[i * 20]!]! += 1;
  }
  let total = 0;
  for (let i = 0; i < 256; i++) {
    total += fanout[i]!;
    index.writeUInt32BE(total, 8 + i * 4);
  }
  const checksumsAt = longAt + long * 8;
  index.set(checksum, checksumsAt);
  index.set(sha1(index.subarray(0, checksumsAt + 20)), checksumsAt + 20);
  return new Uint8Array(index.buffer, index.byteOffset, index.byteLength);
}

/** The places of the names, in their order. Nearly always, the first six bytes decide, and these are one number. */
function orderByName(oids: Buffer, count: number): Uint32Array {
  const firstBytes = new Float64Array(count);
  for (let i = 0; i < count; i++) firstBytes[i] = oids.readUIntBE(i * 20, 6);
  const byName = (a: number, b: number): number =>
    firstBytes[a]! - firstBytes[b]! || oids.compare(oids, b * 20, b * 20 + 20, a * 20, a * 20 + 20);
  return Uint32Array.from({ length: count }, (_, i) => i).sort(byName);
}

/** Type and length of content, 4 and then 7 bits a byte, the lowest first. */
export function entryHeader(type: number, size: number): Uint8Array {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 15);
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  bytes.push(byte);
  return Uint8Array.from(bytes);
}

function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest();
}
