import { fileURLToPath } from 'node:url';

interface Builder {
  bundleTestProgram(root: string, entry: string, file: string): Promise<void>;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Makes one file of a test's program and all that it imports, for tests that start it many times: a start then loads
 * one file, and takes half of the processor time.
 * @param program the address of the compiled program
 * @returns the path of the bundle, which lies beside the program and is written over the next time
 */
export async function bundleProgram(program: URL): Promise<string> {
  const entry = fileURLToPath(program);
  const file = entry.replace(/\.js$/, '.bundle.js');
  const { bundleTestProgram } = (await import(
    new URL('../../../../bin/build-program.mjs', import.meta.url).href
  )) as Builder;
  await bundleTestProgram(root, entry, file);
  return file;
}
