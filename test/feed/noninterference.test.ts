import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { Consumer } from './feed-world.js';

/** What ada can read of it. */
const chapters: readonly ((story: Story) => Promise<unknown>)[] = [
  ({ admin }) => admin.create('a/p.md', 'one'),
  ({ test, ada }) => test.grant('reader', { type: 'principal', id: ada }, 'a'),
  ({ admin }) => admin.create('b/q.md', 'two'),
  ({ test, group }) => test.grant('reader', { type: 'group', id: group }, 'b'),
  ({ test, group, ada }) => test.join(group, { type: 'principal', id: ada }),
  ({ admin }) =>
    admin.perform(importDocuments, {
      into: parseFolderLocation('a/in'),
      files: ['x', 'y', 'z'].map((name) => ({
        location: parseLocation(`a/in/${name}`),
        content: { bytes: Buffer.from(name) },
      })),
      message: null,
    }),
  ({ admin }) => admin.move('a/in', 'b', true),
  ({ admin }) => admin.update('b/in/x', 'more'),
  ({ admin }) => admin.labels('set', 'b/in/y', 'draft'),
  ({ test, group, ada }) => test.leave(group, { type: 'principal', id: ada }),
  ({ admin }) => admin.move('b/in/y', 'a', true),
  ({ admin }) => admin.delete('a/p.md'),
  ({ admin }) => admin.undelete('a/p.md'),
  ({ admin }) => admin.rename('a', 'c', true),
];

describe('the feed of a caller', () => {
  for (const readAfter of [[13], [0, 3, 6, 9, 11, 13]]) {
    it(`depends on nothing hidden, read ${readAfter.length} times`, async () => {
      const plain = await tell({ hides: false, readAfter });
      const full = await tell({ hides: true, readAfter });
      assert.ok(plain.length > readAfter.length / 2);
      assert.deepEqual(full, plain);
    });
  }
});

interface Story {
  readonly test: TestService;
  readonly admin: Client;
  readonly ada: string;
  readonly group: string;
}

/** Work out of ada's reach, also in the folders that she read once. */
async function hide({ test, admin }: Story, chapter: number): Promise<void> {
  await admin.create(`hidden/${chapter}.md`, 'hidden');
  await admin.update(`hidden/${chapter}.md`, 'more');
  await admin.labels('set', `hidden/${chapter}.md`, 'hidden');
  const stranger = await test.principal(`Stranger ${chapter}`);
  await test.grant('editor', { type: 'principal', id: stranger }, 'hidden');
  await test.group(`Group ${chapter}`, { type: 'principal', id: stranger });
  if (chapter % 3 === 0) await admin.rename('hidden', `hidden-${chapter}`, true);
  if (chapter % 3 === 1) await admin.delete(`hidden/${chapter}.md`);
  if (chapter % 3 === 2) await eraseAt(test.workspace, `hidden/${chapter}.md`);
}

/** Each page that ada reads, behind each of these chapters, without what is another in every file. */
async function tell({ hides, readAfter }: { hides: boolean; readAfter: readonly number[] }): Promise<unknown[]> {
  const test = await openTestService();
  try {
    const admin = new Client(test.workspace, operator.principalId);
    const ada = await test.principal('Ada');
    const story = { test, admin, ada, group: await test.group('Group') };
    const consumer = new Consumer(test, ada);
    const names = new Map<string, number>();
    const pages: unknown[] = [];
    for (const [index, chapter] of chapters.entries()) {
      if (hides) await hide(story, index);
      await chapter(story);
      if (hides) await hide(story, index + 100);
      test.clock.advance(1000);
      if (!readAfter.includes(index)) continue;
      do {
        const items = await consumer.follow(2);
        for (const { document } of items) names.set(document.id, names.get(document.id) ?? names.size);
        const told = items.map(({ kind, at, document, message }) => [
          kind,
          at,
          names.get(document.id),
          document.location,
          message,
        ]);
        pages.push([told, consumer.isCurrent, consumer.cursor.length]);
      } while (!consumer.isCurrent);
    }
    return pages;
  } finally {
    await test.close();
  }
}
