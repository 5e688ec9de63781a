import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { operator } from '../support/store/service.js';
import { openTestServer } from '../support/http/server.js';
import { canonicalizeAnswers } from '../support/model/canonicalize-answers.js';
import type { Face, Question } from '../support/model/face.js';
import { isolateWorkspaces, playTwice } from '../support/model/isolated-pair.js';
import { sharingScenario, type HiddenAction, type Scenario } from '../support/model/scenario.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { belowV1, HttpFace, show, type Client } from './http-face.js';

const pairs = countOf('ACCESS_FEED_PAIRS', { usual: 12, campaign: 300 });
const seed = seedOf(20261124);

/**
 * Left out are two kinds of actions that are no secret to somebody who follows. A rebuild makes every cursor start
 * again, for everybody alike. And what passes through the caller's reach is told as left.
 */
const told: ReadonlySet<string> = new Set(['rebuild', 'pass']);

describe('Content out of a key’s reach', () => {
  it('has no effect on what changed, nor on the own records in the audit log', async function () {
    this.timeout(60_000 + pairs * 6_000);
    const server = await openTestServer();
    const openWorkspace = isolateWorkspaces(server.host, async (isolated, id) => {
      await perform(isolated.workspace, operator, changePolicy, { requestsPerMinute: 1_000_000, burst: 1_000_000 });
      return new FollowingFace(belowV1(server.as(await isolated.key(id))));
    });
    const kinds = new Map<string, number>();
    try {
      await fc.assert(
        fc.asyncProperty(sharingScenario, async (drawn) => {
          const [without, withHidden] = await playTwice(openWorkspace, withoutTold(drawn));
          const [expected, actual] = [canonicalizeAnswers(without), canonicalizeAnswers(withHidden)];
          for (const [index, answer] of expected.entries()) {
            assert.equal(actual[index], answer, `after ${JSON.stringify(drawn.questions[index])}`);
            for (const [, kind = ''] of answer.matchAll(/"kind":"([a-z_]+)","document"/g)) {
              kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
            }
          }
        }),
        { numRuns: pairs, seed },
      );
    } finally {
      await server.close();
    }
    assert.ok(
      (kinds.get('left') ?? 0) >= pairs / 3,
      `only ${kinds.get('left') ?? 0} documents left in ${pairs} histories`,
    );
    const often = ['entered', 'updated', 'renamed', 'claimed', 'comment_added', 'mirrored', 'deleted'];
    requireSeen(often, kinds, { count: pairs, enough: 24 });
  });
});

/** Asks over HTTP, and after each answer what changed since it last asked, and for its own records. */
class FollowingFace implements Face {
  readonly #client: Client;
  readonly #asking: HttpFace;
  #cursor = '';

  constructor(client: Client) {
    this.#client = client;
    this.#asking = new HttpFace(client, false);
  }

  async ask(question: Question): Promise<string> {
    const answers = [await this.#asking.ask(question)];
    for (let isOver = false; !isOver;) {
      const page = await this.#client.get(`/changes?limit=2${this.#cursor === '' ? '' : `&cursor=${this.#cursor}`}`);
      assert.equal(page.status, 200, page.text);
      const { items, next_cursor: next } = page.json as { items: unknown[]; next_cursor: string };
      this.#cursor = next;
      isOver = items.length === 0;
      answers.push(show(page));
    }
    answers.push(show(await this.#client.get('/audit?limit=3')), show(await this.#client.get('/changes?start=now')));
    if ('folder' in question && question.folder !== '') {
      const place = `location=${encodeURIComponent(question.folder)}`;
      answers.push(show(await this.#client.get(`/changes?${place}`)), show(await this.#client.get(`/audit?${place}`)));
    }
    return answers.join('\n');
  }
}

function withoutTold(drawn: Scenario): Scenario {
  const kept = (actions: readonly HiddenAction[]): HiddenAction[] => actions.filter(({ does }) => !told.has(does));
  const questions = drawn.questions.map((each) => ({ ...each, hiddenBefore: kept(each.hiddenBefore) }));
  return { ...drawn, hiddenAtFirst: kept(drawn.hiddenAtFirst), questions };
}
