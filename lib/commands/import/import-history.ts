import { Refusal } from '../../domain/refusal.js';
import type { Document } from '../../domain/document.js';
import { operatorId } from '../../domain/principal.js';
import type { Precondition } from '../../domain/etag.js';
import type { Oid } from '../../git/objects/objects.js';
import type { SourceChange, SourceRepository } from '../../git/sources/source-repository.js';
import { deleteDocument } from '../../operations/documents/delete-document.js';
import {
  describeImportedCommit,
  findImportedCommit,
  maxPlaceLength,
  readImportedCommit,
} from '../../operations/folders/find-imported-commit.js';
import { listHistory } from '../../operations/history/list-history.js';
import { readDocument } from '../../operations/documents/read-document.js';
import { updateDocument } from '../../operations/documents/update-document.js';
import { makeOriginalAuthor } from '../../domain/original-author.js';
import { badField } from '../fields.js';
import { findFile, placeEntry, placePath, type ImportedPlace } from './import-repository.js';
import type { Account, FoundFile, ImportRun } from './import-run.js';

/** The steps of one commit. A file that became something else is deleted; a moved file is deleted and created. */
interface Steps {
  readonly deletes: { readonly place: ImportedPlace; readonly before: Oid }[];
  readonly updates: { readonly file: FoundFile; readonly before: Oid; readonly after: Oid }[];
  readonly adds: FoundFile[];
}

/**
 * Imports a history, commit by commit along the first parents, the oldest first. It goes on with the last imported
 * commit and checks it again, since only a part may have come in. Later changes made here by hand are never
 * overwritten. The whole extent is counted before the first import.
 * @returns the number of imported commits, and of all commits
 * @throws Refusal CONFLICT `stopped`; INVALID_REQUEST `import_too_large`, `storage_quota`
 */
export async function importHistory(
  run: ImportRun,
  source: SourceRepository,
  tip: Oid,
): Promise<{ readonly commits: number; readonly of: number }> {
  if (run.into.length > maxPlaceLength) throw badField('into', `is longer than ${maxPlaceLength} characters`);
  const counter = run.countEntries();
  const places = new Map<Oid, number>();
  for await (const commit of source.listCommits(tip)) {
    counter.add();
    places.set(commit, places.size);
  }
  const last = await run.context.perform(findImportedCommit, { into: run.into, among: places });
  const start = last === null ? 0 : (places.get(last) ?? 0);
  const commits = [...places.keys()];
  for await (const changed of source.countChanges(commits[start - 1] ?? null, commits.slice(start), counter.left)) {
    counter.add(changed);
    await counter.reportProgress();
  }
  for (let index = start; index < commits.length; index += 1) {
    const commit = commits[index];
    if (commit === undefined) break;
    run.requireGoingOn();
    run.position = { commits: index + 1, of: commits.length };
    await importCommitOf(run, source, commits[index - 1] ?? null, commit);
    await run.reportProgress();
  }
  return { commits: commits.length - (last === null ? 0 : start + 1), of: commits.length };
}

async function importCommitOf(
  run: ImportRun,
  source: SourceRepository,
  before: Oid | null,
  commit: Oid,
): Promise<void> {
  const read = await source.readCommit(commit);
  const { name, email, seconds } = read.author;
  const account = {
    message: describeImportedCommit(commit, read, run.into),
    originalAuthor: makeOriginalAuthor(name, email, seconds),
  };
  const steps: Steps = { deletes: [], updates: [], adds: [] };
  for await (const change of source.listChanges(before, commit)) await plan(run, source, change, steps);
  // In this order, so a file can become a folder, and a folder a file.
  for (const { place, before: oid } of steps.deletes) await remove(run, place, oid);
  for (const step of steps.updates) await update(run, step, account);
  await run.bringIn(steps.adds, account);
}

async function plan(run: ImportRun, source: SourceRepository, change: SourceChange, steps: Steps): Promise<void> {
  const { path, before, after } = change;
  const was = before?.mode.startsWith('100') === true ? before.oid : undefined;
  if (was !== undefined && after?.mode.startsWith('100') !== true) {
    const place = placePath(run.into, path);
    if (!('reason' in place)) steps.deletes.push({ place, before: was });
  }
  if (after === null) return;
  const place = placeEntry(run.into, path, after);
  if ('reason' in place) {
    run.skip(place);
    return;
  }
  // Only its mode changed, and documents have no mode.
  if (was === after.oid) return;
  const file = await findFile(run, source, place, after.oid);
  if (file === undefined) return;
  if (was === undefined) steps.adds.push(file);
  else steps.updates.push({ file, before: was, after: after.oid });
}

async function remove(run: ImportRun, { path, location }: ImportedPlace, before: Oid): Promise<void> {
  run.requireGoingOn();
  const document = await findDocument(run, location);
  if (document === undefined) return;
  if (!(await isUntouched(run, document, before))) {
    run.skip({ path, reason: 'was deleted in the repository, and was changed here: it stays' });
    return;
  }
  const done = await attempt(run, path, () =>
    run.context.perform(deleteDocument, { location, precondition: exactly(document) }),
  );
  if (done) run.count('deleted');
}

async function update(
  run: ImportRun,
  { file, before, after }: Steps['updates'][number],
  account: Account,
): Promise<void> {
  run.requireGoingOn();
  const { shown, location } = file;
  const document = await findDocument(run, location);
  if (document === undefined) {
    run.skip({ path: shown, reason: 'is not here: it was deleted here, or could not come in before' });
    return;
  }
  if (document.current.blobOid === after) {
    run.count('unchanged');
    return;
  }
  if (!(await isUntouched(run, document, before))) {
    run.skip({ path: shown, reason: 'was changed in the repository, and here: it stays as it is here' });
    return;
  }
  if (!run.fits(file)) return;
  run.takeIn(file);
  const content = await run.open(file);
  if (typeof content === 'string') {
    run.skip({ path: shown, reason: content });
    return;
  }
  const precondition = exactly(document);
  const done = await attempt(run, shown, () =>
    run.context.perform(updateDocument, { location, precondition, content, ...account }),
  );
  if (done) run.count('updated');
}

const exactly = ({ current }: Document): Precondition => ({ any: false, versionIds: [current.id] });

/** Whether the document is as an import left it: one of this history, or one of the content at the commit before. */
async function isUntouched(run: ImportRun, { location, current }: Document, before: Oid): Promise<boolean> {
  if (current.author.id !== operatorId) return false;
  if (readImportedCommit(current.message, run.into) !== undefined) return true;
  if (current.sequence !== 1 || current.blobOid !== before) return false;
  // The same bytes may have been written by hand, or been brought here from elsewhere.
  const [newest] = (await run.context.perform(listHistory, { location, after: '', limit: 1 })).items;
  return newest?.type === 'version' && newest.operation === 'import';
}

async function findDocument(run: ImportRun, location: ImportedPlace['location']): Promise<Document | undefined> {
  try {
    return (await run.context.perform(readDocument, { location, withContent: false })).document;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Performs the write of one document. Where it cannot be written, it is skipped with the reason. */
async function attempt(run: ImportRun, path: string, write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    const isAboutIt = error instanceof Refusal && (error.code === 'CONFLICT' || error.code === 'INVALID_REQUEST');
    if (!isAboutIt || error.details?.reason === 'storage_quota') throw error;
    run.skip({ path, reason: error.message });
    return false;
  }
}
