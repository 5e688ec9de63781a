import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveRepository, type Derived, type DeriveOrder } from '../../lib/derived/derive.js';
import { rootLocation } from '../../lib/domain/location.js';
import { requireGit } from '../../lib/git/program/git-program.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { Client } from '../support/store/client.js';
import { gitEnvironment } from '../support/processes/run-git.js';
import { openTestService, type TestService } from '../support/store/service.js';

/** A workspace on disk, and the derived repositories of its people. They lie beside it. */
export class DerivedWorld {
  readonly test: TestService;
  readonly #folder: string;

  constructor(test: TestService, folder: string) {
    this.test = test;
    this.#folder = folder;
  }

  /** A person with a grant on each of these folders. */
  async person(name: string, ...folders: readonly string[]): Promise<Client> {
    const id = await this.test.principal(name);
    for (const folder of folders) await this.test.grant('editor', { type: 'principal', id }, folder);
    return new Client(this.test.workspace, id);
  }

  /** What one derivation of a principal's repository works on. @param copy one more repository of the same principal */
  async order(principalId: string, copy = ''): Promise<DeriveOrder> {
    const { dataFolder, workspace } = this.test;
    const paths = pathsOf(dataFolder ?? '', workspace.name);
    return {
      workspace: workspace.name,
      principalId,
      sidecar: paths.sidecar,
      content: paths.repository,
      folder: join(this.#folder, principalId + copy),
      git: await requireGit('test'),
    };
  }

  async derive(principalId: string, copy = ''): Promise<Derived> {
    return deriveRepository(await this.order(principalId, copy), new AbortController().signal);
  }

  async close(): Promise<void> {
    await this.test.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export async function openDerivedWorld(seed?: string): Promise<DerivedWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-derived-'));
  return new DerivedWorld(await openTestService({ store: 'disk', ...(seed === undefined ? {} : { seed }) }), folder);
}

/** Runs git on a bare repository. @returns its output without the last newline */
export function git(repository: string, ...parameters: readonly string[]): string {
  return execFileSync('git', ['--git-dir', repository, ...parameters], {
    encoding: 'utf8',
    env: { ...gitEnvironment },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1024 ** 3,
  }).replace(/\n$/, '');
}

/** Characters in front of the id, in a line of ls-tree. */
const modeAndType = '100644 blob '.length;

/** The places of all documents in the newest commit, each with its text. */
export function readFiles({ repository, head }: Derived): Record<string, string> {
  if (head === null) return {};
  const entries = git(repository, 'ls-tree', '-r', '-z', head).split('\0').filter(Boolean);
  const answer = execFileSync('git', ['--git-dir', repository, 'cat-file', '--batch=%(objectsize)'], {
    input: entries.map((entry) => `${entry.slice(modeAndType, modeAndType + 40)}\n`).join(''),
    env: { ...gitEnvironment },
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 1024 ** 3,
  });
  let at = 0;
  return Object.fromEntries(
    entries.map((entry) => {
      const place = entry.slice(entry.indexOf('\t') + 1);
      const start = answer.indexOf('\n', at) + 1;
      const end = start + Number(answer.toString('latin1', at, start));
      at = end + 1;
      return [place, answer.toString('utf8', start, end)];
    }),
  );
}

/**
 * Requires that a repository is sound, and says what its principal can read now: each document at its place, and each
 * version of it somewhere in the history.
 * @param mayHoldMore contents of documents that were deleted meanwhile
 */
export async function assertAgrees(
  derived: Derived,
  client: Client,
  mayHoldMore: readonly string[] = [],
): Promise<void> {
  const { repository, head } = derived;
  assert.equal(git(repository, 'fsck', '--strict', '--full', '--no-dangling'), '');
  assert.equal(
    git(repository, 'for-each-ref', '--format=%(refname) %(objectname)'),
    head === null ? '' : `refs/heads/main ${head}`,
  );
  const view = client.workspace.view(client.caller);
  const documents = Array.from(view.walk(rootLocation));
  const blobs = documents.flatMap(({ number }) =>
    view.tables.versions.contents(number, Number.MAX_SAFE_INTEGER, 1000).map(({ blobOid }) => blobOid),
  );
  const now = documents.map(({ location, current }) => `100644 blob ${current.blobOid}\t${location}`);
  const is = head === null ? [] : git(repository, 'ls-tree', '-r', '-z', head).split('\0').filter(Boolean);
  assert.deepEqual(is.toSorted(), now.toSorted());
  const all =
    head === null
      ? []
      : git(repository, 'cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)').split('\n');
  const held = all.filter((line) => line.startsWith('blob ')).map((line) => line.slice('blob '.length));
  const may = new Set([...blobs, ...mayHoldMore]);
  assert.deepEqual(
    held.filter((oid) => !may.has(oid)),
    [],
    'contents that nobody can read',
  );
  const lacking = blobs.filter((oid) => !held.includes(oid));
  assert.deepEqual(lacking, [], 'contents that are missing');
}

/** The commits, the oldest first: the first line of each message, and each changed place. */
export function readLog({ repository, head }: Derived): string[] {
  if (head === null) return [];
  const log = git(repository, 'log', '--reverse', '--root', '-M', '--format=%x01%s', '--name-status', '-z', head);
  return log
    .split('\u0001')
    .slice(1)
    .map((commit) =>
      commit
        .split('\0')
        .map((part) => part.trim())
        .filter(Boolean)
        .join(' '),
    );
}

/** The head and the bytes of the pack that a clone gets. */
export function packOfClone({ repository, head }: Derived): Buffer {
  return execFileSync(
    'git',
    ['--git-dir', repository, '-c', 'pack.threads=1', 'pack-objects', '--revs', '--stdout', '--window=0', '--quiet'],
    { input: `${head}\n`, env: { ...gitEnvironment }, maxBuffer: 1024 ** 3, stdio: ['pipe', 'pipe', 'pipe'] },
  );
}
