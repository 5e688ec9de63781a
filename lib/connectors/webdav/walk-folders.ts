import { byteLength, maxSegmentLength } from '../../domain/location.js';
import { EgressFault } from '../../egress/egress-fault.js';
import type { HttpAnswer } from '../../egress/http-client.js';
import { describeTime } from '../describe-time.js';
import { SourceFault, type SourceEntry } from '../source.js';
import { isClosed } from './judge-answer.js';
import { readMultistatus, type Resource } from './read-multistatus.js';
import { readHref, type Segments } from './resource-name.js';

/** Folders that are asked for before their turn. */
const ahead = 4;
/** Folders within each other. A link that leads above itself goes on for ever. */
const maxDepth = 64;
/** Folders that the server fails to list, after which it is the server that fails. */
const maxFailures = 100;
/** Of a folder that was listed: it is forbidden, gone or locked. The server does not fail by that. */
const away: ReadonlySet<number> = new Set([403, 404, 410, 423]);
const batchSize = 500;
export const notFolder = 'The address of the source is not that of a folder. Correct it.';
const isEntityTag = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;

interface Walk {
  readonly origin: string;
  /** The decoded path of the mirrored folder. */
  readonly root: Segments;
  /** Its listing. */
  readonly first: HttpAnswer;
  /** When the listing began, in milliseconds since 1970. */
  readonly began: number;
  readonly maxEntries: number;
  /** @param folder below the root */
  open(folder: Segments): Promise<HttpAnswer>;
  /** Called with what the server says of the root. */
  onRoot(resource: Resource): void;
  /** Called when a part of the source could not be seen. */
  onUnreadable(): void;
  fail(answer: HttpAnswer): SourceFault;
}

/**
 * Lists everything below a folder, one folder after the other. A folder that was listed and cannot be seen keeps what
 * was mirrored from it. Where it is truly gone, the next listing does not name it.
 */
export async function* walkFolders(walk: Walk): AsyncGenerator<readonly SourceEntry[], void, undefined> {
  const waiting: Segments[] = [];
  const opened: { readonly folder: Segments; readonly answer: Promise<HttpAnswer> }[] = [
    { folder: [], answer: Promise.resolve(walk.first) },
  ];
  const count: Count = { entries: 0, failures: 0 };
  try {
    for (let next = opened.shift(); next !== undefined; next = opened.shift()) {
      yield* listWhereReadable(walk, next.folder, await next.answer, waiting, count);
      while (opened.length < ahead && waiting.length > 0) {
        const folder = waiting.pop() ?? [];
        const asked = walk.open(folder);
        // A later await sees its fault. Until then it must not count as unhandled.
        asked.catch(() => undefined);
        opened.push({ folder, answer: asked });
      }
    }
  } finally {
    for (const { answer } of opened)
      answer.then(
        (each) => each.discard(),
        () => undefined,
      );
  }
}

interface Count {
  entries: number;
  failures: number;
}

/** What one folder holds, or that it cannot be seen. The folder that is mirrored has to be seen. */
async function* listWhereReadable(
  walk: Walk,
  folder: Segments,
  answer: HttpAnswer,
  waiting: Segments[],
  count: Count,
): AsyncGenerator<readonly SourceEntry[], void, undefined> {
  const { status } = answer;
  if (status !== 207) {
    answer.discard();
    const isFailing = status >= 500;
    if (!(isFailing || away.has(status)) || isClosed(answer)) throw walk.fail(answer);
    if (isFailing) countFailure(count, () => walk.fail(answer));
    yield [giveUp(walk, folder, `status ${status}`)];
    return;
  }
  try {
    yield* listFolder(walk, folder, answer, waiting, count);
  } catch (error) {
    // Such as a control character in the name of one file.
    if (folder.length === 0 || !(error instanceof EgressFault) || error.fault !== 'corrupt') throw error;
    countFailure(count, () => error);
    yield [giveUp(walk, folder, error.message)];
  }
}

