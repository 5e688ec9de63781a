import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import type { Event } from '../../lib/history/event.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { previewRevert, revertChanges } from '../../lib/operations/history/revert-changes.js';
import { restoreVersion } from '../../lib/operations/documents/restore-version.js';
import { perform } from '../../lib/operations/perform.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { dumpContent, dumpKept } from '../support/store/history.js';
import { Clone } from '../support/store/clone.js';
import { eraseAt } from '../support/store/erase-at.js';
import { makeRandom } from '../support/faults/load.js';
import { countOf, seedOf } from '../support/counts.js';
import type { Actor } from '../support/store/actor.js';
import { Client } from '../support/store/client.js';
import { TestMirror } from '../support/store/test-mirror.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

/** Random histories for each run. */
const histories = countOf('EVENT_HISTORIES', { usual: 4, campaign: 60 });
/** The number of attempted changes in each. */
const steps = 60;
const seed = seedOf(20261122);

describe('Rows of random histories with every kind of event', () => {
  const done = new Set<string>();
  const activities = new Set<string>();

  for (let history = 0; history < histories; history += 1) {
    it(`are those that the commits give again, before and after an erase (${history})`, async function () {
      this.timeout(300_000);
      const test = await openTestService({ store: 'disk-without-git' });
      try {
        const { workspace } = test;
        const dataFolder = test.dataFolder ?? '';
        const people = [await test.person('approver', '', 'Ada'), await test.person('approver', '', 'Ben')];
        const scenario = new Scenario(
          test,
          people.map(({ id }) => new Client(workspace, id)),
          await TestMirror.open(workspace, 'far/mirror'),
          `${seed} ${history}`,
        );
        const requireSame = async (when: string): Promise<void> => {
          const options = { dataFolder, name: 'acme', git: 'never' } as const;
          const { problems } = await verifyWorkspace(options, () => undefined);
          assert.deepEqual(problems, [], `${when}, seed ${seed} ${history}`);
          const [live, kept] = [dumpContent(dataFolder), dumpKept(dataFolder)];
          await rebuild(workspace, operator);
          assert.deepEqual(dumpContent(dataFolder), live, `${when}, seed ${seed} ${history}`);
          assert.deepEqual(dumpKept(dataFolder), kept, `${when}, seed ${seed} ${history}`);
          for (const row of kept['activity'] ?? []) activities.add((JSON.parse(row) as { readonly kind: string }).kind);
        };
        for (let step = 0; step < steps; step += 1) await scenario.step();
        for (const type of scenario.done) done.add(type);
        await requireSame('before the erase');
        const locations = [...workspace.view(operator).walk(parseFolderLocation(''))].map(({ location }) => location);
        for (const location of locations.slice(0, 2)) {
          const { id } = await eraseAt(workspace, location);
          await workspace.eraser.finished(id);
        }
        await requireSame('after the erase');
        for (let step = 0; step < steps / 4; step += 1) await scenario.step();
        await requireSame('after more was written');
      } finally {
        await test.close();
      }
    });
  }

  it('are those that the commits give again after everything was erased', async () => {
    const test = await openTestService({ store: 'disk-without-git' });
    try {
      const { workspace } = test;
      const { id } = await test.person('approver', '', 'Ada');
      const ada = new Client(workspace, id);
      await ada.create('a/x.md', 'one');
      await workspace.eraser.finished((await eraseAt(workspace, 'a/x.md')).id);
      const { head } = workspace.journal.state;
      const { bytes } = await workspace.repository.read(head ?? assert.fail());
      assert.match(bytes.toString(), /\nOperation: erase\n/);
      await ada.create('b/y.md', 'two');
      const dataFolder = test.dataFolder ?? '';
      const live = dumpContent(dataFolder);
      await rebuild(workspace, operator);
      assert.deepEqual(dumpContent(dataFolder), live);
      const { problems } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'never' }, () => undefined);
      assert.deepEqual(problems, []);
    } finally {
      await test.close();
    }
  });

  it('hold each kind of event that a person or a connector can cause, and each kind of activity', () => {
    const kinds = ['create', 'update', 'restore', 'delete', 'undelete', 'rename', 'move', 'create-folder'];
    const folderKinds = ['delete-folder', 'undelete-folder', 'import', 'revert', 'push', 'mirror'];
    assert.deepEqual([...done].sort(), [...kinds, ...folderKinds].sort());
    const ofDocuments = ['label_set', 'comment_added', 'comment_settled', 'claimed', 'claim_ended'];
    assert.deepEqual([...activities].sort(), [...ofDocuments, 'granted'].sort());
  });
});

/** Two people and a connector change the same few places at random; most attempts are refused. */
class Scenario {
  readonly #test: TestService;
  readonly #random: () => number;
  readonly #people: readonly Client[];
  readonly #mirror: TestMirror;
  /** Files of the mirror's source. */
  readonly #source = new Set<string>();
  readonly #claims: string[] = [];
  readonly done = new Set<string>();

