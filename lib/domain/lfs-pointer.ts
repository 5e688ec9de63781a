/** Bytes that a pointer of Git LFS has at most, by its specification. */
export const largestPointer = 1024;
/** Bytes of a SHA-256 in hex and of the words around it. */
const smallestPointer = 100;
const pointerStart = 'version https://git-lfs.github.com/spec/v';

/** Whether a file has the size of a pointer of Git LFS, so that its content has to be looked at. @param size bytes */
export function mayBePointer(size: number | undefined): boolean {
  return size !== undefined && size >= smallestPointer && size <= largestPointer;
}

/** A file's pointer to content that Git LFS keeps elsewhere. */
export interface LfsPointer {
  /** Bytes of that content; undefined where the pointer does not say. */
  readonly size: number | undefined;
}

/**
 * Reads a pointer of Git LFS (specification v1). Whoever stored it as a document would keep the pointer alone, because
 * the content is in another place.
 * @param content whole, of at most `largestPointer` bytes
 * @returns undefined when it is no pointer
 */
export function readLfsPointer(content: Uint8Array): LfsPointer | undefined {
  if (!mayBePointer(content.length)) return undefined;
  const lines = Buffer.from(content).toString('latin1').split('\n');
  if (lines[0]?.startsWith(pointerStart) !== true || !lines.some((line) => line.startsWith('oid '))) return undefined;
  const size = lines.find((line) => line.startsWith('size '))?.slice('size '.length) ?? '';
  return { size: /^\d{1,15}$/.test(size) ? Number(size) : undefined };
}
