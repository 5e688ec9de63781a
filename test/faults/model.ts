import { createHash } from 'node:crypto';

/** Content that can be made again from its description. */
export interface ContentSpec {
  readonly tag: string;
  /** Bytes. */
  readonly size: number;
}

/** One request of the load, with everything that it takes to repeat it. */
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
  | { readonly kind: 'read' | 'list'; readonly location: string };

/** What an acknowledged request gave: the ETag of a version that was made, and the document's id. */
export interface Outcome {
  readonly etag?: string | undefined;
  readonly id?: string | undefined;
  /** Ids of what an import created, by location. */
  readonly ids?: Readonly<Record<string, string>> | undefined;
}

export interface ModelDocument {
  readonly id: string;
  readonly etag: string;
  readonly sha256: string;
}

/** What has to be there. Plain data, so that it can be handed to another process. */
export interface Model {
  documents: Record<string, ModelDocument>;
  /** Deleted documents by the location they had, the last one last. */
  deleted: Record<string, ModelDocument[]>;
  /** Folders that were created to stay. */
  kept: string[];
  /** Folder grants of the one subject, as `location role`. */
  grants: string[];
}

export const emptyModel = (): Model => ({ documents: {}, deleted: {}, kept: [], grants: [] });

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

const folderOf = (location: string): string => location.slice(0, Math.max(location.lastIndexOf('/'), 0));
const nameOf = (location: string): string => location.slice(location.lastIndexOf('/') + 1);
const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
const isWithin = (folder: string, location: string): boolean =>
  location === folder || location.startsWith(`${folder}/`);

/** Where a rename or move puts its thing. */
export function targetOf(step: Extract<Step, { kind: 'rename' | 'move' }>): string {
  return step.kind === 'rename' ? join(folderOf(step.location), step.name) : join(step.toFolder, nameOf(step.location));
}

/** Every folder that is there: the kept ones, and those that something live lies in. */
export function foldersOf(model: Model): Set<string> {
  const folders = new Set<string>();
  const addWithAncestors = (location: string): void => {
    for (let at = location; at !== '' && !folders.has(at); at = folderOf(at)) folders.add(at);
  };
  for (const location of model.kept) addWithAncestors(location);
  for (const location of Object.keys(model.documents)) addWithAncestors(folderOf(location));
  return folders;
}

/** Does to the model what the request did to the workspace. */
export function applyStep(model: Model, step: Step, outcome: Outcome): void {
  switch (step.kind) {
    case 'create':
      model.documents[step.location] = made(outcome, digestOf(step.content));
      return;
    case 'update': {
      const id = model.documents[step.location]?.id;
      model.documents[step.location] = made({ id, ...outcome }, digestOf(step.content));
      return;
    }
    case 'delete': {
      const document = model.documents[step.location];
      if (document === undefined) throw new Error(`The model has no ${step.location} to delete.`);
      (model.deleted[step.location] ??= []).push(document);
      delete model.documents[step.location];
      return;
    }
    case 'undelete': {
      const document = model.deleted[step.location]?.pop();
      if (document === undefined) throw new Error(`The model has no ${step.location} to undelete.`);
      model.documents[step.location] = made({ id: document.id, ...outcome }, document.sha256);
      return;
    }
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
        if (id !== undefined) model.documents[location] = made({ ...outcome, id }, digestOf(content));
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

function made({ etag, id }: Outcome, sha256: string): ModelDocument {
  if (etag === undefined || id === undefined) throw new Error('A version has no ETag or no document.');
  return { id, etag, sha256 };
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
