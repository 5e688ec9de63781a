import assert from 'node:assert/strict';
import { openSixRequests, type SixRequests } from '../support/trace/six-requests.js';
import { QuestionWatch } from '../support/trace/watch-questions.js';

const requests = ['get', 'put', 'create', 'search', 'mcp-read', 'mcp-edit'] as const;

for (const [held, leftOut] of [
  ['everything', []],
  // The path of a new document is walked for the right to it, which a document there can give, and then for its place.
  ['documents', ['create']],
] as const) {
  describe(`A request of a caller with grants on ${held}`, () => {
    let six: SixRequests;
    let watch: QuestionWatch;

    before(async () => {
      six = await openSixRequests(held);
      watch = new QuestionWatch();
    });
    after(async () => {
      watch.close();
      await six.close();
    });

    for (const name of requests.filter((each) => !leftOut.some((other) => other === each))) {
      it(`asks nothing twice in one state: ${name}`, async () => {
        const run = six.requests[name];
        assert(run !== undefined);
        await six.warmUp(run);
        watch.take();
        await run();
        assert.deepEqual(watch.take(), []);
      });
    }

    it('is told apart from one that asks twice', () => {
      six.askTwice();
      assert.equal(watch.take().length, 1);
    });
  });
}
