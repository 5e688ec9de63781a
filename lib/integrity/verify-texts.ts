import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSoundText, textEnding } from '../indexing/text-files.js';
import { openSidecarReadOnly } from '../sidecar/sidecar.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { Report } from './report.js';

/**
 * Checks the texts that were made of files: each lies beside a document that there is, and can be read. None is left of
 * an erased document.
 */
export async function verifyTexts(
  { sidecar, texts }: { sidecar: string; texts: string },
  report: Report,
): Promise<void> {
  // Listed before the rows are read: what is written meanwhile has rows then.
  const folders = existsSync(texts) ? await readdir(texts) : [];
  const snapshot = openSidecarReadOnly(sidecar);
  try {
    const { documents } = snapshot.reader;
    for (const folder of folders) {
      await yieldToLoop();
      const path = join(texts, folder);
      const number = /^[1-9]\d*$/.test(folder) ? Number(folder) : 0;
      const isKnown = documents.byNumber(number) !== undefined || documents.deleted(number) !== undefined;
      if (isKnown) await verifyFolder(path, report);
      // An erase may have taken it away meanwhile.
      else if (existsSync(path)) report('texts', `${path} belongs to no document.`);
    }
  } finally {
    snapshot.close();
  }
}

async function verifyFolder(folder: string, report: Report): Promise<void> {
  const names = await readdir(folder).catch(passIfGone);
  for (const name of names ?? []) {
    const path = join(folder, name);
    const bytes = name.endsWith(textEnding) ? await readFile(path).catch(passIfGone) : undefined;
    if (bytes !== undefined && !(await isSoundText(bytes))) report('texts', `${path} is damaged.`);
  }
}

function passIfGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
