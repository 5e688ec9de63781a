import assert from 'node:assert/strict';
import type { Worker } from 'node:worker_threads';
import type { Location } from '../../lib/domain/location.js';
import { plainReading } from '../../lib/search/analysis/analyze-document.js';
import { SearchWorker } from '../../lib/search/search-worker.js';

const document = { location: 'a.md' as Location, text: 'ladder', kind: 'text', labels: [] } as const;

describe('search: a worker', () => {
  it('that is ended takes no request of its successor along', async () => {
    const worker = new SearchWorker();
    await worker.analyze([document], plainReading);
    const closing = worker.close();
    const next = worker.analyze([document], plainReading);
    await closing;
    assert.equal((await next).entries, 1);
    await worker.close();
  });

  it('whose thread ends at a request refuses this one alone, and takes those behind it', async () => {
    let begun = 0;
    const endFirst = (thread: Worker): void => {
      begun += 1;
      if (begun === 1) void thread.terminate();
    };
    process.on('worker', endFirst);
    const worker = new SearchWorker();
    try {
      const asked = [1, 2, 3].map(() => worker.analyze([document], plainReading));
      const outcomes = await Promise.allSettled(asked);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'fulfilled', 'fulfilled'],
      );
      assert.equal(begun, 2);
    } finally {
      process.off('worker', endFirst);
      await worker.close();
    }
  });

  it('that is ended refuses its open requests', async () => {
    const worker = new SearchWorker();
    const asked = worker.analyze([document], plainReading);
    const refused = assert.rejects(asked, /closed/);
    await worker.close();
    await refused;
  });
});
