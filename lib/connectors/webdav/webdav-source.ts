import type { Clock } from '../../domain/clock.js';
import { downloadListed } from '../download-listed.js';
import type { HttpAnswer, HttpClient } from '../../egress/http-client.js';
import { ForbiddenFile, SourceFault, UnreadableFile, type Listing, type Source, type SourceFile } from '../source.js';
import { faultOf, isClosed } from './judge-answer.js';
import { readMultistatus, propertiesAsked, type Resource } from './read-multistatus.js';
import { decodeSegments, encodeSegments, type Segments } from './resource-name.js';
import { notFolder, showTag, walkFolders } from './walk-folders.js';

/** Of one folder's listing: about 100,000 files. */
const maxListing = 64 * 1024 * 1024;
/** Milliseconds for which the root's tag is believed. It may know nothing of storages that Nextcloud does not manage. */
const believed = 6 * 60 * 60 * 1000;
/** Files in a row that a server fails to deliver, after which it is the server that fails. */
const maxFailures = 20;

interface WebdavMeans {
  /** With `/` at its end. */
  readonly root: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly maxEntries: number;
}

/** A folder of a WebDAV server. */
export class WebdavSource implements Source {
  readonly #means: WebdavMeans;
  readonly #root: Segments;
  #failures = 0;

  constructor(means: WebdavMeans) {
    this.#means = means;
    this.#root = decodeSegments(means.root.pathname) ?? [];
  }

  async check(signal: AbortSignal): Promise<string> {
    let files = 0;
    let folders = 0;
    let isCloud = false;
    const answer = await this.#requireRoot(await this.#propfind([], '1', signal));
    for await (const resource of readMultistatus(answer.body)) {
      if (resource.isFolder) folders += 1;
      else files += 1;
      isCloud ||= resource.fileId !== undefined;
    }
    if (folders === 0) throw new SourceFault('not_found', notFolder);
    const product = isCloud ? 'Nextcloud or ownCloud' : 'WebDAV';
    return `${product}. Directly in the folder: ${count(files, 'file')}, ${count(folders - 1, 'folder')}.`;
  }

  async probe(cursor: string, signal: AbortSignal): Promise<'unchanged' | 'maybe_changed'> {
    const [time = '', tag] = cursor.split(' ', 2);
    const age = this.#means.clock.now() - Number(time);
    if (tag === undefined || !(age >= 0 && age < believed)) return 'maybe_changed';
    const answer = await this.#requireRoot(await this.#propfind([], '0', signal));
    for await (const resource of readMultistatus(answer.body))
      return propagatedTag(resource) === tag ? 'unchanged' : 'maybe_changed';
    return 'maybe_changed';
  }

  async list(_cursor: string | null, signal: AbortSignal): Promise<Listing> {
    const began = this.#means.clock.now();
    const first = await this.#requireRoot(await this.#propfind([], '1', signal));
    let tag: string | null = null;
    let isWhole = true;
    const entries = walkFolders({
      origin: this.#means.root.origin,
      root: this.#root,
      first,
      began,
      maxEntries: this.#means.maxEntries,
      open: async (folder) => this.#propfind(folder, '1', signal),
      onRoot: (resource) => (tag = propagatedTag(resource)),
      onUnreadable: () => (isWhole = false),
      fail: (answer) => faultOf(answer, this.#means.clock.now()),
    });
    return Promise.resolve({
      mode: 'snapshot',
      entries,
      cursor: () => (tag === null || !isWhole ? null : `${began} ${tag}`),
      version: () => tag,
    });
  }

  async *read(file: SourceFile, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    if (file.size !== undefined && file.size > maxBytes) throw new UnreadableFile('too_large', `${file.size} bytes`);
    const { http, root, headers } = this.#means;
    const tag = file.version.startsWith('"') ? file.version : undefined;
    const answer = await http.request({
      method: 'GET',
      url: this.#urlOf(file.path.split('/')),
      headers: { ...headers, ...(tag === undefined ? {} : { 'if-match': tag }) },
      maxBytes,
      mayFollow: ({ pathname }) => pathname.startsWith(root.pathname),
      signal,
    });
    if (answer.status !== 200 && answer.status !== 204) {
      answer.discard();
      throw this.#unreadable(answer);
    }
    this.#failures = 0;
    yield* downloadListed(answer, { file, tag, maxBytes });
  }

  async close(): Promise<void> {
    this.#means.http.close();
    return Promise.resolve();
  }

  async #propfind(folder: Segments, depth: '0' | '1', signal: AbortSignal): Promise<HttpAnswer> {
    const { http, root, headers } = this.#means;
    return http.request({
      method: 'PROPFIND',
      url: this.#urlOf(folder, '/'),
      headers: { ...headers, depth, 'content-type': 'application/xml; charset=utf-8' },
      body: propertiesAsked,
      maxBytes: maxListing,
      mayFollow: ({ pathname }) => pathname.startsWith(root.pathname),
      signal,
    });
  }

  #urlOf(path: Segments, end = ''): URL {
    const url = new URL(this.#means.root);
    url.pathname = `${encodeSegments([...this.#root, ...path])}${end}`;
    return url;
  }

  async #requireRoot(answer: HttpAnswer): Promise<HttpAnswer> {
    if (answer.status === 207) return Promise.resolve(answer);
    answer.discard();
    throw faultOf(answer, this.#means.clock.now());
  }

  /** Why a file cannot be read; or why none can. */
  #unreadable(answer: HttpAnswer): Error {
    const { status } = answer;
    if (status === 404 || status === 410) return new UnreadableFile('unreadable', 'it is gone meanwhile');
    if (status === 412) return new UnreadableFile('unreadable', 'it was changed meanwhile');
    if (status === 423) return new UnreadableFile('unreadable', 'it is locked');
    if (status === 403) return new ForbiddenFile('this account may not read it');
    const isOurs = status === 401 || status === 429 || isClosed(answer);
    if (isOurs) return faultOf(answer, this.#means.clock.now());
    this.#failures += 1;
    if (this.#failures >= maxFailures) return faultOf(answer, this.#means.clock.now());
    return new UnreadableFile('unreadable', `status ${status}`);
  }
}

/** The tag of a folder that changes with everything below it, as in Nextcloud and ownCloud. Others promise nothing. */
function propagatedTag(resource: Resource): string | null {
  return resource.fileId === undefined || resource.etag === null ? null : showTag(resource.etag);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
