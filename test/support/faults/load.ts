import { createHash } from 'node:crypto';
import type { Caller } from '../../../lib/domain/caller.js';
import { nameOf, parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import { createGrant, revokeGrant } from '../../../lib/operations/grants/change-grant.js';
import type { ContentSource } from '../../../lib/operations/documents/content.js';
import { createDocument } from '../../../lib/operations/documents/create-document.js';
import { createFolder } from '../../../lib/operations/folders/create-folder.js';
import { deleteDocument } from '../../../lib/operations/documents/delete-document.js';
import { deleteFolder } from '../../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../../lib/operations/folders/undelete-folder.js';
import { eraseDocument } from '../../../lib/operations/documents/erase-document.js';
import { importDocuments } from '../../../lib/operations/folders/import-documents.js';
import { listDocuments } from '../../../lib/operations/documents/list-documents.js';
import type { Retry } from '../../../lib/operations/operation.js';
import { perform } from '../../../lib/operations/perform.js';
import { readDocument } from '../../../lib/operations/documents/read-document.js';
import { move, rename } from '../../../lib/operations/folders/relocate.js';
import { restoreVersion } from '../../../lib/operations/documents/restore-version.js';
import { previewRevert, revertChanges } from '../../../lib/operations/history/revert-changes.js';
import { undeleteDocument } from '../../../lib/operations/documents/undelete-document.js';
import { updateDocument } from '../../../lib/operations/documents/update-document.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import {
  canReturn,
  contentOf,
  documentsIn,
  foldersOf,
  lastGone,
  targetOf,
  type ContentSpec,
  type Model,
  type Outcome,
  type Step,
} from './model.js';
import { chooseSaying, isSaying, runSaying } from './messages.js';
import { makeDocumentId } from '../../../lib/history/document-id.js';

/** A source of numbers from 0 to below 1, the same for the same seed. */
export function makeRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Chooses the next request of one actor, who alone works below `home`. The request has to succeed. */
export function chooseStep(model: Model, home: string, tag: string, random: () => number): Step {
  const folders = [...foldersOf(model)].filter((folder) => folder.startsWith(home));
  const documents = Object.keys(model.documents);
  const document = pick(documents, random);
  const folder = pick(folders, random) ?? home;
  const fresh = `${folder}/${tag}`;
  const different = random() < 0.2 ? chooseSaying(model, home, tag, random) : chooseErase(model, random);
  if (different !== undefined) return different;
  const dice = random();
  if (document !== undefined) {
    const { etag } = model.documents[document] ?? { etag: '' };
    if (dice < 0.28) return { kind: 'update', location: document, ifMatch: etag, content: chooseContent(tag, random) };
    if (dice < 0.36) return { kind: 'delete', location: document, ifMatch: etag };
    if (dice < 0.41) return { kind: 'rename', location: document, name: `${tag}.md` };
    if (dice < 0.46) return orElse(moveTo(model, folders, document, folder), { kind: 'read', location: document });
    if (dice < 0.5) return { kind: 'read', location: document };
  }
  const undoing = random() < 0.2 ? chooseUndoing(model, home, random) : undefined;
  if (undoing !== undefined) return undoing;
  if (dice < 0.6) {
    const gone = Object.keys(model.deleted).filter((location) => mayUndelete(model, location));
    const location = pick(gone, random);
    if (location !== undefined) return { kind: 'undelete', location };
  }
  if (dice < 0.65) return { kind: 'folder', location: `${fresh}-f` };
  const inner = pick(
    folders.filter((each) => each !== home),
    random,
  );
  if (inner !== undefined && dice < 0.69) return { kind: 'rename', location: inner, name: `${tag}-r` };
  if (inner !== undefined && dice < 0.73)
    return orElse(moveTo(model, folders, inner, folder), { kind: 'list', location: folder });
  if (dice < 0.77) {
    const grant = `${folder} reader`;
    return { kind: model.grants.includes(grant) ? 'revoke' : 'grant', location: folder, role: 'reader' };
  }
  if (dice < 0.82) {
    const files = Array.from({ length: 1 + Math.floor(random() * 20) }, (_, i) => ({
      location: `${fresh}-i/${i % 3}/${i}.md`,
      content: chooseContent(`${tag} ${i}`, random),
    }));
    return { kind: 'import', into: folder, files };
  }
  return { kind: 'create', location: `${fresh}.md`, content: chooseContent(tag, random) };
}

