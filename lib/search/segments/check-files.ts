import path from 'node:path';
import { describeError } from '../../domain/describe-error.js';
import { findFaultOfFile } from '../../scheduling/hash-file.js';
import { readManifest } from './segment-files.js';

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
