import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** The folder of what was built: this file lies in its lib/scheduling. */
const built = fileURLToPath(new URL('../../', import.meta.url));

const writtenAt = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/**
 * The file from which a thread loads its program: one bundle with all that it imports (bin/build-program.mjs). Where
 * there is none, or the compiler has run since, it is the compiled file itself.
 * @param program the address of the compiled file
 * @param folder of what was built, with a separator at its end
 */
export function findThreadProgram(program: URL, folder = built): URL {
  const file = fileURLToPath(program);
  const bundle = `${folder}program${sep}${file.slice(folder.length).split(sep).join('-')}`;
  const bundledAt = writtenAt(bundle);
  return bundledAt !== undefined && bundledAt >= (writtenAt(file) ?? 0) ? pathToFileURL(bundle) : program;
}

/** Starts a worker thread. @param program the address of its compiled file, below lib */
export const startThread = (program: URL, options?: WorkerOptions): Worker =>
  new Worker(findThreadProgram(program), options);