/** Now and then an erase, of a live document or of a deleted one. */
function chooseErase(model: Model, random: () => number): Step | undefined {
  if (random() > 0.025) return undefined;
  const deleted = Object.entries(model.deleted).flatMap(([location, those]) =>
    those.map(({ id }) => ({ location, id })),
  );
  const live = Object.entries(model.documents).map(([location, { id }]) => ({ location, id }));
  const chosen = pick(random() < 0.3 && deleted.length > 0 ? deleted : live, random);
  return chosen === undefined ? undefined : { kind: 'erase', ...chosen, isAwaited: random() < 0.5 };
}

/** Restores, reverts, deletes and returns of folders. */
function chooseUndoing(model: Model, home: string, random: () => number): Step | undefined {
  const dice = random();
  const location = pick(Object.keys(model.documents), random);
  const folders = [...foldersOf(model)].filter((folder) => folder.startsWith(`${home}/`));
  const folder = pick(folders, random);
  if (dice < 0.25) {
    const gone = pick(model.goneFolders, random);
    const last = gone === undefined ? undefined : lastGone(model, gone.location);
    if (last !== undefined && canReturn(model, last)) return { kind: 'undelete-folder', location: last.location };
  }
  // A few documents at a time, or soon there would be none.
  const isSmall = folder !== undefined && documentsIn(model, folder).length <= 12;
  if (isSmall && dice < 0.45) return { kind: 'delete-folder', location: folder };
  if (isSmall && dice < 0.55 && documentsIn(model, folder).length > 0) return { kind: 'revert', location: folder };
  if (location === undefined) return undefined;
  const { older, etag } = model.documents[location] ?? {};
  if (older !== undefined && etag !== undefined)
    return { kind: 'restore', location, ifMatch: etag, version: older.etag };
  return undefined;
}

function orElse(step: Step | undefined, other: Step): Step {
  return step ?? other;
}

function chooseContent(tag: string, random: () => number): ContentSpec {
  const dice = random();
  if (dice < 0.04) return { tag, size: 1_050_000 + Math.floor(random() * 1_000_000) };
  if (dice < 0.1) return { tag, size: 40_000 + Math.floor(random() * 60_000) };
  return { tag, size: 20 + Math.floor(random() * 3000) };
}

function moveTo(model: Model, folders: readonly string[], location: string, toFolder: string): Step | undefined {
  const step = { kind: 'move', location, toFolder } as const;
  const target = targetOf(step);
  const isTaken = target in model.documents || folders.includes(target);
  // A document cannot come to lie where a folder grant waits.
  const isGranted = model.grants.some((grant) => grant.startsWith(`${target} `) || grant.startsWith(`${target}/`));
  const isInto = toFolder === location || toFolder.startsWith(`${location}/`);
  return isTaken || isGranted || isInto || target.length > 800 ? undefined : step;
}

function mayUndelete(model: Model, location: string): boolean {
  const folders = foldersOf(model);
  if ((model.deleted[location] ?? []).length === 0 || location in model.documents || folders.has(location))
    return false;
  return !model.grants.some((grant) => grant.startsWith(`${location} `) || grant.startsWith(`${location}/`));
}

/** The key by which a repeated request is the same one. */
export function retryOf(key: string, step: Step): Retry {
  return { key, fingerprint: createHash('sha256').update(JSON.stringify(step)).digest() };
}

const sourceOf = (content: ContentSpec): ContentSource => {
  const bytes = contentOf(content);
  if (bytes.length < 1_500_000) return { bytes };
  return {
    stream: (async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    })(),
  };
};

