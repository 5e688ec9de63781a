import assert from 'node:assert/strict';
import { documentsIn, historyOf, makePlace } from './git-place.js';
import { timeout, tidyUp } from '../support/processes/run-program.js';

describe('the command line imports files with deceptive names', function () {
  this.timeout(timeout);

  afterEach(tidyUp);

  it('not at all: it skips them and names the character', async () => {
    const place = await makePlace();
    for (const name of ['a.md', 'own\u200b.md', 'own.md ', 'کار‌ها.md']) await place.write(name, 'text');
    await place.write('b\u202ec/inside.md', 'text');
    place.commit('Begin');
    for (const parameters of [[place.tree], [place.tree, '--history']]) {
      const { skipped } = await place.bring(...parameters);
      const reasons = skipped
        .filter(({ reason }) => reason.startsWith('cannot be a location'))
        .map(({ path, reason }) => [path, /\(?(U\+[0-9A-F]+) as character \d+/.exec(reason)?.[1]]);
      assert.deepEqual(
        reasons.toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1)),
        [
          ['b\u202ec/inside.md', 'U+202E'],
          ['own.md ', 'U+0020'],
          ['own\u200b.md', 'U+200B'],
        ],
      );
      assert.equal(await documentsIn(place), 2);
    }
  });

  it('without the hidden characters in the words of a commit', async () => {
    const place = await makePlace();
    await place.write('a.md', 'text');
    place.commit('Be\u200bgin \u202ehere 👩🏽‍🚀');
    await place.bring(place.tree, '--history');
    const [entry] = await historyOf(place, 'wiki/a.md');
    assert.match(entry?.message ?? '', /^Begin here 👩🏽‍🚀\n/);
  });
});
