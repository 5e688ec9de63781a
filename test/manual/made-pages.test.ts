import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the pages that are made from the program', function () {
  this.timeout(30_000);

  it('hold in the repository what the program says', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/write-made.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [0, '']);
  });

  it('can be read there: each command, each setting, and no link to a page that the build alone has', () => {
    const read = (name: string): string => readFileSync(`${root}lib/docs/${name}.md`, 'utf8');
    assert.match(read('commands'), /^## principal add$/m);
    assert.match(read('settings'), /`connector_hosts`, `CARTULARY_CONNECTOR_HOSTS`/);
    assert.match(read('rest-reference'), /`PUT \/v1\/documents\/\{location\}` \| Update a document \|/);
    for (const name of ['commands', 'settings', 'tools', 'reasons', 'rest-reference']) {
      assert.doesNotMatch(read(name), /\]\(rest-(?!reference)/, name);
    }
  });
});
