import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { openRemoteServer, type RemoteTestServer } from '../support/http/open-remote.js';
import { beginning } from '../support/model/commands.js';
import { ComparedClones, deed, type Deed } from './compared-clones.js';

const histories = countOf('CLONE_HISTORIES', { usual: 1, campaign: 300 });
const seed = seedOf(20261213);
/** The number of histories that show the rare outcomes. */
const enoughHistories = 60;

describe('A clone by git and the reference model', () => {
  let server: RemoteTestServer;
  before(async () => (server = await openRemoteServer()));
  after(() => server.close());

  it('hold the same files, contents and paths after every fetch in random histories', async function () {
    this.timeout(60_000 + histories * 20_000);
    const seen = new Map<string, number>();
    const then = fc.array(deed, { minLength: 12, maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(beginning, then, async (begun, deeds) => {
        const given: readonly Deed[] = [
          ...begun.memberships.map((membership) => ({ does: 'join', ...membership }) as const),
          ...begun.documents.map((at) => ({ does: 'create', by: 'ada', path: at }) as const),
          ...begun.grants.map((grant) => ({ does: 'grant', by: 'ada', grant }) as const),
          ...deeds,
        ];
        const pair = await ComparedClones.open(await server.addWorkspace());
        const history: string[] = [];
        try {
          for (const [step, next] of given.entries()) await pair.plays(next, step, history);
          await pair.fetchAll(history);
        } finally {
          await pair.close();
        }
        for (const [outcome, times] of pair.outcomes) seen.set(outcome, (seen.get(outcome) ?? 0) + times);
      }),
      { numRuns: histories, seed, endOnFailure: true },
    );
    const outcomes = ['first fetch', 'next fetch', 'fetch own', 'fetch again', 'fetch not found'];
    requireSeen([...outcomes, 'erase', 'swap', 'import'], seen, { count: histories, enough: enoughHistories });
    assert.ok((seen.get('next fetch') ?? 0) >= histories / 2, `${seen.get('next fetch') ?? 0} next fetches`);
  });
});
