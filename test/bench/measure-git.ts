import { execFile } from 'node:child_process';
import { createCipheriv, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { GitServer } from '../support/git/git-server.js';
import { drive, median } from './drive.js';
import { authorization, writeLoad, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { seed, writeVersions, type Seeded } from './seed.js';
import { startCartulary, startWatched, type RunningServer } from './start-server.js';

const run = promisify(execFile);
const documents = 500;
const megabyte = 1024 ** 2;

const environment = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'bench'],
      [`GIT_${who}_EMAIL`, 'bench@localhost'],
    ]),
  ),
};

/** Runs git as a user would, with the key. @returns seconds */
async function git(seeded: Seeded, folder: string, ...parameters: readonly string[]): Promise<number> {
  const started = performance.now();
  await run('git', ['-c', `http.extraHeader=Authorization: Bearer ${seeded.key}`, ...parameters], {
    cwd: folder,
    env: environment,
    maxBuffer: 1e8,
  });
  return (performance.now() - started) / 1000;
}

/**
 * Clones, fetches and pushes by git, beside git's own `git http-backend` on the same repository; what that costs those
 * who write; and what a clone of a large repository costs everybody.
 * @param commits largest number of commits; left out: 10,000, or 1,000 for a quick look
 */
export async function measureGit(report: Report, effort: Effort, commits: number | undefined): Promise<void> {
  const usual = effort.times === 1 ? [1000] : [1000, 10_000];
  const sizes = commits === undefined ? usual : [...usual.filter((size) => size < commits), commits];
  for (const size of sizes) await withFolder((folder) => measureFetches(report, folder, size, effort.times));
  await withFolder((folder) => measurePushes(report, folder, effort.times));
  await withFolder((folder) => measureWritesBeside(report, folder, effort));
  await withFolder((folder) => measureLarge(report, folder, effort.times === 1 ? 128 : 1024));
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-bench-git-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const addressOf = (service: RunningServer): string => `${service.url}/git/acme`;

/** The bare repository below a folder. */
function findRepository(folder: string): string {
  if (existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects'))) return folder;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const found = findRepository(join(folder, entry.name));
    if (found !== '') return found;
  }
  return '';
}

async function update(service: RunningServer, seeded: Seeded, number: number): Promise<void> {
  const answer = await fetch(`${service.url}/v1/documents/${seeded.locations[number % documents] ?? ''}`, {
    method: 'PUT',
    headers: { ...authorization(seeded.key), 'content-type': 'application/json', 'if-match': '*' },
    body: JSON.stringify({ content: `Written for fetch ${number}.\n` }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`A write was answered ${answer.status}.`);
}

async function measureFetches(report: Report, folder: string, commits: number, times: number): Promise<void> {
  const seeded = await seed(documents);
  await writeVersions(seeded, commits, (number) => (number * 7919) % documents);
  const service = await startCartulary(seeded.dataFolder);
  const many = `${commits.toLocaleString('en')} commits`;
  try {
    const first = await git(seeded, folder, 'clone', '-q', '--bare', addressOf(service), 'first.git');
    const derived = join(seeded.dataFolder, 'acme', 'derived');
    const backend = await GitServer.open(derived);
    const beside = backend.url(relative(derived, findRepository(derived)));
    try {
      const [own, git1]: [number[], number[]] = [[], []];
      for (let time = 0; time < times; time += 1) {
        own.push(await git(seeded, folder, 'clone', '-q', '--bare', addressOf(service), `own-${time}.git`));
        git1.push(await git(seeded, folder, 'clone', '-q', '--bare', beside, `backend-${time}.git`));
      }
      const cloned = { name: '`git http-backend`', value: median(git1) };
      const goal = commits === 10_000 ? { goal: '< 2 s more' } : {};
      report.add({ what: `first clone, ${many}`, value: first, unit: 's', baseline: cloned, ...goal });
      report.add({ what: `next clone, ${many}`, value: median(own), unit: 's', baseline: cloned, goal: '≤ 1.3 ×' });
      const [next, git2]: [number[], number[]] = [[], []];
      for (let time = 0; time < Math.max(3, times); time += 1) {
        await update(service, seeded, time);
        const refspec = 'refs/heads/main:refs/heads/main';
        next.push(await git(seeded, join(folder, 'own-0.git'), 'fetch', '-q', addressOf(service), refspec));
        git2.push(await git(seeded, join(folder, 'backend-0.git'), 'fetch', '-q', beside, refspec));
      }
      const fetched = { name: '`git http-backend`', value: median(git2) };
      const what = `next fetch of one new version, ${many}`;
      report.add({ what, value: median(next), unit: 's', baseline: fetched, goal: '< 0.3 s' });
    } finally {
      await backend.close();
    }
  } finally {
    await service.stop();
    await seeded.remove();
  }
}

async function measurePushes(report: Report, folder: string, times: number): Promise<void> {
  const seeded = await seed(documents);
  const service = await startCartulary(seeded.dataFolder);
  const bare = join(folder, 'served');
  const tree = join(folder, 'tree');
  try {
    await git(seeded, folder, 'clone', '-q', addressOf(service), tree);
    await git(seeded, folder, 'clone', '-q', '--bare', tree, join(bare, 'notes.git'));
    await git(seeded, join(bare, 'notes.git'), 'config', 'http.receivepack', 'true');
    const backend = await GitServer.open(bare);
    try {
      for (const files of [1, 1000]) {
        const [own, beside]: [number[], number[]] = [[], []];
        for (let time = 0; time < times; time += 1) {
          const place = join(tree, `pushed-${files}-${time}`);
          await mkdir(place);
          for (let file = 0; file < files; file += 1) {
            await writeFile(join(place, `note-${file}.md`), `Note ${file} of push ${time}.\n`);
          }
          await git(seeded, tree, 'add', '.');
          await git(seeded, tree, 'commit', '-q', '-m', `Push ${time}`);
          beside.push(await git(seeded, tree, 'push', '-q', backend.url('notes.git'), 'main'));
          own.push(await git(seeded, tree, 'push', '-q', addressOf(service), 'main'));
        }
        report.add({
          what: `push of ${files.toLocaleString('en')} new files`,
          value: median(own),
          unit: 's',
          baseline: { name: '`git http-backend`', value: median(beside) },
        });
      }
    } finally {
      await backend.close();
    }
  } finally {
    await service.stop();
    await seeded.remove();
  }
}

/** What derived repositories cost those who write: while nobody fetches, after a fetch, and beside one fetch a second. */
async function measureWritesBeside(report: Report, folder: string, effort: Effort): Promise<void> {
  const seeded = await seed(documents);
  const service = await startCartulary(seeded.dataFolder);
  const write = async (): Promise<number> =>
    (await drive({ ...writeLoad(seeded, service.url, 16), seconds: effort.seconds })).perSecond;
  const measure = async (): Promise<number> => {
    const rates: number[] = [];
    for (let time = 0; time < effort.times; time += 1) rates.push(await write());
    return median(rates);
  };
  try {
    await write();
    const before = await measure();
    const baseline = { name: 'before anybody fetched', value: before };
    await git(seeded, folder, 'clone', '-q', '--bare', addressOf(service), 'clone.git');
    report.add({
      what: 'PUT, 16 clients, after a clone',
      value: await measure(),
      unit: '/s',
      baseline,
      goal: 'the same',
    });
    const over = new AbortController();
    let fetches = 0;
    const refspec = 'refs/heads/main:refs/heads/main';
    const fetching = (async () => {
      while (!over.signal.aborted) {
        const took = await git(seeded, join(folder, 'clone.git'), 'fetch', '-q', addressOf(service), refspec);
        fetches += 1;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - took * 1000)));
      }
    })();
    const beside = await measure();
    over.abort();
    await fetching;
    const note = `${fetches} fetches`;
    report.add({ what: 'PUT, 16 clients, beside a fetch a second', value: beside, unit: '/s', baseline, note });
  } finally {
    await service.stop();
    await seeded.remove();
  }
}

