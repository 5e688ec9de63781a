import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commentStatements } from '../../lib/sidecar/tables/comment-table.js';
import { HistoryTable, historyStatements } from '../../lib/sidecar/tables/history-table.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

const migrations = path.join(process.cwd(), 'schema', 'sidecar');

describe('a page of history or comments costs the same however much there is', () => {
  it('finds all its rows by indexes that have them in order', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cartulary-plan-'));
    const file = path.join(folder, 'sidecar.sqlite');
    openSidecar(file, migrations).close();
    const connection = new Sqlite(file, { readonly: true });
    try {
      for (const [name, statement] of Object.entries({ ...historyStatements, ...commentStatements })) {
        // Unbound parameters count as null, without effect on the plan.
        const plan = connection.prepare(`EXPLAIN QUERY PLAN ${statement.replace(/\?|@\w+/g, 'NULL')}`).all() as {
          detail: string;
        }[];
        for (const { detail } of plan) {
          assert.doesNotMatch(detail, /^SCAN|TEMP B-TREE/, `${name}: ${detail}`);
        }
        assert.ok(
          plan.some(({ detail }) => detail.startsWith('SEARCH')),
          name,
        );
      }
    } finally {
      connection.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  describe('counting the reads', () => {
    let service: TestService;
    let ada: Client;
    let rows = 0;
    const original = {
      versionsBefore: HistoryTable.prototype.versionsBefore,
      folderRelocationBefore: HistoryTable.prototype.folderRelocationBefore,
      relocationBefore: HistoryTable.prototype.relocationBefore,
      deletionBefore: HistoryTable.prototype.deletionBefore,
    };

    beforeEach(async () => {
      service = await openTestService();
      ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'editor');
      HistoryTable.prototype.versionsBefore = function (...args) {
        const found = original.versionsBefore.apply(this, args);
        rows += found.length;
        return found;
      };
      HistoryTable.prototype.folderRelocationBefore = function (...args) {
        rows += 1;
        return original.folderRelocationBefore.apply(this, args);
      };
      HistoryTable.prototype.relocationBefore = function (...args) {
        rows += 1;
        return original.relocationBefore.apply(this, args);
      };
      HistoryTable.prototype.deletionBefore = function (...args) {
        rows += 1;
        return original.deletionBefore.apply(this, args);
      };
    });
    afterEach(async () => {
      Object.assign(HistoryTable.prototype, original);
      await service.close();
    });

    it('reads no more rows for a late page of a long history than for the first of a short one', async () => {
      await ada.create('a/b/short.md');
      for (let count = 0; count < 10; count += 1) await ada.update('a/b/short.md', `${count}`);
      await ada.create('a/b/long.md');
      for (let count = 0; count < 300; count += 1) await ada.update('a/b/long.md', `${count}`);
      const [short = 0] = await rowsOfPages('a/b/short.md');
      const long = await rowsOfPages('a/b/long.md');
      assert.equal(long.length, 31);
      // A later page begins behind a version, and so looks for a deletion once more.
      assert.ok(Math.max(...long) <= short + 1, `${Math.max(...long)} rows against ${short}`);
    });

    it('nor for one that was carried about a hundred times between two versions', async () => {
      await ada.create('a/x.md');
      for (let count = 0; count < 50; count += 1) {
        await ada.rename('a', 'b');
        await ada.rename('b', 'a');
      }
      const counts = await rowsOfPages('a/x.md');
      assert.equal(counts.length, 11);
      // One look a step for the version, its own moves and its deletions, and one for each folder above it.
      assert.ok(Math.max(...counts) <= 11 * 5 + 11, `${Math.max(...counts)} rows`);
    });

    async function rowsOfPages(location: string): Promise<number[]> {
      const counts: number[] = [];
      for (let after: string | null = ''; after !== null;) {
        rows = 0;
        const page: Awaited<ReturnType<Client['history']>> = await ada.history(location, 10, after);
        counts.push(rows);
        after = page.next;
      }
      return counts;
    }
  });
});
