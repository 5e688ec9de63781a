import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A feed as the example connector reads it, with a token. */
export class Feed {
  readonly token = 'feed-token-4711';
  readonly #files = new Map<string, Buffer>();
  readonly #server = createServer((request, response) => this.#answer(request, response));

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/feed.json`;
  }

  put(path: string, content: Buffer): void {
    this.#files.set(path, content);
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  move(from: string, to: string): void {
    this.put(to, this.#files.get(from) ?? Buffer.alloc(0));
    this.remove(from);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => void this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.authorization !== `Bearer ${this.token}`) return void response.writeHead(401).end();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://feed');
    const content = pathname === '/feed.json' ? this.#list() : this.#files.get(searchParams.get('path') ?? '');
    if (content === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { etag: versionOf(content), 'content-length': content.length });
    response.end(request.method === 'HEAD' ? undefined : content);
  }

  #list(): Buffer {
    const files = [...this.#files].map(([path, content]) => ({
      path,
      url: `file?path=${encodeURIComponent(path)}`,
      version: versionOf(content),
      size: content.length,
    }));
    return Buffer.from(JSON.stringify(files));
  }
}

function versionOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
