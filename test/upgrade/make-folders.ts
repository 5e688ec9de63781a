import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../lib/config.js';
import { oldFolders, type OldFolder } from './old-folders.js';
import { OldProgram } from './old-program.js';

/**
 * `npm run folders:old [FORMAT…]`: builds the program of each earlier data format from its commit, lets it write a data
 * folder, and keeps that folder with the program's own answers about it. Needs the repository's whole history, and git
 * and tar. Answers come from the old programs, never from this one.
 */
const wanted = process.argv.slice(2);
for (const folder of oldFolders) {
  if (wanted.length > 0 && !wanted.includes(folder.format)) continue;
  await makeFolder(folder);
}

async function makeFolder(folder: OldFolder): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'cartulary-old-'));
  try {
    const program = buildProgram(folder.commit, join(scratch, 'program'));
    const kept = join(scratch, 'kept');
    await mkdir(kept);
    const facts = await new OldProgram(program, join(kept, 'data')).write(folder.end);
    await writeFile(join(kept, 'kept.json'), JSON.stringify(facts));
    const file = packagePath('test', 'upgrade', 'folders', `${folder.format}.tar.gz`);
    const pack = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--exclude=*.sock', '--exclude=*.sample'];
    const tar = execFileSync('tar', [...pack, '-C', kept, '-cf', '-', '.'], { maxBuffer: 2 ** 28 });
    writeFileSync(file, execFileSync('gzip', ['-9n'], { input: tar, maxBuffer: 2 ** 28 }));
    process.stdout.write(`${folder.format}: ${file}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** @returns the path of its `cartulary.js`. Types may have changed since, so only what is emitted counts. */
function buildProgram(commit: string, folder: string): string {
  const root = packagePath('.');
  execFileSync('mkdir', [folder]);
  const source = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: source });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  try {
    execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], {
      stdio: 'ignore',
    });
  } catch {
    // Its types are of older packages.
  }
  const program = join(folder, 'dist', 'bin', 'cartulary.js');
  assert.ok(existsSync(program), `${commit} was not built`);
  return program;
}
