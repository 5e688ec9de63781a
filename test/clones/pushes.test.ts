import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { countOf } from '../support/counts.js';
import { runClient, type GitRun } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { Actor } from '../support/store/actor.js';
import { until } from '../support/until.js';
import { operator } from '../support/store/service.js';

const pushers = countOf('PUSHERS', { usual: 2, campaign: 16 });
const writers = countOf('WRITERS_BESIDE', { usual: 2, campaign: 8 });
/** Pushes of one person that have to be taken. */
const each = 2;

/** Pushes between two writes of one person by REST. */
const pause = 4;

describe('Many who push beside many who write by REST', () => {
  let server: RemoteTestServer;
  before(async () => (server = await openRemoteServer()));
  after(() => server.close());

  it('lose no update and double none', async function () {
    this.timeout(60_000 + pushers * 20_000);
    const actor = new Actor(server.host.workspace, operator.principalId);
    await actor.create('shared/count.md', '0');
    await actor.create('shared/other.md', 'other');
    const marks: string[] = [];
    let counted = 0;
    let refused = 0;
    const over = new AbortController();
    let attempts = 0;

    const push = async (number: number): Promise<void> => {
      const tree = new WorkTree(join(server.folder, `pusher-${number}`), await server.cloner('editor', 'shared'));
      await tree.clone();
      for (let taken = 0; taken < each;) {
        await tree.renew();
        const count = Number(await tree.show('shared/count.md'));
        const mark = `shared/marks/${number}-${taken}.md`;
        await tree.commit({ 'shared/count.md': String(count + 1), [mark]: mark }, `Count ${count + 1}`);
        const { code, stderr } = await tree.push();
        attempts += 1;
        if (code === 0) {
          taken += 1;
          counted += 1;
          marks.push(mark);
        } else {
          assert.match(stderr, /rejected/);
          refused += 1;
        }
      }
    };
    const write = async (number: number): Promise<void> => {
      const client = server.as((await server.cloner('editor', 'shared')).key);
      for (let after = number; !over.signal.aborted; after += pause) {
        // As often as anybody pushes, not faster: git itself refuses a push to what has moved on since the fetch.
        await until('somebody has pushed', () => over.signal.aborted || attempts >= after, 120_000);
        const read = await client.get('/v1/documents/shared/count.md');
        const body = { content: String(Number(read.json.content) + 1) };
        const answer = await client.put('/v1/documents/shared/count.md', body, { 'If-Match': read.etag });
        if (answer.status === 200) counted += 1;
        else assert.equal(answer.status, 409, answer.text);
        // Elsewhere as well, in the files that nobody pushes: no push may undo it.
        await client.put('/v1/documents/shared/other.md', { content: `other ${number} ${counted}` });
      }
    };
    const writing = Array.from({ length: writers }, (_, number) => write(number));
    await Promise.all(Array.from({ length: pushers }, (_, number) => push(number)));
    over.abort();
    await Promise.all(writing);
    assert.equal(Number(await actor.read('shared/count.md')), counted, `${refused} pushes were refused`);
    for (const mark of marks) assert.equal(await actor.read(mark), mark);
    assert.equal((await actor.list('shared/marks')).length, pushers * each);
    const { items } = (
      await server
        .as((await server.cloner('reader', 'shared')).key)
        .get('/v1/history?location=shared/count.md&limit=200')
    ).json as { items: { type: string }[] };
    assert.equal(items.filter(({ type }) => type === 'version').length, Math.min(200, counted + 1));
  });
});

describe('A push to what is out of reach', () => {
  let server: RemoteTestServer;
  before(async () => (server = await openRemoteServer()));
  after(() => server.close());

  it('is refused in the same words for a hidden file, an absent one and a folder of either', async function () {
    this.timeout(60_000);
    const actor = new Actor(server.host.workspace, operator.principalId);
    await actor.create('open/seen.md', 'seen');
    await actor.create('shut/hidden.md', 'hidden');
    await actor.create('shut/folder/x.md', 'hidden');
    const low = await server.cloner('editor', 'open');
    const said: string[] = [];
    for (const path of [
      'shut/hidden.md',
      'shut/absent.md',
      'shut/folder/y.md',
      'shut/nowhere/y.md',
      'shut/folder',
      'shut',
    ]) {
      const tree = new WorkTree(join(server.folder, `low-${said.length}`), low);
      await tree.clone();
      await tree.commit({ [path]: 'from low', 'open/beside.md': 'beside' }, 'A change');
      const { code, stderr } = await tree.push();
      assert.equal(code, 1, stderr);
      assert.match(stderr, /remote rejected/);
      said.push(
        stderr
          .replaceAll(path, 'PATH')
          .replaceAll(/low-\d/g, 'low')
          .replaceAll(/\b[0-9a-f]{8}\b/g, 'OID'),
      );
      assert.equal(await actor.read('shut/hidden.md'), 'hidden');
    }
    for (const sentence of said) assert.equal(sentence, said[0]);
    assert.deepEqual(await actor.list('open'), ['seen.md'], 'nothing of a refused push is there');
  });
});

/** A clone with files. */
class WorkTree {
  readonly folder: string;
  readonly #person: RemotePerson;

  constructor(folder: string, person: RemotePerson) {
    this.folder = folder;
    this.#person = person;
  }

  git(...parameters: readonly string[]): Promise<GitRun> {
    return runClient(this.folder, parameters);
  }

  async #must(...parameters: readonly string[]): Promise<string> {
    const { code, stderr, stdout } = await this.git(...parameters);
    assert.equal(code, 0, `git ${parameters.join(' ')}: ${stderr}`);
    return stdout;
  }

  async clone(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await this.#must('clone', '-q', this.#person.url, '.');
  }

  /** Puts aside what was not pushed. */
  async renew(): Promise<void> {
    await this.#must('fetch', '-q', 'origin');
    await this.#must('reset', '-q', '--hard', 'origin/main');
  }

  async commit(files: Readonly<Record<string, string>>, message: string): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true });
      await writeFile(join(this.folder, path), text);
    }
    await this.#must('add', '-A');
    await this.#must('commit', '-q', '-m', message);
  }

  push(): Promise<GitRun> {
    return this.git('push', '-q', 'origin', 'HEAD:main');
  }

  show(path: string): Promise<string> {
    return this.#must('show', `HEAD:${path}`);
  }
}
