import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { describeError } from '../domain/describe-error.js';
import { readManifest } from './segment-files.js';

/**
 * Looks at a stored index and changes nothing, also beside the service that keeps it: that puts another manifest in its
 * place at any time, and what the older one named is gone then.
 * @param folder where an index is stored, or will be
 * @returns what is damaged, a sentence each; nothing where no index is stored, or one of another release
 */
export async function checkIndexFiles(folder: string): Promise<string[]> {
  for (;;) {
    const before = await lookAt(folder);
    if (before.problems.length === 0) return [];
    // What is really broken is so while the same manifest stands.
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
    const fault = await faultOf(path.join(folder, file), file);
    if (fault !== undefined) problems.push(`The file ${file} of the search index ${fault}.`);
  }
  return { digest: manifest.digest, problems };
}

async function faultOf(file: string, name: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) hash.update(piece);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'is missing' : `cannot be read: ${message}`;
  }
  return `${hash.digest('hex')}.segment` === name ? undefined : 'is damaged';
}
