import { nameOf } from '../../lib/domain/location.js';
import { sendCommand } from '../../lib/commands/carrier/send-command.js';
import { drive, median } from './drive.js';
import { writeLoad } from './measure-core.js';
import type { Report } from './report.js';
import { seed, writeVersions } from './seed.js';
import { startCartulary } from './start-server.js';

const documents = 10_000;
/** One in so many commits writes to the document that is later erased. */
const writtenEvery = 1000;

/**
 * Erases a document as old as the history, while others write and read. Every commit and every root folder is made
 * again.
 * @param pace writes and reads a second; without it, as many as are answered
 */
export async function measureErase(report: Report, commits: number, pace?: number): Promise<void> {
  const seeded = await seed(documents, { bytes: 1024 });
  await writeVersions(seeded, commits, (number) => (number % writtenEvery === 0 ? 0 : (number * 7919) % documents));
  const service = await startCartulary(seeded.dataFolder);
  const [location = seeded.locations[0]] = seeded.locations;
  if (location === undefined) throw new Error('Nothing was seeded.');
  const others = { ...seeded, locations: seeded.locations.slice(1) };
  const headers = { authorization: `Bearer ${seeded.key}` };
  const read = { url: service.url, connections: 2, headers };
  const isDone = { value: false };
  const rates: number[] = [];
  const slowest: number[] = [];
  const load = async (): Promise<void> => {
    while (!isDone.value) {
      const [written, got] = await Promise.all([
        drive({ ...writeLoad(others, service.url, 4), seconds: 2, pace }),
        drive({
          ...read,
          seconds: 2,
          pace,
          next: () => ({ method: 'GET', path: `/v1/documents/${others.locations[7] ?? ''}` }),
        }),
      ]);
      rates.push(written.perSecond);
      slowest.push(got.p99);
    }
  };
  const looking = { command: 'erase.preview', workspace: 'acme', fields: { location } };
  const shown = await sendCommand(seeded.dataFolder, looking, async () => undefined);
  if (shown === undefined || 'error' in shown) throw new Error(`It was not found: ${JSON.stringify(shown)}`);
  const { document } = shown.result as { readonly document: string };
  const loading = load();
  const started = performance.now();
  const steps: string[] = [];
  const request = {
    command: 'erase',
    workspace: 'acme',
    fields: { location, document, confirmation: nameOf(location) },
  };
  const answer = await sendCommand(seeded.dataFolder, request, async (progress) => {
    const { step } = progress as { step: string };
    steps.push(`${step} ${((performance.now() - started) / 1000).toFixed(1)} s`);
  });
  const took = (performance.now() - started) / 1000;
  isDone.value = true;
  await loading;
  if (answer === undefined || 'error' in answer) throw new Error(`It was not erased: ${JSON.stringify(answer)}`);
  report.add({
    what: `erase of one document in ${commits.toLocaleString('en')} commits, while 4 clients write${pace === undefined ? '' : ` ${pace} times a second`}`,
    value: took,
    unit: 's',
    goal: '< 60 s',
    note: `${Math.round(median(rates))} writes/s and GET p99 ${median(slowest)} ms (worst ${Math.max(...slowest)}) meanwhile; ${steps.join(', ')}`,
  });
  await service.stop();
  await seeded.remove();
}
