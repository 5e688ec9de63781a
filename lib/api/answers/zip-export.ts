import { finished, type Readable } from 'node:stream';
import { ZipArchive } from 'archiver';
import { nameOf, segmentsOf } from '../../domain/location.js';
import type { FolderExport } from '../../operations/folders/export-folder.js';
import type { Answer } from './answer.js';
import { GatherPieces } from './gather-pieces.js';
import { nameDownload } from './name-download.js';
import { ZipEntryNamer } from './name-zip-entries.js';

/**
 * Streams an export as a zip archive. One document is open at a time, and the next opens only when the reader has taken
 * the one before. Entries carry their version's time, so the same content gives the same bytes.
 */
export function presentExport(exported: FolderExport): Answer {
  const name = exported.location === '' ? 'workspace' : nameOf(exported.location);
  return {
    status: 200,
    headers: {
      'Content-Disposition': nameDownload(`${name}.zip`, 'application/zip'),
    },
    body: { form: 'flow', mediaType: 'application/zip', open: () => zip(exported), leave: exported.close },
  };
}

function zip(exported: FolderExport): Readable {
  const archive = new ZipArchive({ zlib: { level: 6 } });
  // The reader of the archive may go away at any time. The archive itself does not report it, so this end does.
  const output = new GatherPieces();
  archive.on('error', (error) => output.destroy(error));
  archive.pipe(output);
  output.once('close', () => {
    exported.close();
    archive.unpipe(output);
    archive.destroy();
  });
  void fill(archive, exported, output);
  return output;
}

async function fill(archive: ZipArchive, exported: FolderExport, output: Readable): Promise<void> {
  const namer = new ZipEntryNamer();
  const depth = segmentsOf(exported.location).length;
  try {
    for await (const item of exported.documents) {
      const { document } = item;
      const content = await item.open();
      const name = namer.nameOf(segmentsOf(document.location).slice(depth));
      const isTaken = nextEntry(archive, output);
      if (!Buffer.isBuffer(content)) endWith(content, output);
      archive.append(content, { name, date: new Date(document.current.at), mode: 0o644 });
      if (!(await isTaken)) {
        if (!Buffer.isBuffer(content)) content.destroy();
        return;
      }
    }
    await archive.finalize();
  } catch (error) {
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Breaks the answer off when a document's stream ends early: the archive would wait for the rest of it for ever. */
function endWith(content: Readable, output: Readable): void {
  finished(content, { writable: false }, (error) => {
    if (error) output.destroy(error);
  });
}

/** Resolves with true when the next entry is through, with false when the reader has gone. */
function nextEntry(archive: ZipArchive, output: Readable): Promise<boolean> {
  if (output.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (isTaken: boolean) => (): void => {
      archive.off('entry', taken);
      output.off('close', gone);
      resolve(isTaken);
    };
    const taken = finish(true);
    const gone = finish(false);
    archive.once('entry', taken);
    output.once('close', gone);
  });
}
