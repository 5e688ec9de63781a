import type { CopiedEntry } from '../../git/sources/shallow-copy.js';
import type { SkipReason } from '../../domain/connector.js';
import type { SourceFile, SkippedEntry } from '../source.js';

/** Bytes that a pointer of Git LFS may have, by its specification, and the fewest that one needs. */
const pointerSizes = { least: 100, most: 1024 } as const;
const pointerStart = 'version https://git-lfs.github.com/spec/v';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What an entry of a repository is to a mirror. @returns undefined for a folder */
export function describeEntry({ mode, oid, size, path }: CopiedEntry): SourceFile | SkippedEntry | undefined {
  if (mode === '040000') return undefined;
  const name = decodePath(path);
  const skip = (reason: SkipReason, shown: string): SkippedEntry => ({
    type: 'skipped',
    path: shown,
    version: oid,
    reason,
  });
  if (name === undefined) return skip('not_decodable', escapePath(path));
  if (mode === '120000') return skip('symlink', name);
  if (mode === '160000') return skip('submodule', name);
  if (!mode.startsWith('100')) return skip('special_file', name);
  return { type: 'file', path: name, version: oid, ...(size === undefined ? {} : { size }) };
}

/** Whether a file has the size of a pointer of Git LFS, so that its content has to be looked at. */
export function mayBePointer({ size }: SourceFile): boolean {
  return size !== undefined && size >= pointerSizes.least && size <= pointerSizes.most;
}

/**
 * Whether a small file stands for one that Git LFS keeps elsewhere.
 * @returns the other file's size in words; undefined when it is no pointer
 */
export function readPointer(content: Buffer): string | undefined {
  if (content.toString('latin1', 0, pointerStart.length) !== pointerStart) return undefined;
  const lines = content.toString('utf8').split('\n');
  if (!lines.some((line) => line.startsWith('oid '))) return undefined;
  const size = lines.find((line) => line.startsWith('size '))?.slice('size '.length) ?? '';
  return /^\d{1,15}$/.test(size) ? `${size} bytes in Git LFS` : 'in Git LFS';
}

function decodePath(path: Buffer): string | undefined {
  try {
    return decoder.decode(path);
  } catch {
    return undefined;
  }
}

/** A path that is no text, readable: every byte beyond ASCII in hexadecimal. */
function escapePath(path: Buffer): string {
  let shown = '';
  for (const byte of path) {
    shown += byte < 0x80 ? String.fromCharCode(byte) : String.raw`\x${byte.toString(16)}`;
  }
  return shown;
}
