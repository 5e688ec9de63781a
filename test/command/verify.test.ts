import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { archiveAudit } from '../../lib/operations/archive-audit.js';
import { perform } from '../../lib/operations/perform.js';
import { verifyData, type VerifiedData } from '../../lib/socket/inspect.js';
import { makeWorld } from '../backup/world.js';
import { openTestService, operator } from '../harness/service.js';
import { ask, makeFolder, runProgram, serve, tidyUp, patience } from './run-program.js';

interface Told {
  readonly part: string;
  readonly message: string;
  readonly location?: string;
  readonly way_out: string;
}

interface Verified {
  readonly sound: boolean;
  readonly service: { readonly sound: boolean; readonly problems: readonly Told[] };
  readonly workspaces: readonly {
    readonly workspace: string;
    readonly documents: number;
    readonly versions: number;
    readonly audit_records: number;
    readonly problems: readonly Told[];
  }[];
}

/** What is reported, a line each: `part: location message`. */
const linesOf = ({ service, workspaces }: Pick<Verified, 'service' | 'workspaces'>): string[] =>
  [...service.problems, ...workspaces.flatMap(({ problems }) => problems)].map(
    ({ part, location, message }) => `${part}: ${location === undefined ? '' : `${location} `}${message}`,
  );

const documents = 40;

/** A data folder with a workspace of documents, small ones and a large one, which no process has open. */
async function makeData(): Promise<string> {
  const folder = await makeFolder();
  const [data, source] = [join(folder, 'data'), join(folder, 'source')];
  await mkdir(join(source, 'policies'), { recursive: true });
  for (let index = 1; index < documents; index += 1) {
    await writeFile(join(source, index % 2 === 0 ? 'policies' : '.', `${index}.md`), `# Document ${index}\n`.repeat(9));
  }
  await writeFile(join(source, 'large.bin'), Buffer.alloc(1_500_000, 'large'));
  await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
  await ask('import', source, '--into', '/', '--data', data);
  return data;
}

async function verify(data: string, ...more: string[]): Promise<Verified & { readonly code: number | null }> {
  const { code, stdout, stderr } = await runProgram(['verify', '--data', data, '--json', ...more]);
  assert.ok(stdout !== '', stderr);
  return { code, ...(JSON.parse(stdout) as Verified) };
}

const sidecarOf = (data: string): string => join(data, 'acme', 'sidecar.sqlite');

function changeRows(data: string, sql: string): void {
  const connection = new Database(sidecarOf(data));
  connection.exec(sql);
  connection.close();
}

async function packOf(data: string): Promise<string> {
  const folder = join(data, 'acme', 'content.git', 'objects', 'pack');
  const packs = (await readdir(folder)).filter((name) => name.endsWith('.pack')).map((name) => join(folder, name));
  const sizes = await Promise.all(packs.map(async (pack) => (await stat(pack)).size));
  return packs[sizes.indexOf(Math.max(...sizes))] ?? '';
}

async function flipByte(file: string, at: (size: number) => number): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  const position = at((await handle.stat()).size);
  await handle.read(byte, 0, 1, position);
  byte.writeUInt8(byte.readUInt8() ^ 0xff);
  await handle.write(byte, 0, 1, position);
  await handle.close();
}

