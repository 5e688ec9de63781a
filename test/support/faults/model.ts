import { createHash } from 'node:crypto';
import { applySaying, isSaying, type ModelComment, type ModelPerson, type Saying } from './messages.js';

/** Content that can be made again from its description. */
export interface ContentSpec {
  readonly tag: string;
  /** Bytes. */
  readonly size: number;
}

/** One request of the load, with all fields for its repetition. */
export type Step =
  | { readonly kind: 'create'; readonly location: string; readonly content: ContentSpec }
  | { readonly kind: 'update'; readonly location: string; readonly ifMatch: string; readonly content: ContentSpec }
  | { readonly kind: 'delete'; readonly location: string; readonly ifMatch: string }
  | { readonly kind: 'undelete'; readonly location: string }
  | { readonly kind: 'folder'; readonly location: string }
  | { readonly kind: 'rename'; readonly location: string; readonly name: string }
  | { readonly kind: 'move'; readonly location: string; readonly toFolder: string }
  | {
      readonly kind: 'import';
      readonly into: string;
      readonly files: readonly { readonly location: string; readonly content: ContentSpec }[];
    }
  | { readonly kind: 'grant' | 'revoke'; readonly location: string; readonly role: 'reader' | 'editor' }
  | { readonly kind: 'restore'; readonly location: string; readonly ifMatch: string; readonly version: string }
  | Saying
  | { readonly kind: 'erase'; readonly location: string; readonly id: string; readonly isAwaited: boolean }
  | { readonly kind: 'delete-folder' | 'undelete-folder' | 'revert'; readonly location: string }
  | { readonly kind: 'read' | 'list'; readonly location: string };

/** The answer to an acknowledged request: the ETag of a new version, and the document's id. */
export interface Outcome {
  readonly etag?: string | undefined;
  readonly id?: string | undefined;
  /** Ids of an import's documents, by location. */
  readonly ids?: Readonly<Record<string, string>> | undefined;
  /** A new comment, and the thread it began. */
  readonly comment?: { readonly id: string; readonly thread: string } | undefined;
  /** Id of a new claim, or of a new person. */
  readonly made?: string | undefined;
}

export interface ModelDocument {
  readonly id: string;
  readonly etag: string;
  readonly sha256: string;
  /** The version before the current one, where there is one to go back to. */
  readonly older?: { readonly etag: string; readonly sha256: string };
  /** Git's names of all contents that it ever had. */
  readonly blobs: readonly string[];
  /** By their ids. */
  readonly comments?: Readonly<Record<string, ModelComment>>;
  readonly labels?: readonly string[];
  /** Id of the claim in force. */
  readonly claim?: string | undefined;
}

/** An erased document. */
export interface ErasedDocument {
  readonly id: string;
  readonly blobs: readonly string[];
}

/** A folder deleted as one, with the documents that have not come back one by one. */
interface GoneFolder {
  readonly location: string;
  /** Ids of documents, by the location they had. */
  readonly documents: Readonly<Record<string, string>>;
  readonly kept: readonly string[];
}

/** The required state. Plain data, so that it can go to another process. */
export interface Model {
  documents: Record<string, ModelDocument>;
  /** Deleted documents by the location they had, the last one last. */
  deleted: Record<string, ModelDocument[]>;
  /** Folders created to stay. */
  kept: string[];
  /** The last one last. */
  goneFolders: GoneFolder[];
  /** Folder grants of the one subject, as `location role`. */
  grants: string[];
  erased: ErasedDocument[];
  /** By body. */
  messages: Record<string, { readonly about: string | null }>;
  /** By id. */
  people: Record<string, ModelPerson>;
}

export const emptyModel = (): Model => ({
  documents: {},
  deleted: {},
  kept: [],
  goneFolders: [],
  grants: [],
  erased: [],
  messages: {},
  people: {},
});

/** Contents above this are no text. Bytes. */
const largestText = 1_000_000;

/** The bytes of some content: different for each tag, and compressing about as text does. */
export function contentOf({ tag, size }: ContentSpec): Buffer {
  const lines: string[] = size > largestText ? ['\0'] : [];
  for (let length = 0, line = 0; length < size; line++) {
    const digest = createHash('sha256').update(`${tag} ${line}`).digest('base64');
    lines.push(`${tag}: ${digest.repeat(size > 100_000 ? 20 : 2)}\n`);
    length += lines.at(-1)?.length ?? 0;
  }
  return Buffer.from(lines.join('')).subarray(0, size);
}

