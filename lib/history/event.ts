import { faultOfLocation, type Location } from '../domain/location.js';
import type { PrincipalKind } from '../domain/principal.js';
import type { HistoryCommit } from './read-history.js';
import { parseCommitMessage, recoveredFromTrailer } from './trailers.js';

/** Why a commit cannot be taken for one of the service's own. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
}

/** What holds for whatever a commit did. */
interface Described {
  /** Where the commit lies. */
  readonly commit: string;
  /** The id that was handed out for it: the same, unless history was rewritten since. */
  readonly versionId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly author: { readonly id: string; readonly kind: PrincipalKind; readonly displayName: string };
  readonly message: string | null;
}

/** What a commit did, as its trailers say. */
export type HistoryEvent = Described & Happening;

type Happening =
  | { readonly type: 'create'; readonly location: Location; readonly mediaType: string }
  | {
      readonly type: 'update' | 'restore' | 'undelete';
      readonly documentId: string;
      readonly location: Location;
      readonly mediaType: string;
    }
  | { readonly type: 'delete'; readonly documentId: string; readonly location: Location }
  | {
      readonly type: 'rename' | 'move';
      /** null when a folder went. */
      readonly documentId: string | null;
      readonly from: Location;
      readonly to: Location;
    }
  | { readonly type: 'create-folder' | 'delete-folder'; readonly location: Location }
  | {
      readonly type: 'undelete-folder';
      readonly location: Location;
      /** Folders in it that had been made to stay. */
      readonly kept: readonly Location[];
      readonly restored: readonly RestoredDocument[];
    }
  | {
      readonly type: 'revert';
      readonly restored: readonly RestoredDocument[];
      readonly deleted: readonly { readonly documentId: string; readonly location: Location }[];
    }
  | { readonly type: 'import'; readonly mediaTypes: MediaTypes }
  /** The beginning of a history of which an erase left nothing. */
  | { readonly type: 'erase' }
  /** The audit chain was restarted there, from an earlier commit. No document is touched. */
  | { readonly type: 'recover'; readonly from: string };

/** A document to which a commit gave a version, where it did so for several. */
export interface RestoredDocument {
  readonly documentId: string;
  readonly mediaType: string;
  readonly location: Location;
}

/** The media types of an import: the usual one, and others by location. */
export interface MediaTypes {
  readonly usual: string | undefined;
  readonly others: ReadonlyMap<string, string>;
}

const kinds: readonly string[] = ['person', 'agent', 'connector', 'operator'] satisfies PrincipalKind[];
const oidPattern = /^[0-9a-f]{40}$/;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** @throws NotUnderstood with the reason */
export function readEvent({ oid, commit }: HistoryCommit): HistoryEvent {
  const text = parseCommitMessage(commit.message);
  if (text === undefined) throw new NotUnderstood('its message does not end in trailers');
  const trailers = new Trailers(text.trailers);
  const described: Described = {
    commit: oid,
    versionId: trailers.optional('Version', oidPattern) ?? oid,
    at: readTime(trailers),
    author: {
      id: trailers.required('Principal'),
      kind: readKind(trailers.optional('Principal-Kind')),
      displayName: commit.author.name,
    },
    message: text.message,
  };
  const operation = trailers.required('Operation');
  if (!isKnown(operation)) throw new NotUnderstood(`its operation "${operation}" is not known to this release`);
  return { ...described, ...deeds[operation](trailers) };
}

class Trailers {
  readonly #pairs: readonly (readonly [string, string])[];

  constructor(pairs: readonly (readonly [string, string])[]) {
    this.#pairs = pairs;
  }

  all(name: string): string[] {
    return this.#pairs.filter(([each]) => each === name).map(([, value]) => value);
  }

  optional(name: string, form?: RegExp): string | undefined {
    const [value, second] = this.all(name);
    if (second !== undefined) throw new NotUnderstood(`it has several trailers "${name}"`);
    if (value !== undefined && (value === '' || form?.test(value) === false)) {
      throw new NotUnderstood(`its trailer "${name}" is not of the right form`);
    }
    return value;
  }

