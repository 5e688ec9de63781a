import assert from 'node:assert/strict';
import { cp, mkdir, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, makeFolder, serve, tidyUp, timeout } from '../support/processes/run-program.js';
import { changeRows, documents, flipByte, makeData, sidecarOf, verify } from './spoil-data.js';
import { Sqlite } from '../support/store/sqlite.js';

const damages: readonly Damage[] = [
  {
    what: "a byte in the repository's pack",
    plant: async (data) => flipByte(await packOf(data), (size) => Math.floor(size / 2)),
    part: 'repository',
    says: /pack|corrupt|error/,
  },
  {
    what: 'a pack that is cut short',
    plant: async (data) => {
      const pack = await packOf(data);
      await truncate(pack, Math.floor((await stat(pack)).size / 3));
    },
    part: 'documents',
    says: /cannot be read/,
  },
  {
    what: "a document's checksum",
    plant: (data) =>
      changeRows(
        data,
        "UPDATE version SET sha256 = replace(sha256, substr(sha256, 1, 4), '0000') WHERE location = '3.md'",
      ),
    part: 'documents',
    says: /^3\.md has the SHA-256 .*, and its row says 0000/,
  },
  {
    what: "a document's name",
    plant: (data) => changeRows(data, "UPDATE document SET name = 'renamed.md' WHERE name = '4.md'"),
    part: 'tree',
    says: /^policies\/(?:4\.md is in the tree, but has no row|renamed\.md has a row, but is not in the tree)/,
  },
  {
    what: 'a version that is missing',
    plant: (data) => changeRows(data, "DELETE FROM version WHERE location = '5.md'"),
    part: 'rows',
    says: /^40 documents are live, but only 39/,
  },
  {
    what: 'an audit record',
    plant: (data) => changeRows(data, "UPDATE audit_record SET principal = 'somebody' WHERE seq = 3"),
    part: 'audit',
    says: /^record 3 was changed/,
  },
  {
    what: 'an audit log without its end',
    plant: (data) => changeRows(data, 'DELETE FROM audit_record WHERE seq > 3; DELETE FROM audit_checkpoint'),
    part: 'audit',
    says: /^the chain ends at 3, but record \d+ is one that commit [0-9a-f]{40} bears witness of/,
  },
  {
    what: 'a branch that was put back',
    plant: async (data) => {
      const ref = join(data, 'acme', 'content.git', 'refs', 'heads', 'main');
      const sidecar = new Sqlite(sidecarOf(data), { readonly: true });
      const older = sidecar.prepare('SELECT commit_oid FROM version WHERE commit_oid <> ? LIMIT 1');
      const row = older.get((await readFile(ref, 'utf8')).trim()) as { commit_oid: string };
      sidecar.close();
      await writeFile(ref, `${row.commit_oid}\n`);
    },
    part: 'history',
    says: /behind commits that are not pending/,
  },
  {
    what: 'a sidecar with bytes of something else in it',
    plant: async (data) => {
      const handle = await open(sidecarOf(data), 'r+');
      const { size } = await handle.stat();
      for (let at = 4096 * 3; at < size; at += 8192) await handle.write(Buffer.alloc(2048, 0xaa), 0, 2048, at);
      await handle.close();
    },
    part: 'sidecar',
    says: /./,
  },
];

describe('cartulary verify', function () {
  this.timeout(timeout);

  let sound: string;

  before(async () => {
    sound = await makeData();
  });
  after(tidyUp);

  it('finds a sound workspace sound, having read every document', async () => {
    const { code, sound: isSound, workspaces } = await verify(sound);
    assert.deepEqual(workspaces[0]?.problems, []);
    assert.deepEqual([code, isSound, workspaces[0]?.documents], [0, true, documents]);
    assert.ok((workspaces[0]?.audit_records ?? 0) > 3);
  });

  for (const { what, plant, part, says } of damages) {
    it(`finds ${what}`, async () => {
      const data = join(await makeFolder(), 'data');
      await cp(sound, data, { recursive: true });
      await plant(data);
      const { code, sound: isSound, workspaces } = await verify(data);
      assert.deepEqual([code, isSound], [1, false]);
      const lines = (workspaces[0]?.problems ?? []).map(({ part: in_, location, message }) => ({
        part: in_,
        text: location === undefined ? message : `${location} ${message}`,
      }));
      assert.ok(
        lines.some((line) => line.part === part && says.test(line.text)),
        JSON.stringify(lines, null, 1),
      );
    });
  }

  it('finds no fault beside a server that is written to meanwhile', async () => {
    const folder = await makeFolder();
    const [data, source] = [join(folder, 'data'), join(folder, 'source')];
    await mkdir(source);
    const names = Array.from({ length: 800 }, (_, index) => `${index}.md`);
    await Promise.all(names.map((name) => writeFile(join(source, name), name.repeat(50))));
    const server = await serve(data);
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const importing = { done: false };
    const imported = ask('import', source, '--into', 'x', '--data', data).finally(() => (importing.done = true));
    const found: unknown[] = [];
    while (!importing.done) {
      const { sound: isSound, workspaces } = await verify(data);
      if (!isSound) found.push(workspaces[0]?.problems);
    }
    await imported;
    assert.deepEqual(found, []);
    assert.equal((await verify(data)).workspaces[0]?.documents, names.length);
    await server.stop();
  });
});

async function packOf(data: string): Promise<string> {
  const folder = join(data, 'acme', 'content.git', 'objects', 'pack');
  const packs = (await readdir(folder)).filter((name) => name.endsWith('.pack')).map((name) => join(folder, name));
  const sizes = await Promise.all(packs.map(async (pack) => (await stat(pack)).size));
  return packs[sizes.indexOf(Math.max(...sizes))] ?? '';
}

interface Damage {
  readonly what: string;
  plant(data: string): Promise<void> | void;
  /** A problem that must be reported: its part, its location and its message. */
  readonly part: string;
  readonly says: RegExp;
}
