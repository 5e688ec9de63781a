import { formatTime } from '../domain/clock.js';
import { faultOfLocation, type Location } from '../domain/location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import type { Author, PrincipalKind } from '../domain/principal.js';
import {
  InvalidEvent,
  type DeletedDocument,
  type Event,
  type EventOf,
  type FolderEvent,
  type MediaTypes,
  type MovedDocument,
  type RecordedEvent,
  type RelocationEvent,
  type RestoredDocument,
  type VersionEvent,
} from './event.js';
import type { HistoryCommit } from './read-history.js';
import { parseCommitMessage, recoveredFromTrailer, type CommitMessage, type Trailer } from './trailers.js';

/** How one type of event is written into a commit's message, and read from it. */
interface Codec<Of> {
  /** The first line of the message, for people. @param files number of files that the event touches */
  subject(event: Of, files: number): string;
  encode(event: Of): readonly Trailer[];
  /** @throws InvalidEvent */
  decode(trailers: Trailers): Of;
}

const oidPattern = /^[0-9a-f]{40}$/;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const kinds: readonly string[] = ['person', 'agent', 'connector', 'operator'] satisfies PrincipalKind[];

/** Names with values, each read once or as a list. */
class Trailers {
  readonly #pairs: readonly Trailer[];

  constructor(pairs: readonly Trailer[]) {
    this.#pairs = pairs;
  }

  all(name: string): string[] {
    return this.#pairs.filter(([each]) => each === name).map(([, value]) => value);
  }

  optional(name: string, form?: RegExp): string | undefined {
    const [value, second] = this.all(name);
    if (second !== undefined) throw new InvalidEvent(`it has several trailers "${name}"`);
    if (value !== undefined && (value === '' || form?.test(value) === false)) {
      throw new InvalidEvent(`its trailer "${name}" is not of the right form`);
    }
    return value;
  }

  required(name: string, form?: RegExp): string {
    const value = this.optional(name, form);
    if (value === undefined) throw new InvalidEvent(`it has no trailer "${name}"`);
    return value;
  }

  location(name: string): Location {
    return readLocation(this.required(name), name);
  }

  locations(name: string): Location[] {
    return this.all(name).map((value) => readLocation(value, name));
  }
}

function readLocation(value: string, trailer: string): Location {
  const fault = faultOfLocation(value);
  if (fault !== undefined) throw new InvalidEvent(`its trailer "${trailer}" is no location: it ${fault}`);
  return value as Location;
}

const encodeRestored = ({ documentId, mediaType, location }: RestoredDocument): Trailer => [
  'Restored',
  `${documentId}\t${mediaType}\t${location}`,
];

function decodeRestored(trailers: Trailers): RestoredDocument[] {
  return trailers.all('Restored').map((value) => {
    const [documentId = '', mediaType = '', location = ''] = value.split('\t');
    return { documentId, mediaType, location: readLocation(location, 'Restored') };
  });
}

function decodeDeleted(trailers: Trailers): DeletedDocument[] {
  return trailers.all('Deleted').map((value) => {
    const [documentId = '', location = ''] = value.split('\t');
    return { documentId, location: readLocation(location, 'Deleted') };
  });
}

const encodeMoved = (moved: readonly MovedDocument[]): Trailer[] =>
  moved.map(({ documentId, from, to }) => ['Moved', `${documentId}\t${from}\t${to}`]);

function decodeMoved(trailers: Trailers): MovedDocument[] {
  return trailers.all('Moved').map((value) => {
    const [documentId = '', from = '', to = ''] = value.split('\t');
    return { documentId, from: readLocation(from, 'Moved'), to: readLocation(to, 'Moved') };
  });
}

/** The usual media type once for all files, and each other one with its location. */
function encodeMediaTypes({ usual, others }: MediaTypes): Trailer[] {
  return [
    ...(usual === undefined ? [] : [['Media-Type', usual] as const]),
    ...[...others].map(([location, mediaType]) => ['Media-Type', `${mediaType}\t${location}`] as const),
  ];
}

function decodeMediaTypes(trailers: Trailers): MediaTypes {
  const others = new Map<string, string>();
  let usual: string | undefined;
  for (const value of trailers.all('Media-Type')) {
    const tab = value.indexOf('\t');
    if (tab < 0) usual = value;
    else others.set(value.slice(tab + 1), value.slice(0, tab));
  }
  return { usual, others };
}

const countDocuments = (count: number): string => `${count} ${count === 1 ? 'document' : 'documents'}`;

const versionCodec = <Type extends 'update' | 'undelete'>(type: Type, verb: string): Codec<VersionEvent<Type>> => ({
  subject: ({ location }) => `${verb} ${location}`,
  encode: ({ documentId, location, mediaType }) => [
    ['Document', documentId],
    ['Location', location],
    ['Media-Type', mediaType],
  ],
  decode: (trailers) => ({
    type,
    documentId: trailers.required('Document'),
    location: trailers.location('Location'),
    mediaType: trailers.required('Media-Type'),
  }),
});

