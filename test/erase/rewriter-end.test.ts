import assert from 'node:assert/strict';
import { HistoryRewriter } from '../../lib/erase/rewrite-history.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';

describe('The rewriter of a history', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await makeWorkbench({});
    await bench.actor.create('plan.md', 'text');
    await bench.workspace.checkpointer.run();
  });
  afterEach(() => bench.remove());

  it('refuses a range after it was closed, so that a service that stops waits for nothing', async () => {
    const rewriter = new HistoryRewriter(bench.workspace.repository);
    await rewriter.close();
    const { head, tree } = bench.workspace.journal.state;
    assert.ok(head !== null && tree !== null);
    const state = { parent: null, treeBefore: tree, treeAfter: tree, locations: [] };
    const range = { documents: [], state, after: null, head };
    await assert.rejects(
      rewriter.rewrite(range, () => undefined),
      /The service stops/,
    );
  });
});
