import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPublicKey } from 'node:crypto';
import { verifySource } from '../../../lib/audit/verify-source.js';
import { replayHistory } from '../../../lib/integrity/replay-history.js';
import { verifyWorkspace } from '../../../lib/integrity/verify-workspace.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { fsck, git } from '../git/fixture.js';
import { allSecrets, deflatedPieces } from './erased-world.js';

/** Every file below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const entry = statSync(path);
    if (entry.isDirectory()) return filesBelow(path);
    // A socket has no bytes of its own.
    return entry.isFile() ? [path] : [];
  });
}

/**
 * The places of traces that should be destroyed: in the bytes of files, their names, and git's objects.
 * @param pieces of stored forms of it
 */
export function findTraces(
  dataFolder: string,
  secrets: readonly string[] = allSecrets,
  pieces: readonly Buffer[] = deflatedPieces(),
): string[] {
  const found: string[] = [];
  const needles = secrets.map((text) => ({ text, bytes: Buffer.from(text) }));
  for (const path of filesBelow(dataFolder)) {
    const bytes = readFileSync(path);
    for (const { text, bytes: needle } of needles) {
      if (path.includes(text) || bytes.includes(needle)) found.push(`${path}: ${text}`);
    }
    if (pieces.some((piece) => bytes.includes(piece))) found.push(`${path}: a stored form of its content`);
  }
  for (const repository of repositoriesBelow(dataFolder)) {
    const objects = git(repository, ['cat-file', '--batch-all-objects', '--batch']);
    for (const { text, bytes } of needles) if (objects.includes(bytes)) found.push(`objects of ${repository}: ${text}`);
  }
  return found;
}

/** Every bare repository, whatever its name: those that are being made, and those of pushes too. */
function repositoriesBelow(folder: string): string[] {
  return filesBelow(folder)
    .filter((path) => path.endsWith('/HEAD'))
    .map((path) => dirname(path))
    .filter((path) => existsSync(join(path, 'objects')));
}

/** Names of all objects that the document ever needed for itself. */
export function blobsOf(workspace: Workspace, documentNumber: number): string[] {
  const { versions } = workspace.journal.reader;
  return versions.before(documentNumber, Number.MAX_SAFE_INTEGER, 1000).map(({ blobOid }) => blobOid);
}

/** Asks git for objects, in a process of its own. @returns those that exist */
export function answering(dataFolder: string, oids: readonly string[]): string[] {
  const repository = join(dataFolder, 'acme', 'content.git');
  const said = git(repository, ['cat-file', '--batch-check'], `${oids.join('\n')}\n`).toString();
  return said
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith(' missing'))
    .map((line) => line.slice(0, 40));
}

/** Rows of all tables that the history gives again: the present ones, and the rebuilt ones. */
export async function compareRebuilt(workspace: Workspace): Promise<void> {
  const scratch = workspace.journal.sidecar.openScratch();
  try {
    await workspace.checkpointer.run();
    const { head } = workspace.journal.state;
    assert.ok(head !== null);
    const report = await replayHistory(workspace.repository, head, scratch);
    assert.deepEqual(report.problems, []);
    const rebuilt = scratch.tables.documents.afterNumber(0, 10_000);
    const present = workspace.journal.reader.documents.afterNumber(0, 10_000);
    const plain = (rows: typeof rebuilt) =>
      rows
        .map(({ id, name, createdAt, current }) => ({
          id,
          name,
          createdAt,
          current: { ...current, author: current.author.id },
        }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.deepEqual(plain(rebuilt), plain(present));
  } finally {
    scratch.close();
  }
}

/** The workspace is sound in every respect that the program can check. */
export async function requireSound(workspace: Workspace, dataFolder: string, keepsGit = true): Promise<void> {
  await workspace.checkpointer.run();
  const { sound, problems } = await verifyWorkspace(
    { dataFolder, name: 'acme', git: keepsGit ? 'auto' : 'never' },
    () => undefined,
  );
  assert.deepEqual(problems, []);
  assert.ok(sound);
  assert.equal(fsck(join(dataFolder, 'acme', 'content.git')), '');
  const { journal, archives, signer } = workspace;
  const verdict = await verifySource({ workspace: 'acme', tables: journal.reader, archives }, [], {
    publicKey: createPublicKey(signer.publicKey),
  });
  assert.ok(verdict.sound, JSON.stringify(verdict));
  await compareRebuilt(workspace);
}
