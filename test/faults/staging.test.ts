import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import type { ContentSource } from '../../lib/operations/documents/content.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import { outcomeOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { makeWorkbench, readAll, type Workbench } from '../support/faults/workbench.js';

describe('a large upload', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await makeWorkbench();
    await bench.actor.create('there.md', 'there');
  });
  afterEach(() => bench.remove());

  it('that is refused in its transaction leaves nothing behind', async () => {
    assert.equal(await outcomeOf(create('there.md', bytesOf('new'))), 'CONFLICT name_taken');
    await assertNothingLeft();
    const stale = perform(bench.workspace, operator, updateDocument, {
      location: parseLocation('there.md'),
      precondition: { any: false, versionIds: ['0'.repeat(40)] },
      content: bytesOf('stale'),
      message: null,
    });
    assert.equal(await outcomeOf(stale), 'CONFLICT stale_if_match');
    await assertNothingLeft();
  });

  it('that the client breaks off leaves nothing behind', async () => {
    assert.equal(await outcomeOf(create('a.md', { stream: breakingOff('half') })), 'INTERNAL');
    await assertNothingLeft();
    assert.equal(await outcomeOf(bench.actor.read('a.md')), 'NOT_FOUND');
  });

  it('that is too large is refused before its end, and leaves nothing behind', async () => {
    let taken = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        taken += 1;
        yield Buffer.alloc(1024 * 1024);
      }
    }
    assert.equal(await outcomeOf(create('a.bin', { stream: endless() })), 'INVALID_REQUEST content_too_large');
    assert.ok(taken < 110, `${taken} MiB were taken`);
    await assertNothingLeft();
  }).timeout(60_000);

  it('of a batch with another failing part leaves nothing behind', async () => {
    const importing = perform(bench.workspace, operator, importDocuments, {
      into: parseLocation('batch'),
      files: [
        { location: parseLocation('batch/broken.md'), content: { stream: breakingOff('half') } },
        { location: parseLocation('batch/whole.md'), content: bytesOf('whole') },
      ],
      message: null,
    });
    assert.equal(await outcomeOf(importing), 'INTERNAL');
    await assertNothingLeft();
  });

  it('that an import skips leaves nothing behind', async () => {
    const { result } = await perform(bench.workspace, operator, importDocuments, {
      into: parseLocation('batch'),
      files: [{ location: parseLocation('there.md'), content: bytesOf('other') }],
      message: null,
    });
    assert.equal(result.skipped.length, 1);
    await assertNothingLeft();
  });

  it('whose content another request or an old version has takes nothing away from them', async () => {
    const outcomes = await Promise.all([
      outcomeOf(create('a.md', bytesOf('same'))),
      outcomeOf(create('there.md', bytesOf('same'))),
      outcomeOf(create('b.md', bytesOf('same'))),
      outcomeOf(create('there.md', bytesOf('same'))),
    ]);
    assert.deepEqual(outcomes, ['done', 'CONFLICT name_taken', 'done', 'CONFLICT name_taken']);
    await bench.actor.delete('b.md');
    const { current } = await bench.actor.update('a.md', 'small');
    assert.equal(await outcomeOf(create('there.md', bytesOf('same'))), 'CONFLICT name_taken');
    assert.equal(looseFiles().length, 1);
    assert.deepEqual(bench.workspace.journal.reader.objects.staged(), []);
    await bench.reopen();
    assert.equal(await bench.actor.read('a.md', current.id), 'small');
    await bench.actor.undelete('b.md');
    assert.equal(await readAll(bench.actor, 'b.md'), large('same'));
  });

  it('that is sent again while it is being dropped waits for that, and is there in the end', async () => {
    await bench.remove();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const dropping = { isUnderWay: false };
    bench = await makeWorkbench({
      fs: {
        ...nodeFileSystem,
        unlink: async (path) => {
          if (/objects\/..\//.test(path)) {
            dropping.isUnderWay = true;
            await gate;
          }
          await nodeFileSystem.unlink(path);
        },
      },
    });
    await bench.actor.create('there.md', 'there');
    const refused = outcomeOf(create('there.md', bytesOf('same')));
    await until('the first one is being dropped', () => dropping.isUnderWay);
    const state = { isCreated: false };
    const created = outcomeOf(create('new.md', bytesOf('same'))).finally(() => (state.isCreated = true));
    // Meanwhile two others, with as many steps, go all the way.
    for (const name of ['a', 'b']) assert.equal(await outcomeOf(create(`${name}.md`, bytesOf(name))), 'done');
    assert.equal(state.isCreated, false);
    open();
    assert.equal(await refused, 'CONFLICT name_taken');
    assert.equal(await created, 'done');
    assert.equal(await readAll(bench.actor, 'new.md'), large('same'));
    await bench.reopen();
    assert.equal(await readAll(bench.actor, 'new.md'), large('same'));
  });

  it('of a small stream waits in the sidecar like any small content', async () => {
    await create('small.md', {
      stream: (async function* () {
        yield Buffer.from('small ');
        yield Buffer.from('stream');
      })(),
    });
    await assertNothingLeft();
    assert.equal(await bench.actor.read('small.md'), 'small stream');
  });

  it('without the right to make it is refused before the first byte is read', async () => {
    let taken = false;
    const nobody = { ...operator, principalId: 'prn_none', kind: 'person' as const };
    const refusal: unknown = await perform(bench.workspace, nobody, createDocument, {
      location: parseLocation('a.md'),
      content: {
        stream: (async function* () {
          taken = true;
          yield Buffer.from('x');
        })(),
      },
      labels: [],
      message: null,
    }).catch((error: unknown) => error);
    assert.ok(refusal instanceof Refusal && refusal.code === 'NOT_FOUND');
    assert.equal(taken, false);
  });

  const looseFiles = (): string[] => {
    const objects = join(bench.paths.repository, 'objects');
    return readdirSync(objects)
      .filter((name) => name.length === 2)
      .flatMap((name) => readdirSync(join(objects, name)));
  };

  const temporaryFiles = (): string[] => readdirSync(bench.paths.repository).filter((name) => name.endsWith('.tmp'));

  const assertNothingLeft = async (): Promise<void> => {
    // A checkpoint of other writes makes temporary files, too, while it is at work.
    await bench.workspace.checkpointer.run();
    assert.deepEqual(looseFiles(), []);
    assert.deepEqual(temporaryFiles(), []);
    assert.deepEqual(bench.workspace.journal.reader.objects.staged(), []);
  };

  const create = (location: string, content: ContentSource) =>
    perform(bench.workspace, operator, createDocument, {
      location: parseLocation(location),
      content,
      labels: [],
      message: null,
    });

  const bytesOf = (text: string): ContentSource => ({ bytes: Buffer.from(large(text)) });

  async function* breakingOff(text: string): AsyncGenerator<Buffer> {
    yield Buffer.from(large(text));
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('the client went away');
  }
});

const large = (text: string): string => `${text} `.repeat(Math.ceil(1_060_000 / (text.length + 1)));