const relocationCodec = <Type extends 'rename' | 'move'>(type: Type, verb: string): Codec<RelocationEvent<Type>> => ({
  subject: ({ from, to }) => `${verb} ${from} to ${to}`,
  encode: ({ documentId, from, to }) => [
    ...(documentId === null ? [] : [['Document', documentId] as const]),
    ['From', from],
    ['To', to],
  ],
  decode: (trailers) => ({
    type,
    documentId: trailers.optional('Document') ?? null,
    from: trailers.location('From'),
    to: trailers.location('To'),
  }),
});

const folderCodec = <Type extends 'create-folder' | 'delete-folder'>(
  type: Type,
  verb: string,
): Codec<FolderEvent<Type>> => ({
  subject: ({ location }) => `${verb} folder ${location}`,
  encode: ({ location }) => [['Folder', location]],
  decode: (trailers) => ({ type, location: trailers.location('Folder') }),
});

const codecs: { readonly [Type in Event['type']]: Codec<EventOf<Type>> } = {
  create: {
    subject: ({ location }) => `Create ${location}`,
    encode: ({ location, mediaType }) => [
      ['Location', location],
      ['Media-Type', mediaType],
    ],
    decode: (trailers) => ({
      type: 'create',
      location: trailers.location('Location'),
      mediaType: trailers.required('Media-Type'),
    }),
  },
  update: versionCodec('update', 'Update'),
  undelete: versionCodec('undelete', 'Undelete'),
  restore: {
    subject: ({ location }) => `Restore ${location}`,
    encode: ({ documentId, location, mediaType, restoredVersion }) => [
      ['Document', documentId],
      ['Location', location],
      ['Media-Type', mediaType],
      ...(restoredVersion === null ? [] : [['Restored-Version', restoredVersion] as const]),
    ],
    decode: (trailers) => ({
      type: 'restore',
      documentId: trailers.required('Document'),
      location: trailers.location('Location'),
      mediaType: trailers.required('Media-Type'),
      restoredVersion: trailers.optional('Restored-Version', oidPattern) ?? null,
    }),
  },
  delete: {
    subject: ({ location }) => `Delete ${location}`,
    encode: ({ documentId, location }) => [
      ['Document', documentId],
      ['Location', location],
    ],
    decode: (trailers) => ({
      type: 'delete',
      documentId: trailers.required('Document'),
      location: trailers.location('Location'),
    }),
  },
  rename: relocationCodec('rename', 'Rename'),
  move: relocationCodec('move', 'Move'),
  'create-folder': folderCodec('create-folder', 'Create'),
  'delete-folder': folderCodec('delete-folder', 'Delete'),
  'undelete-folder': {
    subject: ({ location }) => `Undelete folder ${location}`,
    encode: ({ location, kept, restored }) => [
      ['Folder', location],
      ...kept.map((folder) => ['Kept', folder] as const),
      ...restored.map(encodeRestored),
    ],
    decode: (trailers) => ({
      type: 'undelete-folder',
      location: trailers.location('Folder'),
      kept: trailers.locations('Kept'),
      restored: decodeRestored(trailers),
    }),
  },
  revert: {
    subject: ({ restored, deleted }) => `Revert ${countDocuments(restored.length + deleted.length)}`,
    encode: ({ location, principalId, restored, deleted }) => [
      ['Folder', location],
      ['Reverted', principalId],
      ...deleted.map(({ documentId, location: place }) => ['Deleted', `${documentId}\t${place}`] as const),
      ...restored.map(encodeRestored),
    ],
    decode: (trailers) => ({
      type: 'revert',
      location: decodeFolder(trailers),
      principalId: trailers.required('Reverted'),
      restored: decodeRestored(trailers),
      deleted: decodeDeleted(trailers),
    }),
  },
  import: {
    subject: (_, files) => `Import ${countDocuments(files)}`,
    encode: ({ mediaTypes }) => encodeMediaTypes(mediaTypes),
    decode: (trailers) => ({ type: 'import', mediaTypes: decodeMediaTypes(trailers) }),
  },
  mirror: {
    subject: ({ location }) => `Mirror a source into ${location}`,
    encode: ({ connectorId, location, sourceVersion, mediaTypes, moved }) => [
      ['Connector', connectorId],
      ['Folder', location],
      ...(sourceVersion === null ? [] : [['Source-Version', sourceVersion] as const]),
      ...encodeMediaTypes(mediaTypes),
      ...encodeMoved(moved),
    ],
    decode: (trailers) => ({
      type: 'mirror',
      connectorId: trailers.required('Connector'),
      location: trailers.location('Folder'),
      sourceVersion: trailers.optional('Source-Version') ?? null,
      mediaTypes: decodeMediaTypes(trailers),
      moved: decodeMoved(trailers),
    }),
  },
  push: {
    subject: (_, files) => `Push ${countDocuments(files)}`,
    encode: ({ mediaTypes, moved }) => [...encodeMediaTypes(mediaTypes), ...encodeMoved(moved)],
    decode: (trailers) => ({ type: 'push', mediaTypes: decodeMediaTypes(trailers), moved: decodeMoved(trailers) }),
  },
  erase: {
    subject: () => 'Erase everything there was',
    encode: () => [],
    decode: () => ({ type: 'erase' }),
  },
  recover: {
    subject: ({ from }) => `Restart the audit log after commit ${from}`,
    encode: ({ from }) => [[recoveredFromTrailer, from]],
    decode: (trailers) => ({ type: 'recover', from: trailers.required(recoveredFromTrailer, oidPattern) }),
  },
};