/** Sends one request through `perform`. @throws Refusal */
export async function runStep(
  workspace: Workspace,
  caller: Caller,
  subjectId: string,
  step: Step,
  key?: string,
): Promise<Outcome & { readonly replayed: boolean }> {
  const retry = key === undefined ? undefined : retryOf(key, step);
  const subject = { type: 'principal', id: subjectId } as const;
  if (isSaying(step)) return runSaying(workspace, caller, step, retry);
  switch (step.kind) {
    case 'create': {
      const { location, content } = step;
      const input = { location: parseLocation(location), content: sourceOf(content), labels: [], message: null };
      const { result, replayed } = await perform(workspace, caller, createDocument, input, retry);
      return { etag: result.current.id, id: result.id, replayed };
    }
    case 'update': {
      const { location, content, ifMatch } = step;
      const { result } = await perform(workspace, caller, updateDocument, {
        location: parseLocation(location),
        precondition: { any: false, versionIds: [ifMatch] },
        content: sourceOf(content),
        message: 'changed',
      });
      return { etag: result.current.id, id: result.id, replayed: false };
    }
    case 'delete': {
      const precondition = { any: false, versionIds: [step.ifMatch] } as const;
      await perform(workspace, caller, deleteDocument, { location: parseLocation(step.location), precondition });
      return { replayed: false };
    }
    case 'undelete': {
      const input = { location: parseLocation(step.location) };
      const { result, replayed } = await perform(workspace, caller, undeleteDocument, input, retry);
      return { etag: result.current.id, id: result.id, replayed };
    }
    case 'folder': {
      const input = { location: parseLocation(step.location) };
      return { replayed: (await perform(workspace, caller, createFolder, input, retry)).replayed };
    }
    case 'rename': {
      const input = { location: parseLocation(step.location), name: step.name, acknowledged: true };
      return { replayed: (await perform(workspace, caller, rename, input, retry)).replayed };
    }
    case 'move': {
      const toFolder = parseFolderLocation(step.toFolder);
      const input = { location: parseLocation(step.location), toFolder, acknowledged: true };
      return { replayed: (await perform(workspace, caller, move, input, retry)).replayed };
    }
    case 'import': {
      const files = step.files.map(({ location, content }) => ({
        location: parseLocation(location),
        content: sourceOf(content),
      }));
      const input = { into: parseLocation(step.into), files, message: null };
      const { result, replayed } = await perform(workspace, caller, importDocuments, input, retry);
      return { etag: result.versionId ?? undefined, ids: idsOf(step, result.versionId), replayed };
    }
    case 'grant':
    case 'revoke': {
      const { location, role } = step;
      const input = { scopeType: 'folder' as const, location: parseFolderLocation(location), subject, role };
      const { replayed } =
        step.kind === 'grant'
          ? await perform(workspace, caller, createGrant, input, retry)
          : await perform(workspace, caller, revokeGrant, input, retry);
      return { replayed };
    }
    case 'restore': {
      const { result } = await perform(workspace, caller, restoreVersion, {
        location: parseLocation(step.location),
        versionId: step.version,
        precondition: { any: false, versionIds: [step.ifMatch] },
        message: null,
      });
      return { etag: result.current.id, id: result.id, replayed: false };
    }
    case 'erase': {
      const location = parseLocation(step.location);
      const input = { location, confirmation: nameOf(location), documentId: step.id };
      const { result } = await perform(workspace, caller, eraseDocument, input);
      if (step.isAwaited) await workspace.eraser.finished(result.id);
      return { replayed: false };
    }
    case 'delete-folder':
    case 'undelete-folder': {
      const input = { location: parseFolderLocation(step.location) };
      const operation = step.kind === 'delete-folder' ? deleteFolder : undeleteFolder;
      const { result } = await perform<typeof input, { readonly versionId: string }, undefined>(
        workspace,
        caller,
        operation,
        input,
      );
      return { etag: result.versionId, replayed: false };
    }
    case 'revert': {
      // All the caller's changes there, which are all changes there: every document goes.
      const input = { location: parseFolderLocation(step.location), principalId: caller.principalId, since: 0 };
      const looking = { ...caller, requestId: `${caller.requestId}_preview` };
      const { result: preview } = await perform(workspace, looking, previewRevert, input);
      const chosen = { ...input, preview: preview.digest, message: null };
      const { result } = await perform(workspace, caller, revertChanges, chosen);
      return { etag: result.versionId ?? undefined, replayed: false };
    }
    case 'read': {
      const { result } = await perform(workspace, caller, readDocument, {
        location: parseLocation(step.location),
        withContent: true,
      });
      return { etag: result.version.id, id: result.document.id, replayed: false };
    }
    case 'list': {
      const input = { location: parseFolderLocation(step.location), after: '', limit: 200 };
      await perform(workspace, caller, listDocuments, input);
      return { replayed: false };
    }
  }
}

/** Ids of an import's documents. One commit makes them. */
export function idsOf(step: Extract<Step, { kind: 'import' }>, versionId: string | null): Record<string, string> {
  if (versionId === null) return {};
  return Object.fromEntries(
    step.files.map(({ location }) => [location, makeDocumentId(versionId, parseLocation(location))]),
  );
}

/** Requests that may be repeated under the same key (the others have If-Match or change nothing when repeated). */
export function isRepeatable(step: Step): boolean {
  return ['create', 'undelete', 'folder', 'rename', 'move', 'import', 'grant', 'comment', 'claim'].includes(step.kind);
}
