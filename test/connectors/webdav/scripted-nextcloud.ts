import type { IncomingMessage, ServerResponse } from 'node:http';
import { ScriptedServer, type Asked } from '../../support/connectors/scripted-server.js';
import type { Remote } from '../remote.js';

const username = 'ann';
const password = 'app-token äöü';
const root = '/remote.php/dav/files/ann';

interface Node {
  readonly id: number;
  etag: string;
  modifiedAt: number;
  content: Buffer | null;
  readonly children: Map<string, Node>;
}

/** Answers in place of the server. */
export type Answer = (response: ServerResponse) => void;

/**
 * A server that speaks WebDAV as Nextcloud documents it: ids that stay, tags that go up to the root with each change, a
 * trash bin elsewhere, 503 in maintenance.
 */
export class ScriptedNextcloud implements Remote {
  readonly #server: ScriptedServer;
  readonly #root: Node;
  #count = 0;
  #isOpen = true;
  readonly secret = password;
  /** By method and path, such as `GET a/b.md`. */
  readonly answers = new Map<string, Answer>();
  /** Properties of a path that others lack. */
  readonly properties = new Map<string, string>();
  hasTags = true;
  /** Milliseconds since 1970 by its clock, which its files and answers then have in whole seconds. Left out: each change is a minute later, and the answers have the machine's. */
  now: number | undefined;

  private constructor(server: ScriptedServer) {
    this.#server = server;
    this.#root = this.#make(null);
    server.script = (request, response) => this.#answer(request, response);
  }

  static async open(): Promise<ScriptedNextcloud> {
    return new ScriptedNextcloud(await ScriptedServer.open(() => undefined));
  }

  get settings(): { url: string; username: string } {
    return { url: this.#server.url(root).href, username };
  }

  get allowance(): { hosts: string[] } {
    return { hosts: [this.#server.host] };
  }

  get asked(): readonly Asked[] {
    return this.#server.asked;
  }

  async put(path: string, content: Buffer): Promise<void> {
    const [folder, name] = this.#folderOf(path, true);
    const file = folder.children.get(name) ?? this.#make(content);
    file.content = content;
    folder.children.set(name, file);
    this.#touch(path);
    return Promise.resolve();
  }

  async remove(path: string): Promise<void> {
    const [folder, name] = this.#folderOf(path, false);
    folder.children.delete(name);
    this.#touch(path);
    return Promise.resolve();
  }

  async move(from: string, to: string): Promise<void> {
    const [folder, name] = this.#folderOf(from, false);
    const node = folder.children.get(name);
    if (node === undefined) throw new Error(`${from} is absent`);
    folder.children.delete(name);
    const [target, newName] = this.#folderOf(to, true);
    target.children.set(newName, node);
    this.#touch(from);
    this.#touch(to, false);
    return Promise.resolve();
  }

  async publish(): Promise<void> {
    return Promise.resolve();
  }

  async vanish(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    if (this.#isOpen) await this.#server.close();
    this.#isOpen = false;
  }

  #make(content: Buffer | null): Node {
    this.#count += 1;
    return { id: this.#count, etag: `e${this.#count}`, modifiedAt: 1_700_000_000_000, content, children: new Map() };
  }

  #folderOf(path: string, isMade: boolean): [Node, string] {
    const names = path.split('/');
    const last = names.pop() ?? '';
    let folder = this.#root;
    for (const name of names) {
      let next = folder.children.get(name);
      if (next === undefined) {
        if (!isMade) throw new Error(`${path} is absent`);
        folder.children.set(name, (next = this.#make(null)));
      }
      folder = next;
    }
    return [folder, last];
  }

  /** A change gives the file and every folder above it another tag. */
  #touch(path: string, withFile = true): void {
    this.#count += 1;
    const names = path.split('/');
    let node: Node | undefined = this.#root;
    for (const name of [...names, '']) {
      if (node === undefined || (node.content !== null && !withFile)) return;
      node.etag = `e${this.#count}`;
      node.modifiedAt = this.now ?? node.modifiedAt + 60_000;
      node = node.children.get(name);
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="Nextcloud"' }).end();
      return;
    }
    if (this.now !== undefined) response.setHeader('date', new Date(this.now).toUTCString());
    const { pathname } = new URL(request.url ?? '', 'http://x');
    const names = pathname.slice(root.length).split('/').filter(Boolean).map(decodeURIComponent);
    const scripted = this.answers.get(`${request.method} ${names.join('/')}`);
    if (scripted !== undefined) return scripted(response);
    let node: Node | undefined = this.#root;
    for (const name of names) node = node?.children.get(name);
    if (node === undefined || !pathname.startsWith(root)) response.writeHead(404).end();
    else if (request.method === 'PROPFIND') this.#list(request, response, names, node);
    else this.#send(request, response, node);
  }

  #send(request: IncomingMessage, response: ServerResponse, { content, etag }: Node): void {
    const match = request.headers['if-match'];
    if (content === null || request.method !== 'GET') response.writeHead(405).end();
    else if (match !== undefined && match !== `"${etag}"`) response.writeHead(412).end();
    else response.writeHead(200, this.hasTags ? { etag: `"${etag}"` } : {}).end(content);
  }

  #list(request: IncomingMessage, response: ServerResponse, names: readonly string[], node: Node): void {
    const described = [this.#describe(names, node)];
    if (request.headers['depth'] === '1')
      for (const [name, child] of node.children) described.push(this.#describe([...names, name], child));
    response.writeHead(207, { 'content-type': 'application/xml; charset=utf-8' }).end(multistatus(described));
  }

  #describe(names: readonly string[], { id, etag, modifiedAt, content }: Node): string {
    const path = names.join('/');
    const tag = this.hasTags ? `<d:getetag>&quot;${etag}&quot;</d:getetag><oc:fileid>${id}</oc:fileid>` : '';
    const time = `<d:getlastmodified>${new Date(modifiedAt).toUTCString()}</d:getlastmodified>`;
    const type = content === null ? '<d:resourcetype><d:collection/></d:resourcetype>' : '<d:resourcetype/>';
    const size = content === null ? '' : `<d:getcontentlength>${content.length}</d:getcontentlength>`;
    const href = `${root}${names.map((name) => `/${encodeURIComponent(name)}`).join('')}${content === null ? '/' : ''}`;
    return response207(href, `${tag}${time}${type}${size}${this.properties.get(path) ?? ''}`);
  }
}

/** One response in a multistatus. */
export function response207(href: string, properties: string): string {
  const missing =
    '<d:propstat><d:prop><nc:is-encrypted/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>';
  return `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${properties}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>${missing}</d:response>`;
}

export function multistatus(responses: readonly string[]): string {
  const names =
    'xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"';
  return `<?xml version="1.0"?>\n<d:multistatus ${names}>${responses.join('')}</d:multistatus>`;
}
