import assert from 'node:assert/strict';
import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, runProgram, tidyUp } from '../support/processes/run-program.js';

const entry = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));

/** A program whose bundle and whose compiled file each print their name. @returns its entry */
async function makeProgram(bundledAt: number | undefined): Promise<string> {
  const folder = await makeFolder();
  const write = async (place: string, word: string, seconds: number): Promise<void> => {
    const file = join(folder, place, 'program.js');
    await mkdir(join(folder, place));
    await writeFile(file, `export const runProgram = () => console.log('${word}');`);
    await utimes(file, seconds, seconds);
  };
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await write('bin', 'compiled', 1000);
  if (bundledAt !== undefined) await write('program', 'bundle', bundledAt);
  await copyFile(entry, join(folder, 'bin', 'cartulary.js'));
  return join(folder, 'bin', 'cartulary.js');
}

describe('The bundle of the program', () => {
  after(tidyUp);

  it('is loaded unless it is missing, or the compiler has run since', async () => {
    const said = await Promise.all(
      [1001, 1000, 999, undefined].map(async (bundledAt) => {
        const { stdout, stderr } = await runProgram([], { program: await makeProgram(bundledAt) });
        return stdout.trim() + stderr;
      }),
    );
    assert.deepEqual(said, ['bundle', 'bundle', 'compiled', 'compiled']);
  });
});
