import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { authorization } from './measure-core.js';
import type { Report } from './report.js';
import { makeDocument } from './search-corpus.js';
import { seed } from './seed.js';
import { builtFile, startWatched } from './start-server.js';

const run = promisify(execFile);

/** Imports a folder of prose, 3 kB a file, beside a server and a reader: twice, so that a square would show. */
export async function measureImports(report: Report, counts: readonly number[]): Promise<void> {
  for (const count of counts) {
    const source = await mkdtemp(join(tmpdir(), 'cartulary-imports-'));
    try {
      await fill(source, count);
      await measureImport(report, source, count);
    } finally {
      await rm(source, { recursive: true, force: true });
    }
  }
}

async function fill(source: string, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const { location, text } = makeDocument(number);
    const file = join(source, location);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text ?? '');
  }
}

async function measureImport(report: Report, source: string, count: number): Promise<void> {
  const seeded = await seed(10);
  const service = await startWatched(seeded.dataFolder);
  const state = { isOver: false };
  const read = async (): Promise<number> => {
    let longest = 0;
    while (!state.isOver) {
      const started = performance.now();
      const url = `${service.url}/v1/documents/${seeded.locations[0] ?? ''}`;
      await (await fetch(url, { headers: authorization(seeded.key) })).arrayBuffer();
      longest = Math.max(longest, performance.now() - started);
      await delay(10);
    }
    return longest;
  };
  try {
    await service.readHolds();
    const before = service.processorSeconds();
    const reading = read();
    const { stdout } = await run(
      process.execPath,
      [builtFile('../../bin/cartulary.js'), 'import', source, '--into', 'docs', '--data', seeded.dataFolder, '--json'],
      { maxBuffer: 1e8 },
    );
    state.isOver = true;
    const waited = await reading;
    const { seconds } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { seconds: number };
    const processor = service.processorSeconds() - before;
    const { p99, longest } = await service.readHolds();
    const what = `import of ${count.toLocaleString('en')} files of 3 kB`;
    report.add({
      what,
      value: count / seconds,
      unit: 'files/s',
      goal: '≥ 2,000',
      note: `${processor.toFixed(1)} s of processor time`,
    });
    report.add({ what: 'the same: a GET beside it waited', value: waited, unit: 'ms', goal: '< 250 ms' });
    report.add({
      what: 'the same: event loop held',
      value: longest,
      unit: 'ms',
      goal: '< 30 ms',
      note: `p99 ${p99.toFixed(0)} ms`,
    });
  } finally {
    state.isOver = true;
    await service.stop();
    await seeded.remove();
  }
}
