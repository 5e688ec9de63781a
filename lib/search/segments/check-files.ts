import path from 'node:path';
import { describeError } from '../../domain/describe-error.js';
import { findFaultOfFile } from '../../scheduling/hash-file.js';
import type { IndexedDocument } from '../query/search-request.js';
import { readIndex, readManifest } from './segment-files.js';

/**
 * Reads a stored index and changes nothing, also beside the service that keeps it. The service replaces the manifest at
 * any time, and the files of the older one are gone then.
 * @param folder of a stored index, present or future
 * @returns the damage, a sentence each; nothing where no index is stored, or one of another release
 */
export async function checkIndexFiles(folder: string): Promise<string[]> {
  for (;;) {
    const before = await lookAt(folder);
    if (before.problems.length === 0) return [];
    // Real damage persists while the same manifest stands.
    const { digest } = await lookAt(folder);
    if (digest === before.digest) return before.problems;
  }
}

/** What a stored index holds. */
export interface StoredDocuments {
  readonly commit: string | null;
  /** @throws Error where a file is damaged, or gone because the service has stored a newer index */
  documents(): Generator<IndexedDocument>;
}

/** The documents of a stored index, for read-only commands. @returns undefined where none of this release is stored */
export function readStoredDocuments(folder: string): StoredDocuments | undefined {
  const stored = readIndex(folder);
  if (stored === undefined) return undefined;
  return {
    commit: stored.commit,
    *documents() {
      for (const reader of stored.segments()) {
        for (const ordinal of reader.segment.documents()) {
          if (reader.isDead(ordinal)) continue;
          yield { key: reader.segment.keys[ordinal] ?? 0, location: reader.locationOf(ordinal) };
        }
      }
    },
  };
}

async function lookAt(folder: string): Promise<{ readonly digest: string | undefined; readonly problems: string[] }> {
  let manifest: ReturnType<typeof readManifest>;
  try {
    manifest = readManifest(folder);
  } catch (error) {
    return { digest: undefined, problems: [describeError(error)] };
  }
  if (manifest === undefined || !manifest.isOurs) return { digest: undefined, problems: [] };
  const problems: string[] = [];
  for (const file of manifest.files) {
    // A segment's name is its own hash.
    const fault = await findFaultOfFile(path.join(folder, file), path.basename(file, '.segment'), 'is damaged');
    if (fault !== undefined) problems.push(`The file ${file} of the search index ${fault}.`);
  }
  return { digest: manifest.digest, problems };
}
