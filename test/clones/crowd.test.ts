import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultWorkLimits } from '../../lib/limits/work-limits.js';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { WatchedServer } from '../support/processes/watched-server.js';
import { skipBecause } from '../support/skip.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { runWith } from './person-clone.js';
import { delimiter, flush, mainOf, packet, RawGit } from './raw-git.js';

const mebibyte = 1024 * 1024;
/** Bytes that do not compress, far more than all buffers of a connection. */
const large = { documents: 160, bytes: 100 * 1024 };
/** Approvers of the root, who are served the workspace's own repository, and readers with one of their own each. */
const people = { approver: 2, reader: 2 };
/** Clones of each person: together more than run at once. */
const each = defaultWorkLimits.clones.perSource;
/** The most bytes by which all of them may make the process grow: 1 MiB for each, and what is collected later. */
const maxGrowth = 128 * mebibyte;

describe('Many clones at once, of clients that stop reading', function () {
  this.timeout(60_000);
  let dataFolder: string;
  let folder: string;
  let server: WatchedServer;
  const keys: string[] = [];
  const open: RawConnection[] = [];

  before(async function () {
    if (process.platform !== 'linux') skipBecause(this, 'processes are counted in /proc, which only Linux has');
    const service = await openTestService({ store: 'disk' });
    const actor = new Actor(service.workspace, operator.principalId);
    await actor.create('shared/note.md', 'a note');
    const files = Array.from({ length: large.documents }, (_, number) => ({
      location: parseLocation(`shared/large-${number}.bin`),
      content: { bytes: randomBytes(large.bytes) },
    }));
    await perform(service.workspace, operator, importDocuments, { into: rootLocation, files, message: null });
    for (const role of ['approver', 'reader'] as const) {
      for (let number = 0; number < people[role]; number += 1) {
        const { id } = await service.person(role, role === 'approver' ? '' : 'shared');
        keys.push(await service.key(id, ['git']));
      }
    }
    dataFolder = service.dataFolder ?? '';
    await service.service.close();
    folder = await mkdtemp(join(tmpdir(), 'cartulary-crowd-'));
    server = await WatchedServer.start('--data', dataFolder);
  });
  afterEach(() => {
    for (const connection of open.splice(0)) connection.end();
  });
  after(async () => {
    await server?.stop();
    for (const made of [dataFolder, folder]) if (made !== undefined) await rm(made, { recursive: true, force: true });
  });

  it('take bounded processes and memory, let others go on, and leave nothing', async () => {
    const heads = new Map<string, string>();
    for (const key of keys) {
      const git = new RawGit(port(), 'acme', key);
      heads.set(key, mainOf(await git.listRefs()) ?? '');
    }
    const last = keys.at(-1) ?? '';
    await new RawGit(port(), 'acme', last).fetch([heads.get(last) ?? '']);
    const { residentBytes } = await server.holds();
    for (const key of keys) {
      for (let number = 0; number < each; number += 1) await holdClone(key, heads.get(key) ?? '');
    }
    const count = (): number => programsOf(dataFolder, 'upload-pack').length;
    await until('as many clones run as may', () => count() >= defaultWorkLimits.clones.inAll);
    const started = performance.now();
    const health = await fetch(`${server.url}/v1/health`);
    assert.equal(health.status, 200);
    assert.ok(performance.now() - started < 5000, 'others are answered');
    const holds = await server.holds();
    // One can have ended just now, with the next one about to start.
    assert.ok(count() <= defaultWorkLimits.clones.inAll, 'programs of git');
    assert.ok(holds.residentBytes - residentBytes < maxGrowth, `${holds.residentBytes - residentBytes} bytes more`);

    for (const connection of open.splice(0)) connection.end();
    await until('every program of git has ended', () => programsOf(dataFolder, 'upload-pack').length === 0);
    const clone = await runWith(last, folder, ['clone', '-q', '--bare', `${server.url}/git/acme`, 'clone.git']);
    assert.equal(clone.code, 0, clone.stderr);
  });

  const port = (): number => Number(new URL(server.url).port);

  /** Asks for everything and reads nothing. */
  async function holdClone(key: string, head: string): Promise<void> {
    const lines = [packet('command=fetch'), delimiter, packet(`want ${head}\n`), packet('done\n'), flush];
    const body = lines.join('');
    const connection = await RawConnection.open(port());
    connection.stopReading();
    open.push(connection);
    const headers = [
      'POST /git/acme/git-upload-pack HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Git-Protocol: version=2',
      'Content-Type: application/x-git-upload-pack-request',
      `Content-Length: ${body.length}`,
    ];
    connection.write(`${headers.join('\r\n')}\r\n\r\n${body}`);
  }
});

/** The processes whose command names the folder and the program. */
function programsOf(folder: string, program: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
      return command.includes(folder) && command.includes(program) && !command.includes('cartulary.js');
    } catch {
      return false; // it has just ended
    }
  });
}
