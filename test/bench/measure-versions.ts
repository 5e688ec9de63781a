import { median } from './drive.js';
import { authorization, measureBoth, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { seed, writeVersions, type Seeded } from './seed.js';
import { startCartulary, type RunningServer } from './start-server.js';

const documents = 1000;

/** Milliseconds for one page of a document's history, and the cursor of the next. */
async function readPage(
  service: RunningServer,
  seeded: Seeded,
  cursor: string | null,
): Promise<[number, string | null]> {
  const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const url = `${service.url}/v1/history?location=${seeded.locations[0] ?? ''}&limit=200${after}`;
  const started = performance.now();
  const answer = await fetch(url, { headers: authorization(seeded.key) });
  const page = (await answer.json()) as { next_cursor: string | null };
  if (!answer.ok) throw new Error(`A page of history was answered ${answer.status}.`);
  return [performance.now() - started, page.next_cursor];
}

/** Reads, writes and pages of history as versions grow, among 1,000 documents; half of the versions are of one. */
export async function measureVersions(report: Report, effort: Effort): Promise<void> {
  const sizes = effort.times === 1 ? [1000, 10_000] : [1000, 10_000, 100_000];
  let first: { get: number; put: number } | undefined;
  for (const size of sizes) {
    const seeded = await seed(documents);
    await writeVersions(seeded, size, (number) => (number % 2 === 0 ? 0 : (number * 7919) % documents));
    const service = await startCartulary(seeded.dataFolder);
    const now = await measureBoth(seeded, service.url, effort);
    first ??= now;
    const baseline = (value: number) => ({ name: `after ${sizes[0] ?? 0}`, value });
    const after = `after ${size.toLocaleString('en')} versions`;
    report.add({ what: `GET ${after}`, value: now.get, unit: '/s', baseline: baseline(first.get), goal: '≥ 0.9 ×' });
    report.add({ what: `PUT ${after}`, value: now.put, unit: '/s', baseline: baseline(first.put), goal: '≥ 0.67 ×' });
    const pages: number[] = [];
    let cursor: string | null = null;
    do {
      const [took, next] = await readPage(service, seeded, cursor);
      pages.push(took);
      cursor = next;
    } while (cursor !== null);
    report.add({ what: `newest page of 200 of a history, ${after}`, value: median(pages.slice(0, 5)), unit: 'ms' });
    report.add({ what: `oldest page of 200 of a history, ${after}`, value: median(pages.slice(-5)), unit: 'ms' });
    await service.stop();
    await seeded.remove();
  }
}