/** Incompressible documents of 16 MB each, by REST. */
async function fill(service: RunningServer, seeded: Seeded, megabytes: number): Promise<void> {
  const size = 16 * megabyte;
  for (let number = 0; number * 16 < megabytes; number += 1) {
    const cipher = createCipheriv('aes-128-ctr', randomBytes(16), Buffer.alloc(16));
    const answer = await fetch(`${service.url}/v1/documents?location=large/${number}.bin`, {
      method: 'POST',
      headers: {
        ...authorization(seeded.key),
        'content-type': 'application/octet-stream',
        'idempotency-key': `large-${number}`,
      },
      body: cipher.update(Buffer.alloc(size)),
    });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`A large document was answered ${answer.status}: ${said}`);
  }
}

/** What a clone of a large repository costs everybody: holds of the event loop, and memory. */
async function measureLarge(report: Report, folder: string, megabytes: number): Promise<void> {
  const seeded = await seed(documents);
  const service = await startWatched(seeded.dataFolder);
  try {
    await fill(service, seeded, megabytes);
    for (const what of ['first', 'next']) {
      await service.readHolds();
      const before = service.residentBytes();
      let most = before;
      const looking = setInterval(() => (most = Math.max(most, service.residentBytes())), 50);
      const took = await git(seeded, folder, 'clone', '-q', '--bare', addressOf(service), `${what}.git`);
      clearInterval(looking);
      const { longest, p99 } = await service.readHolds();
      const clone = `${what} clone of ${megabytes} MB`;
      report.add({ what: clone, value: took, unit: 's' });
      report.add({
        what: `event loop held, ${clone}`,
        value: longest,
        unit: 'ms',
        goal: '< 50 ms',
        note: `p99 ${p99.toFixed(1)} ms`,
      });
      const note = `${Math.round(before / megabyte)} MB before`;
      report.add({ what: `memory at most, ${clone}`, value: most / megabyte, unit: 'MB', note });
    }
  } finally {
    await service.stop();
    await seeded.remove();
  }
}
