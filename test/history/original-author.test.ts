import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import {
  formatOriginalAuthor,
  makeOriginalAuthor,
  parseOriginalAuthor,
  type OriginalAuthor,
} from '../../lib/domain/original-author.js';
import { decodeCommit, encodeCommit } from '../../lib/git/objects/objects.js';
import { Tree } from '../../lib/git/objects/tree.js';
import { decodeOriginalAuthor } from '../../lib/history/event-codec.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { listHistory } from '../../lib/operations/history/list-history.js';
import { perform } from '../../lib/operations/perform.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces, requireSound } from '../support/store/evidence.js';
import { operator } from '../support/store/service.js';

const grace = makeOriginalAuthor('Grace Hopper', 'grace@example.org', 1_580_706_246);
const committer = { name: 'Operator', email: 'operator@acme', seconds: 1_790_000_000 };

const hostile = [
  '',
  ' ',
  'Ada\nauthor Eve <eve@example.org> 0 +0000',
  'A <b> c > d <',
  '\u0000\u0007\u001b[31mred',
  'a\u202eb\u200bc\ufeff',
  '\ud800 lone',
  'e\ufe0f\u200d\u{1F469}',
  'x'.repeat(1_000_000),
  '\u{1F469}\u200d\u{1F4BB}'.repeat(5000),
  ' \u3000 spaces \u00a0 \t',
  '> 12',
];

describe('The original author of an imported version', () => {
  it('is the same in the row and in the commit, one short line, whatever the source says', () => {
    for (const name of hostile) {
      for (const email of hostile) {
        for (const seconds of [Number.NaN, -1, 0, 1, 1.5, 1_580_706_246, 253_402_300_800, 1e300]) {
          const originalAuthor = makeOriginalAuthor(name, email, seconds);
          assert.deepEqual(parseOriginalAuthor(formatOriginalAuthor(originalAuthor)), originalAuthor);
          assert.deepEqual(readBack(originalAuthor), originalAuthor);
          assert.ok(Array.from(originalAuthor.name).length <= 100 && Array.from(originalAuthor.email).length <= 100);
          assert.doesNotMatch(originalAuthor.name + originalAuthor.email, /[\p{Cc}\p{Surrogate}<>\u202e\u200b\u2028]/u);
        }
      }
    }
  });

  it('is nobody where the commit names its principal as the author', () => {
    const { name, email, seconds } = committer;
    assert.equal(readBack(makeOriginalAuthor(name, email, seconds)), null);
  });

  describe('in a workspace', () => {
    let bench: Workbench;
    const [first, second] = ['wiki/a.md' as Location, 'wiki/b.md' as Location];

    beforeEach(async () => {
      bench = await makeWorkbench({ git: 'auto' });
      const { workspace } = bench;
      const files = [first, second].map((location) => ({ location, content: text(`of ${location}`) }));
      await perform(workspace, operator, importDocuments, {
        into: 'wiki' as Location,
        files: files.slice(0, 1),
        message: null,
        originalAuthor: grace,
      });
      await perform(workspace, operator, importDocuments, { into: 'wiki' as Location, files, message: null });
      await perform(workspace, operator, updateDocument, {
        location: second,
        precondition: { any: true },
        content: text('next'),
        message: null,
        originalAuthor: makeOriginalAuthor(operator.principalId, 'operator@acme', Number.NaN),
      });
    });
    afterEach(() => bench.remove());

    it('survives a rebuild from the repository, and never is a principal', async () => {
      const dataFolder = bench.files.dataFolder ?? '';
      const before = [await authorsAt(first), await authorsAt(second)];
      assert.deepEqual(before, [[grace], [{ name: 'operator', email: 'operator@acme', at: null }, null]]);
      await requireSound(bench.workspace, dataFolder, true);
      await rebuild(bench.workspace, operator);
      assert.deepEqual([await authorsAt(first), await authorsAt(second)], before);
      const names = bench.workspace
        .view(operator)
        .tables.principals.list()
        .map(({ displayName }) => displayName);
      assert.ok(!names.includes('Grace Hopper'), names.join());
      await requireSound(bench.workspace, dataFolder, true);
    });

    it('leaves with the document when it is erased', async () => {
      const { workspace } = bench;
      const dataFolder = bench.files.dataFolder ?? '';
      await workspace.checkpointer.run();
      const traces = (): number => findTraces(dataFolder, ['grace@example.org', 'Grace Hopper'], []).length;
      assert.ok(traces() > 1, 'it is there before');
      await workspace.eraser.finished((await eraseAt(workspace, first)).id);
      assert.equal(traces(), 0);
      assert.deepEqual(await authorsAt(second), [{ name: 'operator', email: 'operator@acme', at: null }, null]);
      await requireSound(workspace, dataFolder, true);
    });

    const authorsAt = async (location: Location): Promise<(OriginalAuthor | null | undefined)[]> => {
      const page = await perform(bench.workspace, operator, listHistory, { location, after: '', limit: 10 });
      return page.result.items.map((entry) => (entry.type === 'version' ? entry.version.originalAuthor : undefined));
    };
  });
});

const text = (words: string): { readonly bytes: Buffer } => ({ bytes: Buffer.from(words) });

/** What a commit with this author gives again. */
function readBack({ name, email, at }: OriginalAuthor): OriginalAuthor | null {
  const author = { name, email, seconds: (at ?? 0) / 1000 };
  const bytes = encodeCommit({ tree: Tree.empty.oid, parents: [], author, committer, message: 'x\n' });
  return decodeOriginalAuthor(decodeCommit(bytes));
}
