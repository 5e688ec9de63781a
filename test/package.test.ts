import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Files that the program reads: files beside the sources, neither source nor document. */
function listData(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(ts|md)$/.test(entry.name))
    .map((entry) => path.posix.join(entry.parentPath, entry.name));
}

describe('the package', () => {
  it('holds every data file beside the sources, and their licences', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
    const held = new Set(files.map((file) => file.path));
    const data = [...listData('lib'), ...listData('schema')];
    assert.ok(data.includes('lib/search/meaning/word-vectors.bin'), data.join());
    assert.deepEqual(
      [...data, 'lib/search/meaning/README.md'].filter((file) => !held.has(file)),
      [],
    );
  });
});
