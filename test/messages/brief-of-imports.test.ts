import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { addClient, describeChange, type Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

const soon = 10 * 60_000;

describe('a brief after an import', () => {
  let service: TestService;
  let boss: Client;
  let reader: Client;

  beforeEach(async () => {
    service = await openTestService();
    const world = { service, workspace: service.workspace };
    boss = await addClient(world, 'Boss', 'approver');
    reader = await addClient(world, 'Reader', 'reader', 'a/b');
    service.clock.advance(soon);
  });
  afterEach(() => service.close());

  it('has one line for the documents created together in a folder, on pages of any size', async () => {
    await bring(...many('a', 40), ...many('a/b', 30), ...many('c', 4));
    await boss.update('a/b/7.md', 'new');
    const expected = [
      'created a/b/7.md (2 versions)',
      'created 40 in a/',
      'created 29 in a/b/',
      'created c/3.md',
      'created c/2.md',
      'created c/1.md',
      'created c/0.md',
    ];
    for (const limit of [1, 2, 3, 20]) {
      const lines = await linesOf(boss, limit);
      assert.deepEqual(lines.map(withoutAuthor), expected, `${limit} a page`);
    }
    assert.deepEqual((await linesOf(boss, 20, 'c')).length, 4);
    assert.deepEqual((await linesOf(boss, 20, 'a/b')).length, 2);
  });

  it('counts and names what the reader reaches, and nothing else has an effect', async () => {
    await bring(...many('a/b', 6));
    const alone = await linesOf(reader);
    assert.deepEqual(alone.length, 1);
    await bring(...many('a', 9), ...many('a/b/c', 5), ...many('d', 9));
    const lines = await linesOf(reader);
    assert.deepEqual(lines.map(withoutAuthor), ['created 5 in a/b/c/', 'created 6 in a/b/']);
  });

  it('takes moved and deleted documents out of the line', async () => {
    await bring(...many('a', 8));
    await boss.delete('a/0.md');
    await boss.rename('a/1.md', 'one.md');
    const lines = (await linesOf(boss)).map(withoutAuthor);
    assert.deepEqual(lines, ['created a/one.md', 'created 6 in a/']);
  });

  const bring = async (...locations: string[]): Promise<void> => {
    const files = locations.map((location) => ({
      location: parseLocation(location),
      content: { bytes: Buffer.from(location) },
    }));
    await perform(service.workspace, operator, importDocuments, { into: rootLocation, files, message: null });
  };

  const many = (folder: string, count: number): string[] =>
    Array.from({ length: count }, (_, number) => `${folder}/${number}.md`);

  /** All pages of a brief over everything. */
  async function linesOf(client: Client, limit = 20, location = ''): Promise<string[]> {
    const lines: string[] = [];
    const since = 0;
    for (let after: string | null = ''; after !== null;) {
      const page: Awaited<ReturnType<Client['brief']>> = await client.brief({
        limit,
        after,
        keepsMark: true,
        location: parseFolderLocation(location),
        ...(after === '' ? { since } : {}),
      });
      assert.ok(page.changes.length <= limit);
      lines.push(...page.changes.map(describeChange));
      after = page.next;
    }
    return lines;
  }
});

const withoutAuthor = (line: string): string => line.replace(/ by .*/, '');
