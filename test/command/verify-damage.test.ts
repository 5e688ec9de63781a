import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { perform } from '../../lib/operations/perform.js';
import { verifyData, type VerifiedData } from '../../lib/commands/operator/inspect.js';
import { makeWorld } from '../support/store/full-world.js';
import { openTestService, operator } from '../support/store/service.js';
import { makeFolder, runProgram, tidyUp, timeout } from '../support/processes/run-program.js';
import { type Verified, changeRows, flipByte, verify, oneValue } from './spoil-data.js';
import { Sqlite } from '../support/store/sqlite.js';

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
    remedy: /cartulary restore/,
  },
  {
    what: "an older version's size, and with it the count of stored bytes",
    plant: (data) => changeRows(data, "UPDATE version SET size = 1 WHERE location = 'plan.md' AND sequence = 1"),
    says: [
      /^versions: plan\.md version [0-9a-f]{40} has 6 bytes, and its row says 1\.$/,
      /^rows: The count of stored bytes is \d+, and the sizes of all versions come to \d+\.$/,
    ],
    remedy: /cartulary rebuild/,
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
    remedy: /cartulary restore/,
  },
  {
    what: "a version's message",
    plant: (data) => changeRows(data, "UPDATE version SET message = 'forged' WHERE location = 'said.html'"),
    says: [
      /^rows: said\.html version [0-9a-f]{40} has the message "forged" in its row, and "First line.*in the history\.$/,
    ],
    remedy: /cartulary rebuild/,
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
    remedy: /cartulary rebuild/,
  },
  {
    what: 'the order of what happened',
    plant: (data) => changeRows(data, "UPDATE version SET moment = 1 WHERE location = 'said.html'"),
    says: [/^rows: .*the moment 1/],
    remedy: /cartulary rebuild/,
  },
  {
    what: 'a move whose row is missing',
    plant: (data) => changeRows(data, "DELETE FROM relocation WHERE to_location = 'new/late'"),
    says: [/^rows: new\/late relocation is in the history, but has no row\.$/],
    remedy: /cartulary rebuild/,
  },
  {
    what: 'a deletion that never was',
    plant: (data) =>
      changeRows(
        data,
        "INSERT INTO deletion SELECT document, 999, 'f', location, NULL, author, at FROM version WHERE location = 'said.html'",
      ),
    says: [/^rows: said\.html deletion is among the rows, but not in the history\.$/],
    remedy: /cartulary rebuild/,
  },
  {
    what: "a deleted document's time and place",
    plant: (data) => changeRows(data, "UPDATE document SET deleted_at = 5 WHERE deleted_location = 'gone/b/c.md'"),
    says: [/^rows: gone\/b\/c\.md document doc_\w+ has the deleted_at 5 in its row, and \d+ in the history\.$/],
    remedy: /cartulary rebuild/,
  },
  {
    what: 'a row that hangs on nothing',
    plant: (data) => changeRows(data, "PRAGMA foreign_keys = OFF; INSERT INTO label VALUES (99999, 'lost')"),
    says: [/^references: 1 of the rows of "label" name a row of "document" that is not there\.$/],
    remedy: /cartulary rebuild/,
  },
  {
    what: 'a sidecar that this release has not seen yet',
    plant: (data) => changeRows(data, 'ALTER TABLE label RENAME TO label_of_before'),
    says: [/^schema: no such table: label$/],
    remedy: /start one: it brings the sidecar to its schema/,
  },
  {
    what: 'a pending object',
    plant: (data) =>
      changeRows(
        data,
        `INSERT INTO pending_object (oid, type, size, deflated) VALUES ('0123456789012345678901234567890123456789', 'blob', 4, x'${deflateSync('else').toString('hex')}')`,
      ),
    says: [/^pending: The pending blob 0123456789\w+ holds something else\.$/],
    remedy: /not in the repository yet/,
  },
  {
    what: 'a pending object that is torn',
    plant: (data) =>
      changeRows(
        data,
        "INSERT INTO pending_object (oid, type, size, deflated) VALUES ('0123456789012345678901234567890123456789', 'tree', 9, x'789c')",
      ),
    says: [/^pending: The pending tree 0123456789\w+ cannot be read/],
    remedy: /not in the repository yet/,
  },
  {
    what: 'a large blob with a file of its own',
    plant: async (data) => {
      const file = looseFile(data, oneValue(data, "SELECT blob_oid FROM version WHERE location = 'large.bin'"));
      await chmod(file, 0o600);
      await flipByte(file, (size) => Math.floor(size / 2));
    },
    says: [/^documents: large\.bin cannot be read: /, /^versions: large\.bin version \w+ cannot be read: /],
    remedy: /cartulary restore/,
  },
  {
    what: 'a repository without main',
    plant: (data) => rm(join(data, 'acme', 'content.git', 'refs', 'heads', 'main')),
    says: [/^history: The repository has no main, and /],
    remedy: /Start the service/,
  },
  {
    what: 'a folder of the index in which a byte is another',
    plant: async (data) => {
      const folder = join(data, 'acme', 'search');
      const segment = (await readdir(folder)).find((name) => name.endsWith('.segment')) ?? '';
      await flipByte(join(folder, segment), (size) => Math.floor(size / 2));
    },
    says: [/^search: The file [0-9a-f]{64}\.segment of the search index is damaged\.$/],
    remedy: /makes its index again by itself/,
  },
  {
    what: "the index's list of its files",
    plant: (data) => flipByte(join(data, 'acme', 'search', 'manifest.json'), (size) => size - 5),
    says: [/^search: The manifest is damaged\.$/],
    remedy: /makes its index again by itself/,
  },
  {
    what: 'an index of which a file is gone',
    plant: async (data) => {
      const folder = join(data, 'acme', 'search');
      await rm(join(folder, (await readdir(folder)).find((name) => name.endsWith('.segment')) ?? ''));
    },
    says: [/^search: The file [0-9a-f]{64}\.segment of the search index is missing\.$/],
    remedy: /makes its index again by itself/,
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
    remedy: /put back from a backup/,
  },
  {
    what: "a byte of the service's own file",
    plant: (data) => flipByte(join(data, 'service.sqlite'), () => 101),
    says: [/^service: service\.sqlite/],
    remedy: /copy of service\.sqlite/,
  },
  {
    what: "a service's file that is no database",
    plant: (data) => writeFile(join(data, 'service.sqlite'), 'lost'.repeat(5000)),
    says: [/^service: service\.sqlite cannot be read: file is not a database$/],
    remedy: /copy of service\.sqlite/,
  },
  {
    what: "a service's file that is gone",
    plant: async (data) => {
      for (const name of await readdir(data)) if (name.startsWith('service.sqlite')) await rm(join(data, name));
    },
    says: [/^service: service\.sqlite cannot be read: /],
    remedy: /copy of service\.sqlite/,
  },
  {
    what: 'a workspace that is listed and has no files',
    plant: (data) => {
      const service = new Sqlite(join(data, 'service.sqlite'));
      service.exec("INSERT INTO workspace VALUES ('lost', 1)");
      service.close();
    },
    says: [/^service: The workspace "lost" is listed, and has no files\.$/],
    remedy: /cartulary restore/,
  },
  {
    what: 'a workspace that nothing lists',
    plant: (data) => cp(join(data, 'acme'), join(data, 'stray'), { recursive: true }),
    says: [/^service: The folder "stray" holds a workspace that is not listed\.$/],
    remedy: /It is not served\./,
  },
];

