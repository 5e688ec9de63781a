import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Allowance } from '../../lib/connectors/source.js';
import type { ConnectorKind } from '../../lib/domain/connector.js';
import { GitServer } from '../support/git/git-server.js';
import type { MirrorFigures } from './mirror-child.js';
import type { Report } from './report.js';
import { builtFile } from './start-server.js';

const run = promisify(execFile);
const filesInFolder = 100;

interface Measured {
  /** Megabytes resident before the first sync. */
  readonly base: number;
  readonly first: MirrorFigures;
  readonly again: MirrorFigures;
}

/** Mirrors a folder and a repository of many files, beside `rclone copy` and `git clone` of the same. */
export async function measureMirrors(report: Report, files: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-mirrors-'));
  const source = join(folder, 'source');
  try {
    await fill(source, files);
    await measureFolder(report, folder, source, files);
    await measureGit(report, folder, source, files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Texts of about a kilobyte, each different. */
async function fill(source: string, files: number): Promise<void> {
  for (let start = 0; start < files; start += filesInFolder) {
    const folder = join(source, `part ${Math.floor(start / filesInFolder / 100)}`, `folder ${start / filesInFolder}`);
    await mkdir(folder, { recursive: true });
    const names = Array.from({ length: Math.min(filesInFolder, files - start) }, (_, index) => start + index);
    await Promise.all(
      names.map((name) => {
        const line = `The note ${name} says what was decided about matter ${name % 97}, and why.\n`;
        return writeFile(join(folder, `note ${name}.md`), `# Note ${name}\n\n${line.repeat(13)}`);
      }),
    );
  }
}

async function measureFolder(report: Report, folder: string, source: string, files: number): Promise<void> {
  const copied = await time(() => run('rclone', ['copy', source, join(folder, 'copied')]));
  const measured = await mirror(
    join(folder, 'data-folder'),
    { kind: 'folder', settings: { path: source } },
    { hosts: [], folders: [source], programs: {} },
  );
  add(report, 'folder', files, measured, { name: '`rclone copy` to another folder', value: copied });
}

async function measureGit(report: Report, folder: string, source: string, files: number): Promise<void> {
  const git = (...args: readonly string[]): Promise<unknown> =>
    run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { maxBuffer: 1e9 });
  await git('-C', source, 'init', '-q', '-b', 'main');
  await git('-C', source, 'add', '.');
  await git('-C', source, 'commit', '-q', '-m', 'Everything');
  await mkdir(join(folder, 'served'));
  await git('clone', '-q', '--bare', source, join(folder, 'served', 'notes.git'));
  await rm(join(source, '.git'), { recursive: true });
  const server = await GitServer.open(join(folder, 'served'));
  try {
    const url = server.url('notes.git');
    const cloned = await time(() => git('clone', '-q', '--depth', '1', url, join(folder, 'cloned')));
    const measured = await mirror(
      join(folder, 'data-git'),
      { kind: 'git', settings: { url } },
      { hosts: [server.host], folders: [], programs: {} },
    );
    add(report, 'git repository over HTTP', files, measured, { name: '`git clone --depth 1`', value: cloned });
  } finally {
    await server.close();
  }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function mirror(
  dataFolder: string,
  connection: { readonly kind: ConnectorKind; readonly settings: Readonly<Record<string, unknown>> },
  allowance: Allowance,
): Promise<Measured> {
  const args = [builtFile('./mirror-child.js'), dataFolder, JSON.stringify(connection), JSON.stringify(allowance)];
  await mkdir(dataFolder);
  const { stdout, stderr } = await run(process.execPath, args, { maxBuffer: 1e8 });
  process.stderr.write(stderr);
  return JSON.parse(stdout) as Measured;
}

function add(
  report: Report,
  what: string,
  files: number,
  { base, first, again }: Measured,
  baseline: { readonly name: string; readonly value: number },
): void {
  for (const { run: each } of [first, again]) {
    if (each.message !== null) throw new Error(`The sync of a ${what} ended with: ${each.message}`);
  }
  const growth = `${Math.round(base)} MB before, ${Math.round(first.resident)} MB at most`;
  report.add({
    what: `first sync of a ${what}, ${files} files`,
    value: first.seconds,
    unit: 's',
    baseline,
    note: growth,
  });
  const held = { unit: 'ms', goal: '< 50 ms' };
  report.add({ what: 'the same: event loop held', value: first.held, ...held });
  const writes = `${first.writes} writes`;
  report.add({
    what: "the same: somebody else's write waited",
    value: first.waited,
    unit: 'ms',
    goal: '< 250 ms',
    note: writes,
  });
  const note = again.run.outcome ?? '';
  report.add({ what: `nothing changed in a ${what}`, value: again.seconds, unit: 's', goal: '< 0.2 s', note });
}
