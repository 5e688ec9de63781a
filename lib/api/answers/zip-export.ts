import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { nameOf, segmentsOf } from '../../domain/location.js';
import type { FolderExport } from '../../operations/folders/export-folder.js';
import type { Answer } from './api-answer.js';
import { GatherPieces } from './gather-pieces.js';
import { nameDownload } from './name-download.js';
import { ZipEntryNamer } from './name-zip-entries.js';
import { ZipWriter } from './zip-writer.js';

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
  const output = new GatherPieces();
  const gone = new AbortController();
  // Its reader may go away at any time.
  output.once('close', () => {
    exported.close();
    gone.abort();
  });
  const put = async (piece: Buffer): Promise<void> => {
    gone.signal.throwIfAborted();
    if (!output.write(piece)) await once(output, 'drain', { signal: gone.signal });
  };
  fill(new ZipWriter({ put, gone: gone.signal }), exported).then(
    () => output.end(),
    (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return output;
}

async function fill(archive: ZipWriter, exported: FolderExport): Promise<void> {
  const namer = new ZipEntryNamer();
  const depth = segmentsOf(exported.location).length;
  for await (const item of exported.documents) {
    const { document } = item;
    const content = await item.open();
    const { at, size } = document.current;
    const name = namer.nameOf(segmentsOf(document.location).slice(depth));
    await archive.add({ name, at, size: Buffer.isBuffer(content) ? content.length : size }, content);
  }
  await archive.end();
}