export function digestOf(content: ContentSpec): string {
  return createHash('sha256').update(contentOf(content)).digest('hex');
}

/** Git's name of it. */
function blobOf(content: ContentSpec): string {
  return createHash('sha1').update(`blob ${content.size}\0`).update(contentOf(content)).digest('hex');
}

const folderOf = (location: string): string => location.slice(0, Math.max(location.lastIndexOf('/'), 0));
const nameOf = (location: string): string => location.slice(location.lastIndexOf('/') + 1);
const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
const isWithin = (folder: string, location: string): boolean =>
  location === folder || location.startsWith(`${folder}/`);

/** The target of a rename or move. */
export function targetOf(step: Extract<Step, { kind: 'rename' | 'move' }>): string {
  return step.kind === 'rename' ? join(folderOf(step.location), step.name) : join(step.toFolder, nameOf(step.location));
}

/** Every existing folder: the kept ones, and the parents of live documents. */
export function foldersOf(model: Model): Set<string> {
  const folders = new Set<string>();
  const addWithAncestors = (location: string): void => {
    for (let at = location; at !== '' && !folders.has(at); at = folderOf(at)) folders.add(at);
  };
  for (const location of model.kept) addWithAncestors(location);
  for (const location of Object.keys(model.documents)) addWithAncestors(folderOf(location));
  return folders;
}

/** Repeats a request of the workspace in the model. */
export function applyStep(model: Model, step: Step, outcome: Outcome): void {
  if (isSaying(step)) return applySaying(model, step, outcome);
  switch (step.kind) {
    case 'create':
      model.documents[step.location] = made(outcome, step.content);
      return;
    case 'update': {
      const document = remade(model.documents[step.location], outcome, digestOf(step.content));
      model.documents[step.location] = { ...document, blobs: [...document.blobs, blobOf(step.content)] };
      return;
    }
    case 'restore': {
      const document = model.documents[step.location];
      model.documents[step.location] = remade(document, outcome, document?.older?.sha256 ?? '');
      return;
    }
    case 'delete':
      bury(model, step.location);
      return;
    case 'undelete': {
      const document = model.deleted[step.location]?.pop();
      model.documents[step.location] = remade(document, outcome, document?.sha256 ?? '');
      model.goneFolders = model.goneFolders.map((gone) => without(gone, step.location, document?.id));
      return;
    }
    case 'erase':
      eraseFrom(model, step.location, step.id);
      return;
    case 'delete-folder': {
      const here = documentsIn(model, step.location);
      const kept = model.kept.filter((folder) => isWithin(step.location, folder));
      const documents = Object.fromEntries(here.map((at) => [at, model.documents[at]?.id ?? '']));
      for (const at of here) bury(model, at);
      model.kept = model.kept.filter((folder) => !kept.includes(folder));
      model.goneFolders.push({ location: step.location, documents, kept });
      return;
    }
    case 'undelete-folder': {
      const gone = lastGone(model, step.location);
      if (gone === undefined) throw new Error(`The model has no folder ${step.location} to undelete.`);
      for (const [at, id] of Object.entries(gone.documents)) {
        const document = model.deleted[at]?.find((each) => each.id === id);
        model.deleted[at] = (model.deleted[at] ?? []).filter((each) => each.id !== id);
        model.documents[at] = remade(document, outcome, document?.sha256 ?? '');
      }
      model.kept.push(...gone.kept);
      model.goneFolders = model.goneFolders.filter((each) => each !== gone);
      return;
    }
    case 'revert':
      for (const at of documentsIn(model, step.location)) bury(model, at);
      return;
    case 'folder':
      model.kept.push(step.location);
      return;
    case 'rename':
    case 'move':
      relocate(model, step.location, targetOf(step));
      return;
    case 'import':
      for (const { location, content } of step.files) {
        const id = outcome.ids?.[location];
        if (id !== undefined) model.documents[location] = made({ ...outcome, id }, content);
      }
      return;
    case 'grant':
      model.grants.push(`${step.location} ${step.role}`);
      return;
    case 'revoke':
      model.grants = model.grants.filter((grant) => grant !== `${step.location} ${step.role}`);
      return;
    case 'read':
    case 'list':
  }
}

