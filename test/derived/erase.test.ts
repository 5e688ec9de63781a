import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RawConnection } from '../support/http/raw-connection.js';
import { git } from '../support/git/fixture.js';
import { openRemoteServer, type RemoteTestServer } from '../support/http/open-remote.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';
import { until } from '../support/until.js';
import { DerivedBench } from './derived-bench.js';

describe('An erase of a document that git clients have', function () {
  this.timeout(60_000);
  let world: DerivedBench;
  let reader: string;
  let other: string;

  beforeEach(async () => {
    world = await DerivedBench.open();
    reader = await world.person('reader', 'pub');
    other = await world.person('reader', 'far');
    await world.bench.actor.create('pub/goes.md', 'the quokkasecret');
    await world.bench.actor.create('pub/stays.md', 'stays');
    await world.bench.actor.create('far/away.md', 'far');
  });
  afterEach(() => world.close());

  it('ends what reads a repository with it, waits for that, and leaves all others alone', async () => {
    const held = world.derived.hold(await world.derived.prepare(reader));
    const far = await world.derived.prepare(other);
    const heldFar = world.derived.hold(far);
    const before = await stat(join(far.path, 'HEAD'));
    const done = { phase: '' };
    const erasing = erase().then((phase) => (done.phase = phase));
    await until('the reading is told to end', () => held.signal.aborted);
    assert.equal(done.phase, '', 'it is not final while a process reads the files');
    assert.ok(world.has(reader));
    held.release();
    assert.equal(await erasing, 'final');
    assert.equal(world.has(reader), false);
    assert.equal(heldFar.signal.aborted, false);
    heldFar.release();
    assert.equal((await stat(join(far.path, 'HEAD'))).ino, before.ino);
    assert.equal(await world.isCurrent(far), false, 'an erase is looked at again before anything is served');
    assert.equal((await world.derived.prepare(other)).head, far.head);
    assert.deepEqual(traces(), []);
    const again = await world.derived.prepare(reader);
    assert.equal(world.read(again, 'pub/stays.md'), 'stays');
    assert.deepEqual(traces(), []);
    assert.deepEqual(world.bench.reported, []);
  });

  it('is waited for by an approver of the root, until nobody gets its content from the whole history', async () => {
    const admin = await world.person('approver', '');
    const early = await world.derived.prepare(admin);
    const blob = git(early.path, ['rev-parse', `${early.head}:pub/goes.md`])
      .toString()
      .trim();
    assert.equal(world.read(early, 'pub/goes.md'), 'the quokkasecret');
    const blocked = { flushed: new Gate(), swept: new Gate() };
    await world.reopen('gates', {
      onEraseStep: (step) => (step in blocked ? blocked[step as keyof typeof blocked].pass() : undefined),
    });
    const before = await world.derived.prepare(admin);
    const final = erase();
    await blocked.flushed.reached;
    assert.equal(await world.isCurrent(before), false, 'what was prepared before is not served any more');
    const served = { head: '' };
    const preparing = world.derived.prepare(admin).then((prepared) => {
      served.head = prepared.head ?? '';
      return prepared;
    });
    const gone = new AbortController();
    const impatient = world.derived.prepare(admin, { signal: gone.signal });
    gone.abort(new Error('The client is gone.'));
    await assert.rejects(impatient, /client is gone/);
    assert.equal(served.head, '', 'the content is still there');
    blocked.flushed.open();
    await blocked.swept.reached;
    const { path, head } = await preparing;
    assert.ok(await world.isCurrent(await preparing), 'before the erase is final');
    assert.equal(git(path, ['show', `${head}:pub/stays.md`]).toString(), 'stays');
    assert.throws(() => git(path, ['cat-file', '-e', blob]), 'not by its name either');
    assert.throws(() => git(path, ['cat-file', '-e', `${early.head}`]));
    blocked.swept.open();
    assert.equal(await final, 'final');
  });

  it('ends a push to such a repository, and what it has sent goes', async () => {
    const quarantine = await world.derived.openQuarantine(await world.derived.prepare(reader));
    const erasing = erase();
    await until('the push is told to end', () => quarantine.signal.aborted);
    await quarantine.drop();
    assert.equal(await erasing, 'final');
    assert.deepEqual(await world.list('.pushes'), []);
  });

  it('takes it out of a repository that is being made meanwhile', async () => {
    for (let n = 0; n < 40; n += 1) await world.bench.actor.update('pub/stays.md', `stays ${n}`);
    const preparing = [world.derived.prepare(reader)];
    const erasing = erase();
    for (let n = 0; n < 3; n += 1) {
      preparing.push(world.derived.prepare(reader));
      await Promise.race([preparing.at(-1), erasing]);
    }
    assert.equal(await erasing, 'final');
    await Promise.all(preparing);
    assert.deepEqual(traces(), []);
    assert.equal(world.read(await world.derived.prepare(reader), 'pub/stays.md'), 'stays 39');
  });

  it('destroys a repository that showed it before it was deleted', async () => {
    await world.derived.prepare(reader);
    await world.bench.actor.delete('pub/goes.md');
    const { head } = await world.derived.prepare(reader);
    assert.notEqual(head, null);
    const { id } = await eraseAt(world.bench.workspace, 'pub/goes.md', { isDeleted: true });
    await world.bench.workspace.eraser.finished(id);
    assert.equal(world.has(reader), false);
    assert.deepEqual(traces(), []);
  });

  const traces = (): string[] => findTraces(world.bench.files.dataFolder ?? '', ['quokkasecret', 'goes.md'], []);

  async function erase(): Promise<string> {
    const { id } = await eraseAt(world.bench.workspace, 'pub/goes.md');
    return (await world.bench.workspace.eraser.finished(id)).phase;
  }
});

