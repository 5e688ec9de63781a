import assert from 'node:assert/strict';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { addClient, type Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { dumpContent } from '../support/store/history.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

/** Random histories for each run. */
const histories = countOf('FOLDER_HISTORIES', { usual: 3, campaign: 300 });
/** Attempted changes before each erase, and the number of erases. */
const steps = 25;
const erases = 4;
const seed = seedOf(20261126);

describe('Rows of random histories in which folders are deleted, brought back and erased in part', () => {
  const done = new Set<string>();

  for (let number = 0; number < histories; number += 1) {
    it(`are those that the commits give again (${number})`, async function () {
      this.timeout(120_000);
      const service = await openTestService({ store: 'disk-without-git' });
      try {
        const { workspace } = service;
        const dataFolder = service.dataFolder ?? '';
        const ada = await addClient({ service, workspace }, 'Ada', 'approver');
        const history = new FolderHistory(service, ada, `${seed} ${number}`);
        for (let erased = 0; erased < erases; erased += 1) {
          for (let step = 0; step < steps; step += 1) await history.step();
          await history.erase();
          const context = (): string => `seed ${seed} ${number}\n${history.told.join('\n')}`;
          const { problems } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'never' }, () => undefined);
          assert.deepEqual(problems, [], context());
          const live = dumpContent(dataFolder);
          await rebuild(workspace, operator);
          assert.deepEqual(dumpContent(dataFolder), live, context());
        }
        for (const name of history.done) done.add(name);
      } finally {
        await service.close();
      }
    });
  }

  it('have at least one change of each kind', () => {
    const kinds = ['create', 'delete', 'undelete', 'move', 'erase', 'erase deleted'];
    const folderKinds = ['create folder', 'delete folder', 'undelete folder', 'move folder'];
    requireSeen([...kinds, ...folderKinds], done, { count: histories, enough: 6 });
  });
});

const times = (count: number, act: Act): Act[] => Array.from({ length: count }, () => act);

/** Changes of two folders in one another, with two names in each: most of them meet what others left there. */
class FolderHistory {
  readonly #service: TestService;
  readonly #ada: Client;
  readonly #random: () => number;
  readonly done = new Set<string>();
  readonly told: string[] = [];

  constructor(service: TestService, ada: Client, from: string) {
    this.#service = service;
    this.#ada = ada;
    this.#random = makeRandom(from);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }

  async step(): Promise<void> {
    const ada = this.#ada;
    const folder = this.#pick(['h', 'h', 'h/s']);
    const place = `${folder}/${this.#pick(['x', 'y'])}`;
    const [name, act] = this.#pick<Act>([
      ...times(3, ['create', () => ada.create(place, this.#pick(['one', 'two']))]),
      ['create', () => ada.create('h/s', 'a document where a folder was')],
      ['delete', () => ada.delete(place)],
      ...times(3, ['undelete', () => ada.undelete(place)]),
      ['create folder', () => ada.createFolder('h/s')],
      ...times(3, ['delete folder', () => ada.deleteFolder(folder)]),
      ...times(4, ['undelete folder', () => ada.undeleteFolder(folder)]),
      ['move folder', () => ada.move('h/s', '', true)],
      ['move folder', () => ada.move('s', 'h', true)],
      ['move', () => ada.rename(place, this.#pick(['x', 'y']), true)],
    ]);
    const before = this.#service.workspace.journal.state.head;
    await act().catch(() => undefined);
    const isDone = this.#service.workspace.journal.state.head !== before;
    if (isDone) this.done.add(name);
    if (isDone) this.told.push(`${name} ${name.includes('folder') ? folder : place}`);
    this.#service.clock.advance(7);
  }

  /** Of a document, live or deleted. */
  async erase(): Promise<void> {
    const { workspace } = this.#service;
    const { documents } = workspace.journal.reader;
    const places = ['h/x', 'h/y', 'h/s/x', 'h/s/y'];
    const live = (await Promise.all(places.map((place) => this.#ada.record(place).catch(() => undefined)))).flatMap(
      (document) => (document === undefined ? [] : [{ place: document.location, id: document.id, isDeleted: false }]),
    );
    const deleted = places.flatMap((place) =>
      documents.deletedAt(place).map(({ id }) => ({ place, id, isDeleted: true })),
    );
    if (live.length + deleted.length === 0) return;
    const { place, id: documentId, isDeleted } = this.#pick([...live, ...deleted]);
    const { id } = await eraseAt(workspace, place, isDeleted ? { isDeleted, documentId } : {});
    await workspace.eraser.finished(id);
    this.done.add(isDeleted ? 'erase deleted' : 'erase');
    this.told.push(`erase ${place}, ${isDeleted ? 'deleted' : 'live'}`);
  }
}

type Act = readonly [name: string, act: () => Promise<unknown>];
