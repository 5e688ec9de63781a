/**
 * The serialized form of a tree: for each entry the mode in octal digits, a space, the name, NUL, and 20 bytes of oid.
 * Names may hold spaces and digits, so nothing here searches for a pattern: entries are walked from the first one.
 */

/** The modes git writes: file, executable, symbolic link, folder, submodule. */
export type TreeMode = '100644' | '100755' | '120000' | '40000' | '160000';

const space = 0x20;
const slash = 0x2f;

/**
 * Compares two names in git's order: byte by byte, a folder's name as if it
 * ended in a slash. 0 means the same name and kind.
 */
export function compareKeys(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  aIsFolder: boolean,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
  bIsFolder: boolean,
): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < length; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!;
    if (difference !== 0) return difference;
  }
  const aNext = aStart + length;
  const bNext = bStart + length;
  const aByte = aNext < aEnd ? a[aNext]! : aIsFolder ? slash : 0;
  const bByte = bNext < bEnd ? b[bNext]! : bIsFolder ? slash : 0;
  if (aByte !== bByte) return aByte - bByte;
  // This line is reached only for a folder "a" and a name that continues with a slash. No well-formed name has a slash;
  // the longer name is then the later one.
  return aEnd - aStart - (bEnd - bStart);
}

/** Whether the entry that starts here is a folder (`40000`, or `040000`). */
export function isFolderAt(bytes: Uint8Array, start: number): boolean {
  const digit = bytes[start] === 0x30 ? bytes[start + 1] : bytes[start];
  return digit === 0x34;
}

/** The mode of the entry that starts here, as git writes it today. */
export function modeAt(bytes: Uint8Array, start: number): TreeMode {
  if (isFolderAt(bytes, start)) return '40000';
  const kind = bytes[start + 1];
  if (kind === 0x32) return '120000';
  if (kind === 0x36) return '160000';
  return (bytes[start + 3]! & 1) === 1 ? '100755' : '100644';
}

/** The bytes of an entry before its oid. */
export function encodeEntry(mode: TreeMode, name: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(mode.length + name.length + 2);
  bytes.write(`${mode} `, 0, 'latin1');
  name.copy(bytes, mode.length + 1);
  bytes[bytes.length - 1] = 0;
  return bytes;
}

/** A name's bytes. @throws TypeError for a name that git cannot hold. */
export function encodeName(name: string): Buffer {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
    throw new TypeError(`Not a name in a folder: ${JSON.stringify(name)}`);
  return Buffer.from(name, 'utf8');
}

/**
 * The start of each entry of a serialized tree, and its length at the end; undefined when the bytes are no tree or not
 * in git's order.
 */
export function scanEntries(bytes: Uint8Array): Uint32Array | undefined {
  const starts: number[] = [];
  let start = 0;
  let before: { start: number; end: number; isFolder: boolean } | undefined;
  while (start < bytes.length) {
    const digits = bytes[start + 5] === space ? 5 : 6;
    if (bytes[start + digits] !== space) return undefined;
    const isFolder = isFolderAt(bytes, start);
    if (!isFolder && (digits === 5 || bytes[start] !== 0x31)) return undefined;
    for (let i = start; i < start + digits; i++) if (bytes[i]! < 0x30 || bytes[i]! > 0x37) return undefined;
    const nameStart = start + digits + 1;
    const nameEnd = bytes.indexOf(0, nameStart);
    if (nameEnd <= nameStart || nameEnd + 21 > bytes.length) return undefined;
    if (
      before !== undefined &&
      compareKeys(bytes, before.start, before.end, before.isFolder, bytes, nameStart, nameEnd, isFolder) >= 0
    )
      return undefined;
    before = { start: nameStart, end: nameEnd, isFolder };
    starts.push(start);
    start = nameEnd + 21;
  }
  starts.push(bytes.length);
  return new Uint32Array(starts);
}
