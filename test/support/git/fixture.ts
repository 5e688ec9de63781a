import { spawnSync } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeCommit, makePackable } from '../../../lib/git/objects/objects.js';
import type { Oid, PackableObject } from '../../../lib/git/objects/objects.js';
import { editTree } from '../../../lib/git/objects/tree-edit.js';
import { packTree } from '../../../lib/git/objects/tree.js';

/** A commit of some files, with all its objects. */
export interface CommitFixture {
  commit: Oid;
  tree: Oid;
  objects: PackableObject[];
}

const writer = { name: 'Ada', email: 'ada@acme', seconds: 1_700_000_000 };

/** A commit whose tree holds exactly these files (path to text). */
export function makeCommit(files: Record<string, string>, parents: readonly Oid[] = []): CommitFixture {
  const blobs = Object.entries(files).map(([path, text]) => ({
    path: path.split('/'),
    blob: makePackable('blob', Buffer.from(text)),
  }));
  const { root, created } = editTree(
    null,
    blobs.map(({ path, blob }) => ({ path, entry: { mode: '100644', oid: blob.oid } })),
    () => {
      throw new Error('Nothing is to be loaded.');
    },
  );
  const message = `${Object.keys(files).length} files\n`;
  const commit = makePackable(
    'commit',
    encodeCommit({ tree: root, parents, author: writer, committer: writer, message }),
  );
  return {
    commit: commit.oid,
    tree: root,
    objects: [...blobs.map(({ blob }) => blob), ...created.map(packTree), commit],
  };
}

/** Runs git with nothing of the surroundings; fails the test when git fails. */
export function git(cwd: string, parameters: readonly string[], input?: string | Uint8Array): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', parameters, {
    cwd,
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' },
    ...(input === undefined ? {} : { input }),
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr.toString()}`);
  return stdout;
}

/** Every problem `git fsck --strict` finds, as one text. */
export function fsck(repository: string): string {
  const { status, stdout, stderr } = spawnSync('git', ['fsck', '--strict', '--full', '--no-dangling'], {
    cwd: repository,
    encoding: 'utf8',
  });
  const said = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('notice:') && !line.startsWith('Checking'))
    .join('\n');
  return status === 0 || said !== '' ? said : `git fsck ended with ${String(status)}`;
}

/** Temporary folders of one suite: `make` one, and `remove` them all afterwards. */
export class TemporaryFolders {
  readonly #made: string[] = [];

  async make(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'cartulary-git-'));
    this.#made.push(path);
    return path;
  }

  async remove(): Promise<void> {
    for (const path of this.#made.splice(0)) await rm(path, { recursive: true, force: true });
  }
}

/** Incompressible bytes, always the same, in pieces of 64 kB. */
export async function* incompressible(length: number): AsyncGenerator<Buffer, void, undefined> {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16));
  const zeros = Buffer.alloc(64 * 1024);
  for (let left = length; left > 0; left -= zeros.length) {
    yield cipher.update(zeros.subarray(0, Math.min(left, zeros.length)));
  }
}

/** Everything a stream gives. */
export async function gather(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A source for `stageBlob`. */
export async function* piecesOf(...pieces: (string | Uint8Array)[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) yield Buffer.from(piece);
}
