/**
 * Applies commit after commit to an index on disk, saving and merging all the while, until it is killed. It prints a
 * line after some saves. Commit `n` brings document `n`; every third also removes the one before.
 */
import { SearchIndex } from '../../lib/search/search-index.js';
import { applyCommit } from './commit-line.js';

const folder = process.argv[2] ?? '';
const index = SearchIndex.open({ folder, readText: () => null, firstTier: 400 });
const first = Number(index.commit ?? 0) + 1;
for (let number = first; ; number += 1) {
  applyCommit(index, number);
  if (number % 10 === 0) await index.save();
  if (number === first + 50) process.stdout.write('on its way\n');
}
