import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { access, copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, runProgram, tidyUp } from '../support/processes/run-program.js';

const bin = fileURLToPath(new URL('../../bin/', import.meta.url));

const makeCode = `
  const [file, text] = process.argv.slice(1);
  require('node:fs').writeFileSync(file, new (require('node:vm').Script)(text).createCachedData());`;

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

  it('is loaded with the code that V8 made of it, where that code is as new as the compiled files and fits', async () => {
    const start = async (options: {
      readonly warmAt?: number;
      readonly bundledAt?: number | undefined;
      readonly code?: Buffer;
      readonly environment?: Readonly<Record<string, string>>;
    }): Promise<string> => {
      const program = await makeProgram('bundledAt' in options ? options.bundledAt : 1001);
      await warm(program, options.warmAt ?? 1001, options.code);
      const { stdout, stderr } = await runProgram([], { program, environment: options.environment ?? {} });
      return stdout.trim() + stderr;
    };
    const said = await Promise.all([
      start({}),
      start({ warmAt: 999 }),
      start({ code: Buffer.alloc(100) }),
      start({ bundledAt: undefined }),
      start({ environment: { NODE_OPTIONS: '--enable-source-maps' } }),
    ]);
    assert.deepEqual(said, ['warm', 'bundle', 'bundle', 'compiled', 'bundle']);
  });

  it('has such code for the Node that built it', async () => {
    await access(new URL(`../../warm/${codeName()}`, import.meta.url));
  });
});

/** The name of code that V8 made here. */
const codeName = (): string => `${runScript("console.log(require('node:v8').cachedDataVersionTag())")}.code`;

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
  for (const name of ['cartulary.js', 'load-program.js']) await copyFile(join(bin, name), join(folder, 'bin', name));
  return join(folder, 'bin', 'cartulary.js');
}

/**
 * Runs a script in a Node of its own: V8 has other flags in this one where another test has set some.
 * @returns what it prints
 */
function runScript(script: string, ...parameters: readonly string[]): string {
  return execFileSync(process.execPath, ['--eval', script, ...parameters], { encoding: 'utf8' }).trim();
}

/** Puts code of V8 beside such a program, which prints its name too. */
async function warm(program: string, warmAt: number, code?: Buffer): Promise<void> {
  const folder = fileURLToPath(new URL('../warm/', `file://${program}`));
  const text = "(function () { return { runProgram: () => console.log('warm') }; })";
  await mkdir(folder);
  await writeFile(join(folder, 'program.cjs'), text);
  const file = join(folder, codeName());
  if (code === undefined) runScript(makeCode, file, text);
  else await writeFile(file, code);
  await utimes(file, warmAt, warmAt);
}