export const documentsIn = (model: Model, folder: string): string[] =>
  Object.keys(model.documents).filter((location) => isWithin(folder, location));

function bury(model: Model, location: string): void {
  const document = model.documents[location];
  if (document === undefined) throw new Error(`The model has no ${location} to delete.`);
  (model.deleted[location] ??= []).push(document);
  delete model.documents[location];
}

/** The folder's last deletion with documents still gone. */
export function lastGone(model: Model, location: string): GoneFolder | undefined {
  return model.goneFolders.findLast(
    (gone) => gone.location === location && Object.keys(gone.documents).length + gone.kept.length > 0,
  );
}

/** Whether the places of all its documents are free, so that all of them come back. */
export function canReturn(model: Model, { location, documents, kept }: GoneFolder): boolean {
  const ancestors = location.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const isFree = !foldersOf(model).has(location) && ancestors.every((at) => !(at in model.documents));
  const isGranted = model.grants.some((grant) =>
    Object.keys(documents).some((at) => grant.startsWith(`${at} `) || grant.startsWith(`${at}/`)),
  );
  return isFree && !isGranted && Object.keys(documents).length + kept.length > 0;
}

function without(gone: GoneFolder, location: string, id: string | undefined): GoneFolder {
  const documents = Object.entries(gone.documents).filter((entry) => entry[0] !== location || entry[1] !== id);
  return { ...gone, documents: Object.fromEntries(documents) };
}

/** A new version of a document, with its other known fields. */
function remade(document: ModelDocument | undefined, { etag }: Outcome, sha256: string): ModelDocument {
  if (document === undefined || etag === undefined) throw new Error('A version has no ETag or no document.');
  return { ...document, etag, sha256, older: { etag: document.etag, sha256: document.sha256 } };
}

function made({ etag, id }: Outcome, content: ContentSpec): ModelDocument {
  if (etag === undefined || id === undefined) throw new Error('A version has no ETag or no document.');
  return { id, etag, sha256: digestOf(content), blobs: [blobOf(content)] };
}

function eraseFrom(model: Model, location: string, id: string): void {
  const live = model.documents[location];
  const document = live?.id === id ? live : model.deleted[location]?.find((each) => each.id === id);
  if (document === undefined) throw new Error(`The model has no ${location} to erase.`);
  if (document === live) delete model.documents[location];
  else model.deleted[location] = (model.deleted[location] ?? []).filter((each) => each !== document);
  model.goneFolders = model.goneFolders.map((gone) => without(gone, location, id));
  model.messages = Object.fromEntries(Object.entries(model.messages).filter(([, { about }]) => about !== id));
  model.erased.push({ id, blobs: document.blobs });
}

function relocate(model: Model, from: string, to: string): void {
  const rebase = (location: string): string => (isWithin(from, location) ? to + location.slice(from.length) : location);
  model.documents = Object.fromEntries(
    Object.entries(model.documents).map(([location, document]) => [rebase(location), document]),
  );
  model.kept = model.kept.map(rebase);
  model.grants = [
    ...new Set(
      model.grants.map((grant) => {
        const [location = '', role = ''] = grant.split(' ');
        return `${rebase(location)} ${role}`;
      }),
    ),
  ];
}

/** The part of the model in a folder. */
export function partOf(model: Model, home: string): Model {
  const isHere = (location: string): boolean => location === home || location.startsWith(`${home}/`);
  const here = <Value>(record: Record<string, Value>): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).filter(([location]) => isHere(location)));
  return {
    documents: here(model.documents),
    deleted: here(model.deleted),
    kept: model.kept.filter(isHere),
    goneFolders: model.goneFolders.filter(({ location }) => isHere(location)),
    grants: model.grants.filter((grant) => isHere(grant.split(' ')[0] ?? '')),
    erased: [],
    messages: Object.fromEntries(Object.entries(model.messages).filter(([body]) => body.startsWith(`${home} `))),
    people: Object.fromEntries(Object.entries(model.people).filter(([, { name }]) => name.startsWith(`${home} `))),
  };
}

/** Versions of a shared document, by the version each replaced. */
export interface Contended {
  readonly id: string;
  readonly first: string;
  readonly next: Map<string, { readonly etag: string; readonly sha256: string }>;
}

/** Its last version. */
export function newestOf({ first, next }: Contended): string {
  let at = first;
  for (let version = next.get(at); version !== undefined; version = next.get(at)) at = version.etag;
  return at;
}
