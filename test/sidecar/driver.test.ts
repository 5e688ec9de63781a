import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../lib/config.js';
import { connect } from '../../lib/sidecar/driver.js';
import { makeFolder, tidyUp, timeout } from '../support/processes/run-program.js';

const run = promisify(execFile);
const isNew = Number(process.versions['napi']) >= 10;
const [wanted, other] = isNew ? ['better-sqlite3-13', 'better-sqlite3'] : ['better-sqlite3', 'better-sqlite3-13'];

const advice = /^better-sqlite3 does not load in Node [\d.]+ on \w+ \w+\. Install Cartulary again with this Node/;

const script = `
import { connect } from './driver.js';
try {
  const { version } = connect(':memory:').prepare('SELECT sqlite_version() AS version').get();
  console.log(version);
} catch (error) {
  console.log(error.message);
}
`;

describe('The driver of SQLite', function () {
  this.timeout(timeout);

  after(tidyUp);

  it('is the version of better-sqlite3 for this Node, and needs no other', async () => {
    const said = await load((modules) => symlinkSync(packagePath('node_modules', wanted), join(modules, wanted)));
    const here = connect(':memory:');
    assert.deepEqual(here.prepare('SELECT sqlite_version() AS version').get(), { version: said });
    here.close();
  });

  it('says what to do where it is missing, even beside the version for another Node', async () => {
    assert.match(await load(() => {}), advice);
    const said = await load((modules) => {
      // It must not be loaded, whatever it does.
      mkdirSync(join(modules, other));
      writeFileSync(join(modules, other, 'index.js'), 'process.exit(9)');
    });
    assert.match(said, advice);
    assert.equal(said.includes('compiler'), !isNew);
  });

  it('says what to do where its binary is missing, or is for another machine', async () => {
    const copy = (modules: string): void => {
      for (const part of ['lib', 'package.json'])
        cpSync(packagePath('node_modules', wanted, part), join(modules, wanted, part), { recursive: true });
      if (isNew) return;
      for (const name of ['bindings', 'file-uri-to-path'])
        cpSync(packagePath('node_modules', name), join(modules, name), { recursive: true });
    };
    assert.match(await load(copy), advice);
    const spoilt = await load((modules) => {
      copy(modules);
      const place = join(modules, wanted, 'build', 'Release');
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, 'better_sqlite3.node'), 'of another machine');
    });
    assert.match(spoilt, advice);
  });
});

/** The driver in an installation of its own. @param prepare puts packages into its node_modules */
async function load(prepare: (modules: string) => void): Promise<string> {
  const folder = await makeFolder();
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'main.js'), script);
  copyFileSync(packagePath('dist', 'lib', 'sidecar', 'driver.js'), join(folder, 'driver.js'));
  prepare(join(folder, 'node_modules'));
  const { stdout } = await run(process.execPath, ['main.js'], { cwd: folder });
  return stdout.trim();
}