  required(name: string, form?: RegExp): string {
    const value = this.optional(name, form);
    if (value === undefined) throw new NotUnderstood(`it has no trailer "${name}"`);
    return value;
  }

  location(name: string): Location {
    return readLocation(this.required(name), name);
  }
}

function readLocation(value: string, trailer: string): Location {
  const fault = faultOfLocation(value);
  if (fault !== undefined) throw new NotUnderstood(`its trailer "${trailer}" is no location: it ${fault}`);
  return value as Location;
}

function readRestored(trailers: Trailers): RestoredDocument[] {
  return trailers.all('Restored').map((value) => {
    const [documentId = '', mediaType = '', location = ''] = value.split('\t');
    return { documentId, mediaType, location: readLocation(location, 'Restored') };
  });
}

function readTime(trailers: Trailers): number {
  const time = Date.parse(trailers.required('Time', timePattern));
  if (Number.isNaN(time)) throw new NotUnderstood('its trailer "Time" is no time');
  return time;
}

function readKind(kind: string | undefined): PrincipalKind {
  if (kind === undefined) return 'person';
  if (!kinds.includes(kind)) throw new NotUnderstood(`its author's kind "${kind}" is not known to this release`);
  return kind as PrincipalKind;
}

function readMediaTypes(values: readonly string[]): MediaTypes {
  const others = new Map<string, string>();
  let usual: string | undefined;
  for (const value of values) {
    const tab = value.indexOf('\t');
    if (tab < 0) usual = value;
    else others.set(value.slice(tab + 1), value.slice(0, tab));
  }
  return { usual, others };
}

const readVersion =
  (type: 'update' | 'restore' | 'undelete') =>
  (trailers: Trailers): Happening => ({
    type,
    documentId: trailers.required('Document'),
    location: trailers.location('Location'),
    mediaType: trailers.required('Media-Type'),
  });

const readRelocation =
  (type: 'rename' | 'move') =>
  (trailers: Trailers): Happening => ({
    type,
    documentId: trailers.optional('Document') ?? null,
    from: trailers.location('From'),
    to: trailers.location('To'),
  });

const readFolder =
  (type: 'create-folder' | 'delete-folder') =>
  (trailers: Trailers): Happening => ({ type, location: trailers.location('Folder') });

/** How each operation is read. */
const deeds: Readonly<Record<Happening['type'], (trailers: Trailers) => Happening>> = {
  create: (trailers) => ({
    type: 'create',
    location: trailers.location('Location'),
    mediaType: trailers.required('Media-Type'),
  }),
  update: readVersion('update'),
  restore: readVersion('restore'),
  undelete: readVersion('undelete'),
  delete: (trailers) => ({
    type: 'delete',
    documentId: trailers.required('Document'),
    location: trailers.location('Location'),
  }),
  rename: readRelocation('rename'),
  move: readRelocation('move'),
  'create-folder': readFolder('create-folder'),
  'delete-folder': readFolder('delete-folder'),
  'undelete-folder': (trailers) => ({
    type: 'undelete-folder',
    location: trailers.location('Folder'),
    kept: trailers.all('Kept').map((value) => readLocation(value, 'Kept')),
    restored: readRestored(trailers),
  }),
  revert: (trailers) => ({
    type: 'revert',
    restored: readRestored(trailers),
    deleted: trailers.all('Deleted').map((value) => {
      const [documentId = '', location = ''] = value.split('\t');
      return { documentId, location: readLocation(location, 'Deleted') };
    }),
  }),
  import: (trailers) => ({ type: 'import', mediaTypes: readMediaTypes(trailers.all('Media-Type')) }),
  erase: () => ({ type: 'erase' }),
  recover: (trailers) => ({ type: 'recover', from: trailers.required(recoveredFromTrailer, oidPattern) }),
};

function isKnown(operation: string): operation is Happening['type'] {
  return Object.hasOwn(deeds, operation);
}