describe('verification of rarely served parts', function () {
  this.timeout(timeout);

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

  it('finds nothing where nothing is damaged, and reports how much it looked at', async () => {
    const { service, workspaces } = await look(sound);
    assert.deepEqual(linesOf({ service, workspaces }), []);
    assert.ok((workspaces[0]?.versions ?? 0) > (workspaces[0]?.documents ?? 0));
  });

  for (const { what, plant, says, remedy } of planted) {
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
        ways.some((each) => remedy.test(each.remedy)),
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

  it('reports a lost archive on the command line, and verifies the workspace itself all the same', async () => {
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

  /** As the command does, without a process of its own. */
  const look = (data: string, isQuick = false): Promise<VerifiedData> =>
    verifyData({ dataFolder: data, workspace: null, git: 'auto', isQuick }, () => undefined);
});

/** The reports, a line each: `part: location message`. */
const linesOf = ({ service, workspaces }: Pick<Verified, 'service' | 'workspaces'>): string[] =>
  [...service.problems, ...workspaces.flatMap(({ problems }) => problems)].map(
    ({ part, location, message }) => `${part}: ${location === undefined ? '' : `${location} `}${message}`,
  );

interface Planted {
  readonly what: string;
  plant(data: string): Promise<void> | void;
  /** Each of these lines must be among the reports. */
  readonly says: readonly RegExp[];
  /** The remedy. */
  readonly remedy: RegExp;
}

/** Unpacks all packs, so that each object has a file of its own. */
async function unpack(repository: string): Promise<void> {
  const folder = join(repository, 'objects', 'pack');
  const packs: Buffer[] = [];
  for (const name of await readdir(folder)) {
    if (name.endsWith('.pack')) packs.push(await readFile(join(folder, name)));
    await rm(join(folder, name));
  }
  for (const input of packs) execFileSync('git', ['-C', repository, 'unpack-objects', '-q'], { input, stdio: 'pipe' });
}