/** The folder of a revert; its value is empty for the root. */
function decodeFolder(trailers: Trailers): Location {
  const [folder = ''] = trailers.all('Folder');
  return folder === '' ? (folder as Location) : readLocation(folder, 'Folder');
}

function codecOf(event: Event): Codec<Event> {
  return codecs[event.type];
}

/** The first line of an event's commit. @param files number of files that the event touches */
export function subjectOf(event: Event, files: number): string {
  return codecOf(event).subject(event, files);
}

/** The trailers of an event, in the order of writing. Values hold no line breaks: locations cannot. */
export function encodeEvent(event: Event): readonly Trailer[] {
  return [['Operation', event.type], ...codecOf(event).encode(event)];
}

/** The content of a commit's trailers beside its event. */
export interface Stamp {
  readonly author: Pick<Author, 'id' | 'kind'>;
  /** null for a commit without a request. */
  readonly requestId: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Where the audit chain stood before the commit. */
  readonly chain: { readonly seq: number; readonly hash: string };
}

/**
 * The trailers of every commit behind its event. `Audit-Head` names the end of the audit chain before the write, so a
 * clone is evidence of the chain. The chain is salted, so the commit's SHA confirms no guess about content.
 */
export function encodeStamp({ author, requestId, at, chain }: Stamp): readonly Trailer[] {
  return [
    ['Principal', author.id],
    ...(author.kind === 'person' ? [] : [['Principal-Kind', author.kind] as const]),
    ...(requestId === null ? [] : [['Request', requestId] as const]),
    ['Time', formatTime(at)],
    ['Audit-Head', `${chain.seq} ${chain.hash}`],
  ];
}

const stampNames: ReadonlySet<string> = new Set([
  'Principal',
  'Principal-Kind',
  'Request',
  'Time',
  'Audit-Head',
  'Version',
]);

/** Whether the trailer belongs to the commit's stamp, not to its event. `Version` is added when an erase rewrites it. */
export function isStampTrailer([name]: Trailer): boolean {
  return stampNames.has(name);
}

/** @throws InvalidEvent with the reason */
export function decodeEvent({ trailers }: Pick<CommitMessage, 'trailers'>): Event {
  return decode(new Trailers(trailers));
}

function decode(trailers: Trailers): Event {
  const type = trailers.required('Operation');
  if (!isKnown(type)) throw new InvalidEvent(`its operation "${type}" is not known to this release`);
  return codecs[type].decode(trailers);
}

function isKnown(type: string): type is Event['type'] {
  return Object.hasOwn(codecs, type);
}

/** Reads a commit of a history. @throws InvalidEvent with the reason */
export function decodeCommit({ oid, commit }: HistoryCommit): RecordedEvent {
  const text = parseCommitMessage(commit.message);
  if (text === undefined) throw new InvalidEvent('its message does not end in trailers');
  const trailers = new Trailers(text.trailers);
  return {
    commit: oid,
    versionId: trailers.optional('Version', oidPattern) ?? oid,
    at: decodeTime(trailers),
    author: {
      id: trailers.required('Principal'),
      kind: decodeKind(trailers.optional('Principal-Kind')),
      displayName: commit.committer.name,
    },
    message: text.message,
    originalAuthor: decodeOriginalAuthor(commit),
    event: decode(trailers),
  };
}

/**
 * Git's author of a commit is the author in the source of an import, and git's committer is the principal. Both are the
 * principal where nothing was imported with an author.
 */
export function decodeOriginalAuthor({
  author,
  committer,
}: Pick<HistoryCommit['commit'], 'author' | 'committer'>): OriginalAuthor | null {
  const isOwn =
    author.name === committer.name && author.email === committer.email && author.seconds === committer.seconds;
  const { name, email, seconds } = author;
  return isOwn ? null : { name, email, at: seconds === 0 ? null : seconds * 1000 };
}

function decodeTime(trailers: Trailers): number {
  const time = Date.parse(trailers.required('Time', timePattern));
  if (Number.isNaN(time)) throw new InvalidEvent('its trailer "Time" is no time');
  return time;
}

function decodeKind(kind: string | undefined): PrincipalKind {
  if (kind === undefined) return 'person';
  if (!kinds.includes(kind)) throw new InvalidEvent(`its author's kind "${kind}" is not known to this release`);
  return kind as PrincipalKind;
}
