/**
 * The floor of a measurement: a store written by hand behind node:http, with the answers of the product's GET and PUT.
 * Usage: node floor-server.js FOLDER KEY DOCUMENTS BYTES
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { placeOf, textOf } from '../seed.js';
import { FloorStore } from './floor-store.js';
import type { FloorDocument } from './floor-tables.js';

const [folder = '', key = '', documents = '240', bytes = '4096'] = process.argv.slice(2);
const names = Array.from({ length: Number(documents) }, (_, number) => nameIn(placeOf(number, Number(documents), '')));
const store = await FloorStore.create(folder, key, names, textOf(0, Number(bytes)));

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = `req_${randomBytes(16).toString('hex')}`;
  const [, secret] = /^Bearer ([^ ]+)$/.exec(request.headers.authorization ?? '') ?? [];
  const name = nameIn(decodeURIComponent(request.url ?? ''));
  if (secret === undefined || !store.isKnown(secret)) {
    response.writeHead(401).end();
  } else if (request.method === 'GET') {
    const document = await store.read(name, requestId);
    if (document === undefined) response.writeHead(404).end();
    else send(response, requestId, document, document.content);
  } else {
    const { content } = JSON.parse(await readText(request)) as { content: string };
    const document = await store.update(name, request.headers['if-match'] ?? '', content, requestId);
    if (document === undefined) response.writeHead(409).end();
    else send(response, requestId, document);
  }
}

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => resolve(Buffer.concat(pieces).toString()));
    request.on('error', reject);
  });
}

function send(response: ServerResponse, requestId: string, document: FloorDocument, content?: string): void {
  const text = JSON.stringify({
    id: document.id,
    location: `docs/${document.name}`,
    name: document.name,
    version: document.version_id,
    size: 4096,
    media_type: 'text/markdown; charset=utf-8',
    kind: 'text',
    created_at: new Date(document.created_at).toISOString(),
    updated_at: new Date(document.changed_at).toISOString(),
    author: { id: 'prn_edda', kind: 'person', display_name: 'Edda' },
    role: 'editor',
    labels: [],
    claims: [],
    read_only: false,
    content,
  });
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ETag: `"${document.version_id}"`,
    'X-Request-Id': requestId,
    'X-RateLimit-Limit': '1000000',
    'X-RateLimit-Remaining': '999',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** The last part of a path. */
function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