interface Damage {
  readonly what: string;
  plant(data: string): Promise<void> | void;
  /** A problem that must be reported: its part, and what its location and message say. */
  readonly part: string;
  readonly says: RegExp;
}

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
      const sidecar = new Database(sidecarOf(data), { readonly: true });
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
  this.timeout(patience);

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

  it('finds nothing wrong beside a server that is written to meanwhile', async () => {
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

interface Planted {
  readonly what: string;
  plant(data: string): Promise<void> | void;
  /** Lines of which each must be among those reported. */
  readonly says: readonly RegExp[];
  /** What to do about it. */
  readonly wayOut: RegExp;
}

const oneValue = (data: string, sql: string): string => {
  const connection = new Database(sidecarOf(data), { readonly: true });
  try {
    return String(connection.prepare(sql).pluck().get());
  } finally {
    connection.close();
  }
};
const looseFile = (data: string, oid: string): string =>
  join(data, 'acme', 'content.git', 'objects', oid.slice(0, 2), oid.slice(2));

const planted: readonly Planted[] = [
  {
    what: "an older version's checksum",
    plant: (data) =>
      changeRows(
        data,
        "UPDATE version SET sha256 = replace(sha256, substr(sha256, 1, 4), '0000') WHERE location = 'plan.md' AND sequence = 1",
      ),
    says: [/^versions: plan\.md version [0-9a-f]{40} has the SHA-256 [0-9a-f]{64}, and its row says 0000/],
    wayOut: /cartulary restore/,
  },
  {
    what: "an older version's size, and with it the count of stored bytes",
    plant: (data) => changeRows(data, "UPDATE version SET size = 1 WHERE location = 'plan.md' AND sequence = 1"),
    says: [
      /^versions: plan\.md version [0-9a-f]{40} has 6 bytes, and its row says 1\.$/,
      /^rows: The count of stored bytes is \d+, and the sizes of all versions come to \d+\.$/,
    ],
    wayOut: /cartulary rebuild/,
  },
  {
    what: 'the content of a document that is deleted',
    plant: async (data) => {
      const repository = join(data, 'acme', 'content.git');
      const blob = oneValue(data, "SELECT blob_oid FROM version WHERE location = 'gone/b/c.md'");
      await unpack(repository);
      await rm(looseFile(data, blob));
    },
    says: [
      /^versions: gone\/b\/c\.md version [0-9a-f]{40} cannot be read: .*[0-9a-f]{40}/,
      /^repository: .*missing blob/,
    ],
    wayOut: /cartulary restore/,
  },
  {
    what: "a version's message",
    plant: (data) => changeRows(data, "UPDATE version SET message = 'forged' WHERE location = 'said.html'"),
    says: [
      /^rows: said\.html version [0-9a-f]{40} has the message "forged" in its row, and "First line.*in the history\.$/,
    ],
    wayOut: /cartulary rebuild/,
  },
  {
    what: "a version's author and time",
    plant: (data) =>
      changeRows(
        data,
        "UPDATE version SET author = (SELECT id FROM principal WHERE display_name = 'Ben'), at = at - 5 WHERE location = 'said.html'",
      ),
    says: [
      /^rows: said\.html version \w+ has the author "prn_/,
      /^rows: said\.html version \w+ has the at \d+ in its row, and \d+ in the history/,
    ],
    wayOut: /cartulary rebuild/,
  },
  {
    what: 'the order of what happened',
    plant: (data) => changeRows(data, "UPDATE version SET moment = 1 WHERE location = 'said.html'"),
    says: [/^rows: .*the moment 1/],
    wayOut: /cartulary rebuild/,
  },
  {
    what: 'a move whose row is missing',
    plant: (data) => changeRows(data, "DELETE FROM relocation WHERE to_location = 'new/late'"),
    says: [/^rows: new\/late relocation is in the history, but has no row\.$/],
    wayOut: /cartulary rebuild/,
  },
  {
    what: 'a deletion that never was',
    plant: (data) =>
      changeRows(
        data,
        "INSERT INTO deletion SELECT document, 999, 'f', location, NULL, author, at FROM version WHERE location = 'said.html'",
      ),
    says: [/^rows: said\.html deletion is among the rows, but not in the history\.$/],
    wayOut: /cartulary rebuild/,
  },
  {
    what: "a deleted document's time and place",
    plant: (data) => changeRows(data, "UPDATE document SET deleted_at = 5 WHERE deleted_location = 'gone/b/c.md'"),
    says: [/^rows: gone\/b\/c\.md document doc_\w+ has the deleted_at 5 in its row, and \d+ in the history\.$/],
    wayOut: /cartulary rebuild/,
  },
  {
    what: 'a row that hangs on nothing',
    plant: (data) => changeRows(data, "PRAGMA foreign_keys = OFF; INSERT INTO label VALUES (99999, 'lost')"),
    says: [/^references: 1 of the rows of "label" name a row of "document" that is not there\.$/],
    wayOut: /cartulary rebuild/,
  },
  {
    what: 'a pending object',
    plant: (data) =>
      changeRows(
        data,
        `INSERT INTO pending_object (oid, type, size, deflated) VALUES ('0123456789012345678901234567890123456789', 'blob', 4, x'${deflateSync('else').toString('hex')}')`,
      ),
    says: [/^pending: The pending blob 0123456789\w+ holds something else\.$/],
    wayOut: /not in the repository yet/,
  },
  {
    what: 'a pending object that is torn',
    plant: (data) =>
      changeRows(
        data,
        "INSERT INTO pending_object (oid, type, size, deflated) VALUES ('0123456789012345678901234567890123456789', 'tree', 9, x'789c')",
      ),
    says: [/^pending: The pending tree 0123456789\w+ cannot be read/],
    wayOut: /not in the repository yet/,
  },
  {
    what: 'a large blob with a file of its own',
    plant: async (data) => {
      const file = looseFile(data, oneValue(data, "SELECT blob_oid FROM version WHERE location = 'large.bin'"));
      await chmod(file, 0o600);
      await flipByte(file, (size) => Math.floor(size / 2));
    },
    says: [/^documents: large\.bin cannot be read: /, /^versions: large\.bin version \w+ cannot be read: /],
    wayOut: /cartulary restore/,
  },
  {
    what: 'a repository without main',
    plant: (data) => rm(join(data, 'acme', 'content.git', 'refs', 'heads', 'main')),
    says: [/^history: The repository has no main, and /],
    wayOut: /Start the service/,
  },
  {
    what: 'a folder of the index in which a byte is another',
    plant: async (data) => {
      const folder = join(data, 'acme', 'search');
      const segment = (await readdir(folder)).find((name) => name.endsWith('.segment')) ?? '';
      await flipByte(join(folder, segment), (size) => Math.floor(size / 2));
    },
    says: [/^search: The file [0-9a-f]{64}\.segment of the search index is damaged\.$/],
    wayOut: /makes its index again by itself/,
  },
  {
    what: "the index's list of its files",
    plant: (data) => flipByte(join(data, 'acme', 'search', 'manifest.json'), (size) => size - 5),
    says: [/^search: The manifest is damaged\.$/],
    wayOut: /makes its index again by itself/,
  },
  {
    what: 'an index of which a file is gone',
    plant: async (data) => {
      const folder = join(data, 'acme', 'search');
      await rm(join(folder, (await readdir(folder)).find((name) => name.endsWith('.segment')) ?? ''));
    },
    says: [/^search: The file [0-9a-f]{64}\.segment of the search index is missing\.$/],
    wayOut: /makes its index again by itself/,
  },
  {
    what: 'archives of the audit log, each of them',
    plant: async (data) => {
      const folder = join(data, 'acme', 'audit');
      const [first = '', second = ''] = (await readdir(folder)).toSorted();
      await rm(join(folder, first));
      await flipByte(join(folder, second), (size) => size - 3);
    },
    says: [
      /^audit: the archive \S+ of records 1 to 20 is missing\.$/,
      /^audit: the archive \S+ of records 21 to 40 was changed: its SHA-256 is another one\.$/,
    ],
    wayOut: /put back from a backup/,
  },
  {
    what: "a byte of the service's own file",
    plant: (data) => flipByte(join(data, 'service.sqlite'), () => 101),
    says: [/^service: service\.sqlite/],
    wayOut: /copy of service\.sqlite/,
  },
  {
    what: "a service's file that is no database",
    plant: (data) => writeFile(join(data, 'service.sqlite'), 'lost'.repeat(5000)),
    says: [/^service: service\.sqlite cannot be read: file is not a database$/],
    wayOut: /copy of service\.sqlite/,
  },
  {
    what: "a service's file that is gone",
    plant: async (data) => {
      for (const name of await readdir(data)) if (name.startsWith('service.sqlite')) await rm(join(data, name));
    },
    says: [/^service: service\.sqlite cannot be read: /],
    wayOut: /copy of service\.sqlite/,
  },
  {
    what: 'a workspace that is listed and has no files',
    plant: (data) => {
      const service = new Database(join(data, 'service.sqlite'));
      service.exec("INSERT INTO workspace VALUES ('lost', 1)");
      service.close();
    },
    says: [/^service: The workspace "lost" is listed, and has no files\.$/],
    wayOut: /cartulary restore/,
  },
  {
    what: 'a workspace that nothing lists',
    plant: (data) => cp(join(data, 'acme'), join(data, 'stray'), { recursive: true }),
    says: [/^service: The folder "stray" holds a workspace that is not listed\.$/],
    wayOut: /It is not served\./,
  },
];

/** Takes all packs apart, so that each object has a file of its own. */
async function unpack(repository: string): Promise<void> {
  const folder = join(repository, 'objects', 'pack');
  const packs: Buffer[] = [];
  for (const name of await readdir(folder)) {
    if (name.endsWith('.pack')) packs.push(await readFile(join(folder, name)));
    await rm(join(folder, name));
  }
  for (const input of packs) execFileSync('git', ['-C', repository, 'unpack-objects', '-q'], { input, stdio: 'pipe' });
}

describe('verification of what is not served every day', function () {
  this.timeout(patience);

  let sound: string;

  before(async () => {
    const test = await openTestService({ store: 'disk' });
    await makeWorld(test);
    for (const seq of [21, 41]) await perform(test.workspace, operator, archiveAudit, { before: { seq } });
    await test.service.close();
    sound = join(await makeFolder(), 'data');
    await cp(test.dataFolder ?? '', sound, { recursive: true });
    await test.close();
  });
  after(tidyUp);

  /** As the command does, without a process of its own. */
  const look = (data: string, isQuick = false): Promise<VerifiedData> =>
    verifyData({ dataFolder: data, workspace: null, git: 'auto', isQuick }, () => undefined);

  it('finds nothing where nothing is damaged, and says how much it looked at', async () => {
    const { service, workspaces } = await look(sound);
    assert.deepEqual(linesOf({ service, workspaces }), []);
    assert.ok((workspaces[0]?.versions ?? 0) > (workspaces[0]?.documents ?? 0));
  });

  for (const { what, plant, says, wayOut } of planted) {
    it(`names ${what}`, async () => {
      const data = join(await makeFolder(), 'data');
      await cp(sound, data, { recursive: true });
      await plant(data);
      const { service, workspaces } = await look(data);
      const lines = linesOf({ service, workspaces });
      for (const line of says) {
        assert.ok(
          lines.some((each) => line.test(each)),
          `${line.source}\n${lines.join('\n')}`,
        );
      }
      const ways = [...service.problems, ...workspaces.flatMap(({ problems }) => problems)];
      assert.ok(
        ways.some((each) => wayOut.test(each.way_out)),
        JSON.stringify(ways, null, 1),
      );
      assert.ok(
        workspaces.some(({ workspace }) => workspace === 'acme'),
        'the workspace was looked at nevertheless',
      );
    });
  }

  it('names the first hundred of a kind, and how many more there are', async () => {
    const data = join(await makeFolder(), 'data');
    await cp(sound, data, { recursive: true });
    changeRows(
      data,
      "UPDATE version SET message = 'forged', media_type = 'x/y', kind = 'binary', operation = 'import'",
    );
    const lines = linesOf(await look(data));
    assert.equal(lines.filter((line) => line.startsWith('rows: ')).length, 101);
    assert.match(lines.at(-1) ?? '', /^rows: There are \d+ more of this kind\.$/);
  });

  it('leaves the history out where it is to be quick', async () => {
    const data = join(await makeFolder(), 'data');
    await cp(sound, data, { recursive: true });
    changeRows(data, "UPDATE version SET message = 'forged' WHERE location = 'said.html'");
    assert.deepEqual(linesOf(await look(data, true)), []);
    assert.equal((await verify(data, '--quick')).code, 0);
    const { code, stdout } = await runProgram(['verify', '--data', data]);
    assert.equal(code, 1);
    assert.match(stdout, /^acme: BROKEN; \d+ documents, \d+ versions and \d+ audit records checked$/m);
    assert.match(stdout, /^ {2}rows: said\.html version \w+ has the message "forged"/m);
    assert.match(stdout, /^ {2}What to do \(rows\): `cartulary rebuild` makes these rows again/m);
  });

  it('tells of a lost archive on the command line, and verifies the workspace itself all the same', async () => {
    const data = join(await makeFolder(), 'data');
    await cp(sound, data, { recursive: true });
    const folder = join(data, 'acme', 'audit');
    await rm(join(folder, (await readdir(folder)).toSorted()[1] ?? ''));
    const { code, ...verified } = await verify(data);
    assert.equal(code, 1);
    const [line = '', ...more] = linesOf(verified);
    assert.match(line, /^audit: the archive \S+ of records 21 to 40 is missing\.$/);
    assert.deepEqual(more, []);
    assert.ok((verified.workspaces[0]?.versions ?? 0) > 30);
  });
});

describe('cartulary audit', function () {
  this.timeout(patience);

  let data: string;
  let exported: string;
  let key: string;

  before(async () => {
    data = await makeData();
    const { code, stdout } = await runProgram(['audit', 'export', '--data', data]);
    assert.equal(code, 0);
    exported = stdout;
    key = (await ask<{ public_key: string }>('audit', 'key', '--data', data)).public_key;
  });
  after(tidyUp);

  interface Verdict {
    readonly sound: boolean;
    readonly chains: readonly {
      readonly records: number;
      readonly problem?: string;
      readonly signed?: { readonly seq: number } | null;
    }[];
  }

  async function verifyExport(text: string, ...more: string[]): Promise<Verdict & { readonly code: number | null }> {
    const file = join(await makeFolder(), 'audit.jsonl');
    await writeFile(file, text);
    const { code, stdout } = await runProgram(['audit', 'verify', '--export', file, '--json', ...more]);
    return { code, ...(JSON.parse(stdout) as Verdict) };
  }

  it('verifies the log where it lies, and an export alone, with the public key its signatures too', async () => {
    const here = await ask<Verdict>('audit', 'verify', '--data', data);
    assert.equal(here.sound, true);
    const alone = await verifyExport(exported);
    assert.deepEqual([alone.code, alone.sound, alone.chains[0]?.signed], [0, true, null]);
    const records = exported
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{"record"')).length;
    assert.equal(alone.chains[0]?.records, records);
    const signed = await verifyExport(exported, '--key', key);
    assert.equal(signed.chains[0]?.signed?.seq, records);
  });

  it('names the first record of an export that was changed, removed, moved or cut off', async () => {
    const lines = exported.trim().split('\n');
    const placeOf = (seq: number): number => lines.findIndex((line) => line.startsWith(`{"record":{"seq":${seq},`));
    const [third, fourth] = [placeOf(3), placeOf(4)];
    const swapped = lines.with(third, lines[fourth] ?? '').with(fourth, lines[third] ?? '');
    const [changed, missing, moved, cut, nonsense] = await Promise.all([
      verifyExport(lines.with(third, lines[third]?.replace('"done"', '"refused"') ?? '').join('\n')),
      verifyExport(lines.toSpliced(third, 1).join('\n')),
      verifyExport(swapped.join('\n')),
      verifyExport(lines.slice(0, placeOf(5) + 1).join('\n'), '--key', key),
      verifyExport(lines.with(third, '{"record":{"seq":3}}').join('\n')),
    ]);
    assert.deepEqual(
      [changed, missing, moved, cut, nonsense].map(({ code }) => code),
      [1, 1, 1, 1, 1],
    );
    assert.match(changed.chains[0]?.problem ?? '', /^record 3 was changed/);
    assert.match(missing.chains[0]?.problem ?? '', /^record 3 is missing/);
    assert.match(moved.chains[0]?.problem ?? '', /^record 3 is missing; record 4 follows/);
    assert.match(cut.chains[0]?.problem ?? '', /^the export breaks off after record 5/);
    assert.match(nonsense.chains[0]?.problem ?? '', /^line \d+ is no audit record/);
  });

  it('leaves the texts out for an auditor who must not see them, and still verifies', async () => {
    const { stdout } = await runProgram(['audit', 'export', '--no-texts', '--data', data]);
    assert.ok(exported.includes('"text"'));
    assert.ok(!stdout.includes('"text"'));
    assert.equal((await verifyExport(stdout, '--key', key)).sound, true);
  });
});