describe('An erase, while an approver clones the whole workspace slowly', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  afterEach(() => server.close());

  it('is final all the same, and the clone is broken off', async () => {
    server = await openRemoteServer({ readersGrace: 500 });
    const ada = await server.cloner('approver');
    const rest = server.as(ada.key);
    const raw = { 'Content-Type': 'application/octet-stream' };
    await rest.post('/v1/documents?location=large.bin', randomBytes(16 * 1024 * 1024), raw);
    await rest.create('goes.md', 'the quokkasecret');
    const { workspace } = server.host;
    await workspace.checkpointer.run();
    const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
    const body = `${line('command=fetch')}0001${line(`want ${workspace.journal.state.head}\n`)}${line('done\n')}0000`;
    const connection = await RawConnection.open(server.rest.port);
    const head = [
      'POST /git/acme/git-upload-pack HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${ada.key}`,
      'Git-Protocol: version=2',
      'Content-Type: application/x-git-upload-pack-request',
      `Content-Length: ${body.length}`,
    ];
    connection.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    connection.stopReading();
    const isServed = (): boolean => {
      const source = `acme/${ada.id}`;
      const release = workspace.workLimits.clones.tryTake(source, 8);
      release?.();
      return release === undefined;
    };
    await until('the clone is under way', isServed);
    const { id } = await eraseAt(workspace, 'goes.md');
    assert.equal((await workspace.eraser.finished(id)).phase, 'final');
    await until('the clone is over', () => !isServed());
    assert.deepEqual(findTraces(server.host.dataFolder ?? '', ['quokkasecret', 'goes.md'], []), []);
    connection.end();
  });
});

/** Holds a step up until it is opened. */
class Gate {
  #reach = (): void => undefined;
  open = (): void => undefined;
  readonly reached = new Promise<void>((resolve) => (this.#reach = resolve));
  readonly #opened = new Promise<void>((resolve) => (this.open = resolve));

  pass(): Promise<void> {
    this.#reach();
    return this.#opened;
  }
}
