import type { CopiedEntry } from '../../git/sources/shallow-copy.js';
import type { SkipReason } from '../../domain/connector.js';
import type { SourceFile, SkippedEntry } from '../source.js';

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
