import type { FileHandle } from 'node:fs/promises';
import { EnclosedFolder } from '../../disk/enclosed-folder.js';
import { readUpTo } from '../../disk/open-regular.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { ContentSource } from '../../operations/documents/content.js';
import type { FoundFile, ImportRun, Limits } from './import-run.js';
import { countFolder, unreadable, walkFolder, type Walk, type WalkedFile } from './walk-folder.js';

/**
 * Imports the files below a folder of this machine. A document with the same bytes is left alone, so an interrupted
 * import goes on when it is run again. Unsuitable files are skipped with a reason.
 * @param directory absolute path
 * @param choice what of it is left out
 * @throws Refusal INVALID_REQUEST `import_too_large`
 */
export async function importFolder(
  run: ImportRun,
  directory: string,
  choice: Pick<Walk, 'leftOut' | 'heedsIgnored'>,
): Promise<void> {
  const { dataFolder } = run.context.host;
  const root = await EnclosedFolder.open(directory);
  const avoid = dataFolder === null ? null : (await EnclosedFolder.open(dataFolder)).path;
  const walk = { root, into: run.into, avoid, ...choice };
  await countFolder(walk, run.countEntries());
  await run.bringIn(findFiles(run, walk), { message: null });
}

async function* findFiles(run: ImportRun, walk: Walk): AsyncGenerator<FoundFile> {
  for await (const walked of walkFolder(walk, run.countEntries())) {
    if ('skipped' in walked) run.skip(walked.skipped);
    else if ('unheeded' in walked) run.noteUnheeded(walked.unheeded);
    else {
      run.noteInstalled(walked.file.shown);
      yield { ...walked.file, open: (limits) => openSource(walk, walked.file, limits) };
    }
  }
}

/** The file's content, or why it cannot be had. */
export async function openSource({ root }: Walk, file: WalkedFile, limits: Limits): Promise<ContentSource | string> {
  try {
    const handle = await root.openFile(file.path, file.seen);
    try {
      if (file.size > limits.whole) return { stream: readPieces(() => root.openFile(file.path, file.seen)) };
      const bytes = await readUpTo(handle, limits.whole, file.size);
      return bytes === undefined ? 'grew while it was being read' : { bytes };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return unreadable(error);
  }
}

const pieceSize = 64 * 1024;

/**
 * Opens the file again for its first piece, so an unread file does not stay open.
 * @throws Refusal INVALID_REQUEST `source_unreadable`
 */
async function* readPieces(open: () => Promise<FileHandle>): AsyncGenerator<Buffer> {
  const handle = await orRefuse(open());
  try {
    for (;;) {
      const piece = Buffer.allocUnsafeSlow(pieceSize);
      const { bytesRead } = await orRefuse(handle.read(piece, 0, pieceSize));
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function orRefuse<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw invalidRequest('source_unreadable', unreadable(error));
  }
}
