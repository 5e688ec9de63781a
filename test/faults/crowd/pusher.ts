import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fsck } from '../../support/git/fixture.js';
import { runClient, type GitRun } from '../../support/git/git-client.js';
import { digest, pick, type Content } from './contents.js';
import { inPath, Person, requireDone, send, type Equipment, type Place } from './person.js';

/** The most files that a pusher keeps. */
const mostKept = 12;

interface Push {
  /** A file that is new with it: it says whether the push was done. */
  readonly proof: string;
  readonly written: ReadonlyMap<string, Content>;
  readonly removed: readonly string[];
}

/** Runs git with a key, at the workspace's address. */
export class GitPerson {
  readonly tree: string;
  readonly #secret: string;

  constructor(tree: string, secret: string) {
    this.tree = tree;
    this.#secret = secret;
  }

  run(folder: string, ...parameters: readonly string[]): Promise<GitRun> {
    return runClient(folder, ['-c', `http.extraHeader=Authorization: Bearer ${this.#secret}`, ...parameters]);
  }

  git(...parameters: readonly string[]): Promise<GitRun> {
    return this.run(this.tree, ...parameters);
  }
}

const addressOf = ({ url }: Place): string => `${url}/git/acme`;

/** Whether the service answers at all. */
async function isThere({ url }: Place): Promise<boolean> {
  try {
    await (await fetch(`${url}/v1/health`)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Pushes new files, changes and removals. Nobody else writes in the folder. */
export class Pusher extends Person {
  readonly #home: string;
  readonly #git: GitPerson;
  readonly #kept = new Map<string, string>();
  #open: Push | undefined;

  constructor(name: string, home: string, tree: string, equipment: Equipment) {
    super(name, equipment);
    this.#home = home;
    this.#git = new GitPerson(tree, equipment.secret);
  }

  protected async step(place: Place): Promise<boolean> {
    if (!(await this.#follow(place))) return isThere(place);
    const push = this.#choose();
    for (const [path, { bytes }] of push.written) {
      await mkdir(dirname(join(this.#git.tree, path)), { recursive: true });
      await writeFile(join(this.#git.tree, path), bytes);
    }
    for (const path of push.removed) await rm(join(this.#git.tree, path));
    await this.#git.git('add', '--all');
    const committed = await this.#git.git('commit', '-q', '-m', push.proof);
    assert.equal(committed.code, 0, committed.stdout + committed.stderr);
    const names = [...push.written].map(([path, { name }]) => `${path} = ${name}`).join(', ');
    this.ledger.note(this.name, `pushes ${names}; without ${push.removed.join(', ')}`);
    this.#open = push;
    return this.#send(place);
  }

  /** Takes the present state, whatever became of its own commits. */
  async #follow(place: Place): Promise<boolean> {
    if (!existsSync(join(this.#git.tree, '.git'))) {
      await rm(this.#git.tree, { recursive: true, force: true });
      return (await this.#git.run('/', 'clone', '-q', addressOf(place), this.#git.tree)).code === 0;
    }
    if ((await this.#git.git('fetch', '-q', addressOf(place), 'main')).code !== 0) return false;
    const { code, stderr } = await this.#git.git('reset', '-q', '--hard', 'FETCH_HEAD');
    assert.equal(code, 0, `${this.name}: what was fetched cannot be read: ${stderr}`);
    return true;
  }

  #choose(): Push {
    const { random } = this;
    const { contents } = this.ledger;
    const content = (): Content => (random() < 0.06 ? contents.large(random) : contents.small(random));
    const proof = `${this.#home}/${this.serial}.md`;
    const written = new Map([[proof, content()]]);
    // Half of the pushes bring one file alone, as two people can.
    const more = random() < 0.5 ? 0 : Math.floor(random() * 5);
    for (let file = 0; file < more; file += 1) written.set(`${this.#home}/${this.serial}/${file}.md`, content());
    const kept = [...this.#kept.keys()];
    if (kept.length > 0 && random() < 0.5) written.set(pick(kept, random), contents.small(random));
    const removed = kept.slice(0, Math.max(0, kept.length - mostKept)).filter((path) => !written.has(path));
    return { proof, written, removed };
  }

  /** Sends it until it is answered. @returns whether the service is still there */
  async #send(place: Place): Promise<boolean> {
    const push = this.#open;
    if (push === undefined) return true;
    for (;;) {
      const { code, stderr } = await this.#git.git('push', '-q', addressOf(place), 'HEAD:main');
      if (code === 0) {
        await this.#done(place, push);
        return true;
      }
      if (!(await isThere(place))) {
        this.ledger.note(this.name, `${push.proof} was not answered`);
        return false;
      }
      const line = stderr
        .split('\n')
        .filter((each) => /rejected|remote:|error|fatal/.test(each))
        .slice(0, 3)
        .join(' ');
      this.ledger.note(this.name, `${push.proof}: ${line.slice(0, 300)}`);
      if (stderr.includes('rejected')) return this.#look(place, push);
      await delay(100);
    }
  }

  /** A refused push was done if an earlier attempt at it was. */
  async #look(place: Place, push: Push): Promise<boolean> {
    const answer = await send(place, this.secret, { method: 'GET', path: `/v1/files/${inPath(push.proof)}` });
    if (answer === undefined) return false;
    assert.ok([200, 404].includes(answer.status), `${this.name}: ${push.proof}: ${answer.status} ${answer.text}`);
    if (answer.status === 200) {
      await this.#done(place, push);
      return true;
    }
    for (const path of push.written.keys()) {
      if (this.#kept.has(path)) continue;
      const other = await send(place, this.secret, { method: 'GET', path: `/v1/files/${inPath(path)}` });
      if (other === undefined) return false;
      assert.equal(other.status, 404, `${this.name}: half of the push of ${push.proof} is there: ${path}`);
    }
    this.#open = undefined;
    return true;
  }

  async #done(place: Place, { proof, written, removed }: Push): Promise<void> {
    this.#open = undefined;
    this.tally.pushes += 1;
    this.ledger.note(this.name, `${proof} was pushed`);
    for (const path of removed) {
      this.#kept.delete(path);
      this.ledger.files.delete(path);
    }
    for (const [path, { sha256 }] of written) {
      this.#kept.set(path, sha256);
      this.ledger.holds(path, sha256);
    }
    if (this.random() < 0.35) await this.#giveUp(place, pick([...this.#kept.keys()], this.random));
  }

  async #giveUp(place: Place, path: string): Promise<void> {
    const answer = await send(place, this.secret, { method: 'GET', path: `/v1/documents/${inPath(path)}` });
    if (answer === undefined) return;
    requireDone(this.name, `read ${path}`, answer);
    const sha256 = this.ledger.files.get(path) ?? [];
    this.#kept.delete(path);
    this.ledger.offer(this.name, { id: String(answer.body['id']), path, sha256 });
  }

  override async settle(place: Place): Promise<void> {
    if (this.#open === undefined) return;
    this.tally.unanswered += 1;
    assert.ok(await this.#send(place), `${this.name}: the service is gone`);
  }
}

/** Clones everything that it may read, again and again, and looks whether a clone is whole. */
export class Cloner extends Person {
  readonly #git: GitPerson;

  constructor(name: string, tree: string, equipment: Equipment) {
    super(name, equipment);
    this.#git = new GitPerson(tree, equipment.secret);
  }

  protected async step(place: Place): Promise<boolean> {
    const tree = `${this.#git.tree}-${this.serial}`;
    const { code } = await this.#git.run('/', 'clone', '-q', '--bare', addressOf(place), tree);
    if (code === 0) {
      assert.equal(fsck(tree), '', `${this.name}: a clone`);
      this.tally.clones += 1;
    }
    await rm(tree, { recursive: true, force: true });
    if (code !== 0) await delay(200);
    return code === 0 || isThere(place);
  }

  /** A fresh clone's digests by path. */
  async clone(place: Place): Promise<Map<string, string>> {
    const tree = `${this.#git.tree}-whole`;
    const { code, stderr } = await this.#git.run('/', 'clone', '-q', addressOf(place), tree);
    assert.equal(code, 0, `${this.name}: ${stderr}`);
    try {
      assert.equal(fsck(tree), '', 'a fresh clone');
      return await digestsBelow(tree);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  }
}

async function digestsBelow(tree: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(tree.length + 1);
    if (!entry.isFile() || path.startsWith('.git/')) continue;
    found.set(path, digest(await readFile(join(tree, path))));
  }
  return found;
}
