import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

const length = 1024 * 1024;
/** The quoted text, which nearly stands everywhere in the new text of the document. */
const gone = `${'a'.repeat(999)}b`;
const kept = 'a'.repeat(1000);
/** Spans of a text of that length. The work can yield after each. */
const stretches = length / 65_536;

describe('A page of comments of the worst kind', () => {
  const now = performance.now.bind(performance);
  let elapsed = 0;
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(async () => {
    performance.now = now;
    await service.close();
  });

  it('yields again and again, and costs nothing at its repetition', async () => {
    await ada.create('x.md', 'a'.repeat(length - 1000) + gone);
    const threads = 3;
    for (let thread = 0; thread < threads; thread += 1) {
      await ada.comment('x.md', 'gone', { passage: { quote: gone.slice(thread), start: length - 1000 + thread } });
    }
    await ada.comment('x.md', 'kept', { passage: { quote: kept, start: length / 2 } });
    await ada.update('x.md', 'a'.repeat(length));
    const first = await watch(ada.comments('x.md'));
    assert.ok(first.turns >= threads * stretches, `${first.turns} turns`);
    const anchors = first.result.items.map(({ anchor }) =>
      anchor.type === 'passage' ? anchor.place.start : anchor.type,
    );
    assert.deepEqual(anchors, ['orphaned', 'orphaned', 'orphaned', length / 2]);
    const again = await watch(ada.comments('x.md'));
    assert.deepEqual(again.result, first.result);
    assert.ok(again.turns < stretches, `${again.turns} turns`);
  });

  it('yields during the search for an absent quote', async () => {
    await ada.create('x.md', 'a'.repeat(length));
    const asked = ada.comment('x.md', 'why?', { passage: { quote: gone, start: length / 2 } });
    const { result, turns } = await watch(asked.then(() => 'found').catch((error: unknown) => String(error)));
    assert.match(result, /does not stand in this version/);
    assert.ok(turns >= stretches, `${turns} turns`);
  });

  /** The result, and how often the work yielded meanwhile. */
  async function watch<Result>(asked: Promise<Result>): Promise<{ result: Result; turns: number }> {
    // Each look at the clock finds that a long time has passed, so that work yields wherever it can.
    performance.now = () => (elapsed += 1000);
    const state = { isDone: false };
    void asked.then(() => (state.isDone = true));
    let turns = 0;
    for (; !state.isDone; turns += 1) await turn();
    performance.now = now;
    return { result: await asked, turns };
  }
});