/** @throws EgressFault when the server has failed too often */
function countFailure(count: Count, fault: () => EgressFault): void {
  count.failures += 1;
  if (count.failures > maxFailures) throw fault();
}

function giveUp(walk: Walk, folder: Segments, detail: string): SourceEntry {
  walk.onUnreadable();
  return { type: 'unreadable', path: folder.join('/'), detail };
}

async function* listFolder(
  walk: Walk,
  folder: Segments,
  answer: HttpAnswer,
  waiting: Segments[],
  count: Count,
): AsyncGenerator<readonly SourceEntry[], void, undefined> {
  let batch: SourceEntry[] = [];
  let hasSelf = false;
  for await (const resource of readMultistatus(answer.body)) {
    const entry = place(walk, folder, resource, answer.headers.date);
    if (entry === 'self') hasSelf = true;
    if (entry === 'self' || entry === 'gone') continue;
    count.entries += 1;
    if (count.entries > walk.maxEntries)
      throw new SourceFault(
        'limit',
        `The source has more than ${walk.maxEntries} files and folders. Mirror a folder of it.`,
      );
    if ('folder' in entry) waiting.push(entry.folder);
    else batch.push(entry);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
  if (!hasSelf) throw new SourceFault('corrupt', 'The source lists a folder without the folder itself.');
}

function place(
  walk: Walk,
  folder: Segments,
  resource: Resource,
  toldAt: string | undefined,
): SourceEntry | { folder: Segments } | 'self' | 'gone' {
  const named = readHref(resource.href, walk.origin, [...walk.root, ...folder]);
  if (named.type === 'foreign')
    throw new SourceFault('corrupt', 'The source lists addresses outside the folder that was asked for.');
  if (named.type === 'self') {
    if (folder.length > 0) return 'self';
    if (!resource.isFolder) throw new SourceFault('not_found', notFolder);
    walk.onRoot(resource);
    return 'self';
  }
  const version = versionOf(resource, toldAt, walk.began);
  const path = [...folder, named.type === 'odd' ? named.written : named.name].join('/');
  if (named.type === 'odd') return { type: 'skipped', path, version, reason: 'bad_name' };
  if (resource.status === 404 || resource.status === 410) return 'gone';
  if (resource.status >= 300) {
    walk.onUnreadable();
    return { type: 'unreadable', path, detail: `status ${resource.status}` };
  }
  if (resource.isEncrypted)
    return { type: 'skipped', path, version, reason: 'restricted', detail: 'end-to-end encrypted' };
  // It holds nothing that could have a name here, and longer ones would wait in memory.
  if (resource.isFolder && byteLength(named.name) > maxSegmentLength)
    return { type: 'skipped', path, version, reason: 'bad_name', detail: 'a folder with a name that is too long' };
  if (resource.isFolder)
    return folder.length + 1 < maxDepth
      ? { folder: [...folder, named.name] }
      : {
          type: 'skipped',
          path,
          version,
          reason: 'bad_name',
          detail: `more than ${maxDepth} folders within each other`,
        };
  const { fileId, size, modifiedAt } = resource;
  return {
    type: 'file',
    path,
    version,
    ...(fileId === undefined ? {} : { id: fileId }),
    ...(size === undefined ? {} : { size }),
    ...(modifiedAt === undefined ? {} : { modifiedAt }),
  };
}

/** An entity tag begins with a quote, or with `W/`; what stands for one does not. */
function versionOf({ etag, modifiedAt, size }: Resource, toldAt: string | undefined, began: number): string {
  if (etag !== null) return showTag(etag);
  if (modifiedAt === undefined) return `seen ${began}`;
  return `time ${describeTime({ modifiedAt, toldAt, began })} size ${size ?? '?'}`;
}

export const showTag = (etag: string): string => (isEntityTag.test(etag) ? etag : `tag ${etag}`);
