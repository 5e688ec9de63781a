import { get, type IncomingMessage } from 'node:http';
import { median } from './drive.js';
import { authorization, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { addReaders, seed, type Seeded } from './seed.js';
import { startCartulary, type RunningServer } from './start-server.js';

const documents = 1000;
const listeners = 1000;
/** Keys of as many principals: one key may have 250 listeners. */
const readers = 8;
const mebibyte = 1024 * 1024;

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** One stream of changes, which counts what comes. */
class Listener {
  readonly #response: IncomingMessage;
  #events = 0;
  #onEvent: () => void = () => undefined;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('latin1');
    response.on('data', (text: string) => {
      this.#events += text.split('data: ').length - 1;
      this.#onEvent();
    });
    response.on('error', () => undefined);
  }

  static open(url: string, key: string): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const headers = { ...authorization(key), accept: 'text/event-stream' };
      get(`${url}/v1/changes?start=now`, { headers, agent: false }, (response) => {
        if (response.statusCode === 200) resolve(new Listener(response));
        else reject(new Error(`A stream was answered ${response.statusCode}.`));
      }).on('error', reject);
    });
  }

  /** Resolves when so many events have come. */
  reach(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onEvent = () => {
        if (this.#events >= count) resolve();
      };
      this.#onEvent();
    });
  }

  leave(): void {
    this.#response.destroy();
  }
}

async function put(service: RunningServer, { key, locations }: Seeded, number: number): Promise<void> {
  const answer = await fetch(`${service.url}/v1/documents/${locations[number] ?? ''}`, {
    method: 'PUT',
    headers: { ...authorization(key), 'content-type': 'application/json', 'if-match': '*' },
    body: JSON.stringify({ content: `changed at ${performance.now()}` }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`A write was answered ${answer.status}.`);
}

/** Milliseconds of processor time that some work takes, in all threads. */
async function costOf(service: RunningServer, work: () => Promise<void>): Promise<number> {
  const before = service.processorSeconds();
  await work();
  return 1000 * (service.processorSeconds() - before);
}

async function readPages(service: RunningServer, key: string, query: string, times: number): Promise<string> {
  let cursor = '';
  for (let time = 0; time < times; time += 1) {
    const answer = await fetch(`${service.url}/v1/changes?${query}`, { headers: authorization(key) });
    const page = (await answer.json()) as { next_cursor: string };
    if (!answer.ok) throw new Error(`A page of changes was answered ${answer.status}.`);
    cursor = page.next_cursor;
  }
  return cursor;
}

/** Pages, a thousand listeners at rest, and how soon all of them have a change. */
export async function measureFeed(report: Report, { times, seconds }: Effort): Promise<void> {
  const seeded = await seed(documents);
  // The readers see all but the last hundred documents.
  const folders = Array.from({ length: 9 }, (_, number) => `folder-${number}`);
  const keys = await addReaders(seeded, readers, folders);
  const hidden = documents - 1;
  const service = await startCartulary(seeded.dataFolder);
  const rounds = 20 * times;
  const [key = ''] = keys;
  const per = (all: number, count: number): number => all / count;

  await readPages(service, key, 'limit=200', rounds);
  const full = await costOf(service, async () => void (await readPages(service, key, 'limit=200', rounds)));
  report.add({ what: 'processor time of a page of 200', value: per(full, rounds), unit: 'ms' });
  const cursor = await readPages(service, key, 'start=now', 1);
  const empty = await costOf(service, async () => void (await readPages(service, key, `cursor=${cursor}`, 5 * rounds)));
  report.add({ what: 'the same, without items', value: per(empty, 5 * rounds), unit: 'ms' });

  const writes = 40 * times;
  const write = (number: number) => async (): Promise<void> => {
    for (let count = 0; count < writes; count += 1) await put(service, seeded, number);
  };
  await write(hidden)();
  const alone = per(await costOf(service, write(hidden)), writes);
  await pause(seconds);
  const before = service.residentBytes();
  const all: Listener[] = [];
  for (let opened = 0; opened < listeners; opened += 50) {
    const some = Array.from({ length: 50 }, (_, index) =>
      Listener.open(service.url, keys[(opened + index) % keys.length] ?? ''),
    );
    all.push(...(await Promise.all(some)));
  }
  await pause(seconds);
  const what = '1,000 listeners';
  const taken = (service.residentBytes() - before) / mebibyte;
  report.add({ what: `memory of ${what}`, value: taken, unit: 'MB', goal: '< 100 MB' });
  const idle = await costOf(service, () => pause(seconds));
  report.add({ what: `processor time of ${what} at rest, in a second`, value: per(idle, seconds), unit: 'ms' });

  const waits: number[] = [];
  const costs: number[] = [];
  for (let round = 1; round <= 2 * times + 1; round += 1) {
    const cost = await costOf(service, async () => {
      const started = performance.now();
      await put(service, seeded, 0);
      await Promise.all(all.map((listener) => listener.reach(round)));
      waits.push(performance.now() - started);
    });
    costs.push(cost);
    await pause(0.5);
  }
  report.add({ what: `time until ${what} have a change`, value: median(waits), unit: 'ms', goal: '< 1,000 ms' });
  report.add({ what: 'the longest', value: Math.max(...waits), unit: 'ms', goal: '< 1,000 ms' });
  report.add({ what: 'processor time of telling it to one of them', value: median(costs) / listeners, unit: 'ms' });
  const beside = per(await costOf(service, write(hidden)), writes);
  const baseline = { name: 'nobody listens', value: alone };
  report.add({ what: `processor time of a PUT that ${what} may not see`, value: beside, unit: 'ms', baseline });
  for (const listener of all) listener.leave();
  await service.stop();
  await seeded.remove();
}
