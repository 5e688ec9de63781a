import { randomUUID } from 'node:crypto';

/** The API's answer. */
export interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly bytes: Buffer;
}

interface Page {
  readonly items: readonly { readonly location: string; readonly kind?: string }[];
  readonly next_cursor: string | null;
}

/** The API as an application would use it: fetch, one key, and nothing of the project's own code. */
export class Api {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async send(method: string, target: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#url}${target}`, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, etag: response.headers.get('ETag') ?? '', bytes };
  }

  /** The bytes as they are stored. */
  read(location: string): Promise<Answer> {
    return this.send('GET', documentTarget(location), { Accept: 'application/octet-stream' });
  }

  post(target: string, body: unknown, retryKey: string = randomUUID()): Promise<Answer> {
    return this.send('POST', target, { 'Idempotency-Key': retryKey }, body);
  }

  put(location: string, content: string, ifMatch: string): Promise<Answer> {
    return this.send('PUT', documentTarget(location), { 'If-Match': ifMatch }, { content });
  }

  delete(location: string, ifMatch: string): Promise<Answer> {
    return this.send('DELETE', documentTarget(location), { 'If-Match': ifMatch });
  }

  /** Locations of all documents in a folder and below it, found as by a client: level by level, page by page. */
  async walk(folder: string): Promise<string[]> {
    const [documents, folders] = await Promise.all([
      this.#list('/v1/documents', folder),
      this.#list('/v1/folders', folder),
    ]);
    const below: string[][] = [];
    for (const each of folders) below.push(await this.walk(each));
    return [...documents, ...below.flat()];
  }

  async #list(target: string, folder: string): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ location: folder, limit: '100', ...(cursor === null ? {} : { cursor }) });
      const { status, bytes } = await this.send('GET', `${target}?${query.toString()}`);
      if (status !== 200) throw new Error(`${target} of ${folder}: ${status} ${bytes.toString()}`);
      const page = JSON.parse(bytes.toString()) as Page;
      found.push(...page.items.map(({ location }) => location));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  }
}

function documentTarget(location: string): string {
  return `/v1/documents/${location.split('/').map(encodeURIComponent).join('/')}`;
}
