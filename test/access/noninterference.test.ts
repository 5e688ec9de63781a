import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Actor } from '../support/store/actor.js';
import { openConsole } from '../support/http/console.js';
import { openTestServer } from '../support/http/server.js';
import { openTestService } from '../support/store/service.js';
import { canonicalizeAnswers } from '../support/model/canonicalize-answers.js';
import { belowV1, HttpFace } from './http-face.js';
import { OperationsFace } from './operations-face.js';
import { scenario } from '../support/model/scenario.js';
import { playTwice, isolateWorkspaces, type IsolatedWorkspace } from '../support/model/isolated-pair.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';

const pairsOfOperations = countOf('ACCESS_PAIRS', { usual: 10, campaign: 1000 });
const pairsInConsole = countOf('ACCESS_CONSOLE_PAIRS', { usual: 6, campaign: 300 });
const pairsOverHttp = countOf('ACCESS_HTTP_PAIRS', { usual: 8, campaign: 300 });
const seed = seedOf(20261123);

/** The outcome by which a question counts as done, beyond not being refused. */
const happened: Readonly<Record<string, RegExp>> = {
  revert: /"version_?[iI]d":"/,
  'preview-revert': /"action":"(?:restore|delete|undelete)"/,
  'comment-on-passage': /"mentions":\["/,
};

describe('Content out of a key’s reach', () => {
  it('has no effect on any answer of operations', async function () {
    this.timeout(60_000 + pairsOfOperations * 3_000);
    const openWorkspace = async (): Promise<IsolatedWorkspace> => {
      const service = await openTestService();
      return {
        service,
        faceOf: (id) => Promise.resolve(new OperationsFace(new Actor(service.workspace, id))),
        close: () => service.close(),
      };
    };
    const done = await compare(openWorkspace, pairsOfOperations);
    const kinds = [
      'read',
      'list',
      'browse',
      'trash',
      'search',
      'history',
      'diff',
      'labels',
      'claims',
      'comment',
      'comments',
    ];
    const agents = ['readers', 'claim-and-release', 'brief', 'send', 'mail'];
    const folders = ['restore', 'delete-folder', 'undelete-folder'];
    const cases = { count: pairsOfOperations, enough: 140 };
    requireSeen([...kinds, ...folders, ...agents], done, cases);
    const often = { read: 10, 'break-claim': 15, 'comment-on-passage': 15, 'preview-revert': 10, revert: 10 };
    assertOften(done, cases, often);
  });

  it('has no effect on any status, header or byte over HTTP', async function () {
    this.timeout(60_000 + pairsOverHttp * 5_000);
    const server = await openTestServer();
    const openWorkspace = isolateWorkspaces(
      server.host,
      async (isolated, id) => new HttpFace(belowV1(server.as(await isolated.key(id))), false),
    );
    try {
      const done = await compare(openWorkspace, pairsOverHttp);
      const cases = { count: pairsOverHttp, enough: 40 };
      const more = { 'comment-on-passage': 3, 'preview-revert': 2, revert: 2 };
      const often = { restore: 1, 'delete-folder': 1, 'break-claim': 3, ...more };
      assertOften(done, cases, often);
    } finally {
      await server.close();
    }
  });

  it('has no effect on any status, header or byte in the console', async function () {
    this.timeout(120_000 + pairsInConsole * 10_000);
    const test = await openConsole();
    const openWorkspace = isolateWorkspaces(test.host, async ({ workspace }, id) => {
      return new HttpFace(await test.signInAs(id, `${id}@example.org`, workspace), true);
    });
    try {
      const done = await compare(openWorkspace, pairsInConsole);
      const cases = { count: pairsInConsole, enough: 40 };
      const more = { 'comment-on-passage': 3, 'preview-revert': 2, revert: 2, browse: 3, trash: 3 };
      assertOften(done, cases, { restore: 1, 'delete-folder': 1, 'break-claim': 3, ...more });
    } finally {
      await test.close();
    }
  });
});

/** @returns how often each kind of question was answered with something */
async function compare(
  openWorkspace: () => Promise<IsolatedWorkspace>,
  pairs: number,
): Promise<ReadonlyMap<string, number>> {
  let answered = 0;
  let refused = 0;
  const done = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scenario, async (drawn) => {
      const [without, withHidden] = await playTwice(openWorkspace, drawn);
      const [expected, actual] = [canonicalizeAnswers(without), canonicalizeAnswers(withHidden)];
      for (const [index, answer] of expected.entries()) {
        const asked = JSON.stringify(drawn.questions[index]?.question);
        assert.equal(actual[index], answer, `${asked} is answered differently when there is something hidden`);
        if (answer.includes('NOT_FOUND')) refused += 1;
        else answered += 1;
        const does = drawn.questions[index]?.question.does ?? '';
        if (/NOT_FOUND|INVALID_REQUEST|CONFLICT/.test(answer) || happened[does]?.test(answer) === false) continue;
        done.set(does, (done.get(does) ?? 0) + 1);
      }
    }),
    { numRuns: pairs, seed },
  );
  assert.ok(answered > pairs && refused > pairs, `${answered} answered, ${refused} refused: too little of one`);
  return done;
}

/** Requires a number of times for each kind. Few pairs show most kinds, so the floors hold from `enough` pairs on. */
function assertOften(
  done: ReadonlyMap<string, number>,
  cases: { readonly count: number; readonly enough: number },
  floors: Readonly<Record<string, number>>,
): void {
  requireSeen(Object.keys(floors), done, cases);
  if (cases.count < cases.enough) return;
  for (const [kind, floor] of Object.entries(floors)) {
    assert.ok((done.get(kind) ?? 0) >= floor, `${kind} was done ${done.get(kind) ?? 0} times, not ${floor}`);
  }
}