  constructor(test: TestService, people: readonly Client[], mirror: TestMirror, from: string) {
    this.#test = test;
    this.#people = people;
    this.#mirror = mirror;
    this.#random = makeRandom(from);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }

  readonly #folder = (): string => this.#pick(['a', 'b', 'a/c', 'a/c/d']);
  readonly #place = (): string => `${this.#folder()}/${this.#pick(['x.md', 'y.md', 'z.bin'])}`;
  readonly #text = (): string => this.#pick(['one', 'two', 'three', '\0binary']);

  async step(): Promise<void> {
    const by = this.#pick(this.#people);
    const { workspace } = this.#test;
    const { caller } = by;
    const place = this.#place();
    const folder = this.#folder();
    const [type, act] = this.#pick<readonly [Event['type'] | 'no commit', () => Promise<unknown>]>([
      ['create', () => by.create(place, this.#text())],
      ['create', () => by.create(place, this.#text())],
      ['update', () => by.update(place, this.#text())],
      ['update', () => by.update(place, this.#text())],
      ['restore', () => this.#restore(by, place)],
      ['delete', () => by.delete(place)],
      ['undelete', () => by.undelete(place)],
      ['rename', () => by.rename(this.#pick([place, folder]), this.#pick(['x.md', 'c', 'new']), true)],
      ['move', () => by.move(this.#pick([place, folder]), this.#pick(['', 'a', 'b', 'far/away']), true)],
      ['create-folder', () => by.createFolder(`${folder}/${this.#pick(['e', 'f'])}`)],
      ['delete-folder', () => perform(workspace, caller, deleteFolder, { location: parseLocation(folder) })],
      ['undelete-folder', () => perform(workspace, caller, undeleteFolder, { location: parseLocation(folder) })],
      ['import', () => this.#import(by, folder)],
      ['revert', () => this.#revert(by)],
      ['push', () => this.#push(by)],
      ['push', () => this.#push(by)],
      ['mirror', () => this.#sync()],
      ['no commit', () => by.labels('add', place, this.#pick(['one', 'two']))],
      ['no commit', () => by.comment(place, this.#text())],
      ['no commit', () => this.#settle(by, place)],
      ['no commit', () => this.#settle(by, place)],
      ['no commit', async () => void this.#claims.push((await by.claim(place)).id)],
      ['no commit', () => by.release(this.#claims.pop() ?? '')],
    ]);
    const before = workspace.journal.state.head;
    await act().catch(() => undefined);
    if (workspace.journal.state.head !== before) this.done.add(type);
    this.#test.clock.advance(7);
  }

  async #settle(by: Client, place: string): Promise<void> {
    const [thread] = (await by.comments(place, 'open')).items;
    if (thread !== undefined) await by.resolve(place, thread.comment.threadId);
  }

  /** The source of the mirror writes some files, and moves and deletes others. */
  async #sync(): Promise<void> {
    const files = ['x.md', 'in/y.md', 'z.md'];
    const there = this.#pick([...this.#source, undefined]);
    const to = `to/${this.#pick(files)}`;
    const moves = there !== undefined && !this.#source.has(to) && this.#random() < 0.5;
    const written = this.#pick(files.filter((file) => file !== there));
    const deleted = there === undefined || moves ? [] : [there];
    const moved = there !== undefined && moves ? { [there]: to } : {};
    await this.#mirror.sync({ written: { [written]: this.#text() }, moved, deleted });
    if (there !== undefined) this.#source.delete(there);
    for (const file of [written, ...Object.values(moved)]) this.#source.add(file);
  }

  async #restore({ workspace, caller }: Actor, place: string): Promise<void> {
    const location = parseLocation(place);
    const document = workspace.view(operator).document(location);
    if (document === undefined) return;
    const older = workspace.view(operator).versionBefore(document, document.current) ?? document.current;
    const precondition = { any: true } as const;
    await perform(workspace, caller, restoreVersion, { location, precondition, versionId: older.id, message: null });
  }

  async #import({ workspace, caller }: Actor, folder: string): Promise<void> {
    const files = ['x.md', 'in/y.md', 'in', 'z.bin', 'x.md'].map((name) => ({
      location: parseLocation(`${folder}/${name}`),
      content: { bytes: Buffer.from(this.#text()) },
    }));
    const into = parseFolderLocation(folder);
    await perform(workspace, caller, importDocuments, { into, files, message: 'Brought' });
  }

  /** A line of commits on what is there. Some of them take places of each other, of folders and of files. */
  async #push(by: Actor): Promise<void> {
    const clone = await Clone.of(by);
    for (let left = 1 + Math.floor(this.#random() * 3); left > 0; left -= 1) {
      const paths = [...clone.files.keys()];
      const from = paths.length === 0 ? undefined : this.#pick(paths);
      const to = this.#pick([this.#place(), `${this.#folder()}/p.md`, 'b/c', 'top.md']);
      const move = from === undefined || clone.files.has(to) || this.#random() < 0.5 ? {} : { [from]: to };
      const gone = this.#pick([from, undefined]);
      clone.commit({
        move,
        write: {
          [this.#pick([to, this.#place()])]: this.#text(),
          ...(gone === undefined || gone in move ? {} : { [gone]: null }),
        },
        message: this.#pick(['Why', 'Two\n\nparagraphs']),
      });
    }
    await clone.push();
  }

  async #revert({ workspace, caller }: Actor): Promise<void> {
    const other = this.#pick(this.#people).caller.principalId;
    const since = this.#test.clock.now() - this.#pick([50, 200, 1_000]);
    const input = { location: parseFolderLocation(this.#pick(['', 'a'])), principalId: other, since };
    const { result } = await perform(workspace, caller, previewRevert, input);
    await perform(workspace, caller, revertChanges, { ...input, preview: result.digest, message: 'Back' });
  }
}
