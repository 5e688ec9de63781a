import { constants, createReadStream } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import type { ContentSource } from '../operations/content.js';
import type { FoundFile, ImportRun, Limits } from './import-run.js';
import { unreadable, walkFolder, type WalkedFile } from './walk-folder.js';

/**
 * Brings the files below a folder of this machine in. What is there with the same bytes is left alone, so an import
 * that was interrupted is run again and goes on; what cannot come in is passed over with a reason.
 * @param directory absolute path
 */
export function importFolder(run: ImportRun, directory: string): Promise<void> {
  return run.bringIn(findFiles(run, directory), null);
}

async function* findFiles(run: ImportRun, directory: string): AsyncGenerator<FoundFile> {
  for await (const walked of walkFolder(directory, run.into, run.context.host.dataFolder)) {
    if ('skipped' in walked) run.skip(walked.skipped);
    else yield { ...walked.file, open: (limits) => openSource(walked.file, limits) };
  }
}

/** The file's content, or why it cannot be had. */
async function openSource({ path, size }: WalkedFile, limits: Limits): Promise<ContentSource | string> {
  try {
    if (size > limits.whole) {
      await access(path, constants.R_OK);
      return { stream: readPieces(path) };
    }
    const bytes = await readFile(path);
    return bytes.length > limits.whole ? 'grew while it was being read' : { bytes };
  } catch (error) {
    return unreadable(error);
  }
}

/** Opens the file only when its first piece is asked for. */
async function* readPieces(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}
