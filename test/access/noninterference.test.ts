import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Actor } from '../harness/act.js';
import { openTestServer } from '../harness/http.js';
import { openTestService, TestService } from '../harness/service.js';
import { canonicalizeAnswers } from './canonicalize-answers.js';
import { HttpFace, OperationsFace } from './faces.js';
import { story, tellTwice, type World } from './two-worlds.js';

/** Pairs of worlds in each run of the tests, at each face. Raise them, or change the seed, for a longer hunt. */
const pairsOfOperations = 120;
const pairsOverHttp = 25;
const seed = 20260105;

/** @returns the kinds of questions that were answered with something */
async function compare(openWorld: () => Promise<World>, pairs: number): Promise<ReadonlySet<string>> {
  let answered = 0;
  let refused = 0;
  const done = new Set<string>();
  await fc.assert(
    fc.asyncProperty(story, async (told) => {
      const [without, withHidden] = await tellTwice(openWorld, told);
      const [expected, actual] = [canonicalizeAnswers(without), canonicalizeAnswers(withHidden)];
      for (const [index, answer] of expected.entries()) {
        const asked = JSON.stringify(told.questions[index]?.question);
        assert.equal(actual[index], answer, `${asked} is answered differently when there is something hidden`);
        if (answer.includes('NOT_FOUND')) refused += 1;
        else answered += 1;
        if (!/NOT_FOUND|INVALID_REQUEST|CONFLICT/.test(answer)) done.add(told.questions[index]?.question.does ?? '');
      }
    }),
    { numRuns: pairs, seed },
  );
  assert.ok(answered > pairs && refused > pairs, `${answered} answered, ${refused} refused: too little of one`);
  return done;
}

describe('What a key cannot reach', () => {
  it('has no effect on anything that operations answer', async function () {
    this.timeout(300_000);
    const openWorld = async (): Promise<World> => {
      const service = await openTestService();
      return {
        service,
        faceOf: (id) => Promise.resolve(new OperationsFace(new Actor(service.workspace, id))),
        close: () => service.close(),
      };
    };
    const done = await compare(openWorld, pairsOfOperations);
    const kinds = ['read', 'list', 'search', 'history', 'diff', 'labels', 'claims', 'comment', 'comments'];
    const agents = ['readers', 'claim-and-release', 'brief', 'send', 'mail'];
    const folders = ['restore', 'delete-folder', 'undelete-folder', 'preview-revert'];
    for (const kind of [...kinds, ...folders, ...agents]) assert.ok(done.has(kind), `${kind} was never done`);
  });

  it('has no effect on any status, header or byte over HTTP', async function () {
    this.timeout(300_000);
    const server = await openTestServer();
    const { service, clock } = server.host;
    let worlds = 0;
    // One server, a workspace for each world: what a key opens is in its own workspace.
    const openWorld = async (): Promise<World> => {
      worlds += 1;
      const workspace = await service.addWorkspace(`world-${String(worlds).padStart(4, '0')}`);
      const world = new TestService(service, workspace, clock, null);
      return {
        service: world,
        faceOf: async (id) => new HttpFace(server.as(await world.key(id))),
        close: () => Promise.resolve(),
      };
    };
    try {
      const done = await compare(openWorld, pairsOverHttp);
      for (const kind of ['restore', 'delete-folder']) assert.ok(done.has(kind), `${kind} was never done`);
    } finally {
      await server.close();
    }
  });
});
