import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask, makeFolder, timeout, runProgram, tidyUp } from '../support/processes/run-program.js';
import { until } from '../support/until.js';
import { McpClient } from '../support/http/open-mcp.js';
import { findTraces } from '../support/store/evidence.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));

/** The way by which a word came in. */
const words = [
  'namedsecret',
  'restsecret',
  'rawsecret',
  'mcpsecret',
  'asidesecret',
  'labelsecret',
  'commentsecret',
  'purposesecret',
  'messagesecret',
] as const;
const [name, ...contents] = words;
const location = `handbook/${name}-plan.md`;

describe('a service that served, searched, read and wrote a document on two faces, and erased it,', function () {
  this.timeout(timeout);
  let folder: string;
  let data: string;
  let service: ChildProcess;
  let url = '';
  let key = '';
  /** All output of the process: its log. */
  let log = '';
  /** Words still in a heap, before the erase and after it. */
  const inHeap: Record<'before' | 'after', string[]> = { before: [], after: [] };

  let serial = 0;

  before(async () => {
    folder = await makeFolder();
    data = join(folder, 'data');
    ({ key } = await ask<{ key: string }>('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada'));
    // More is asked than a key may ask in so short a time.
    await ask('policy', 'set', 'burst', '10000', '--data', data);
    const node = ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${folder}`];
    service = spawn(process.execPath, [...node, program, 'serve', '--data', data, '--port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [service.stdout, service.stderr])
      stream?.setEncoding('utf8').on('data', (piece: string) => (log += piece));
    const line = await until('it serves', () => /^\{.*"url".*\}$/m.exec(log)?.[0]);
    ({ url } = JSON.parse(line) as { url: string });

    await useIt();
    inHeap.before = await lookIntoHeap();
    const looked = await runProgram(['erase', location, '--yes', `${name}-plan.md`, '--data', data, '--json']);
    const { details } = (JSON.parse(looked.stdout) as { error: { details: Record<string, string> } }).error;
    const document = ['--document', details['document'] ?? ''];
    await ask('erase', location, ...document, '--yes', `${name}-plan.md`, '--data', data);
    // The state kept from the last request of a kind is replaced by that of another.
    for (const target of [
      'documents/handbook/other.md',
      'search?q=other',
      'folders',
      'history?location=handbook/other.md',
    ])
      await done('GET', `/v1/${target}`);
    assert.equal((await send('GET', `/v1/documents/handbook/other.md`)).status, 200);
    inHeap.after = await lookIntoHeap();
  });
  after(async () => {
    const closed = once(service, 'close');
    service.kill();
    await closed;
    await tidyUp();
  });

  it('holds none of its words in memory', () => {
    for (const word of ['restsecret', 'rawsecret', 'mcpsecret'])
      assert.ok(inHeap.before.includes(word), `what is remembered shows in the heap: ${word}`);
    assert.deepEqual(inHeap.after, []);
  });

  it('has none of its words in a file', () => {
    assert.deepEqual(findTraces(data, words), []);
  });

  it('wrote lines of the kinds of its requests, never a name, a query or a text', () => {
    const lines = log.split('\n').filter((line) => line.includes('"route"'));
    assert.ok(lines.length > 100, log.slice(0, 1000));
    for (const route of ['/v1/documents/{location}', '/v1/search', '/v1/comments', '/mcp'])
      assert.ok(
        lines.some((line) => line.includes(`"${route}"`)),
        route,
      );
    for (const word of [...contents, name, 'handbook', '?']) assert.ok(!log.includes(word), word);
  });

  async function send(method: string, target: string, body?: unknown, headers: Record<string, string> = {}) {
    serial += 1;
    const response = await fetch(`${url}${target}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(method === 'POST' ? { 'Idempotency-Key': `key-${serial}` } : {}),
        ...(method === 'PUT' ? { 'If-Match': '*' } : {}),
        'Content-Type': typeof body === 'string' ? 'application/octet-stream' : 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer: Answer = {
      status: response.status,
      etag: response.headers.get('etag') ?? '',
      text: await response.text(),
    };
    assert.ok(answer.status < 500, `${method} ${target}: ${answer.text}`);
    return answer;
  }

  async function done(...request: Parameters<typeof send>): Promise<Answer> {
    const answer = await send(...request);
    assert.ok(answer.status < 300, `${request[0]} ${request[1]}: ${answer.text}`);
    return answer;
  }

  /** By every kind of request that keeps data for a while. */
  async function useIt(): Promise<void> {
    const document = `/v1/documents/${location}`;
    const named = `location=${encodeURIComponent(location)}`;
    const made = {
      location,
      content: `# Plan\n\nA restsecret here.\n\n## Part\n\nMore of it.\n`,
      labels: ['labelsecret'],
    };
    const first = await done('POST', '/v1/documents', made, { 'Idempotency-Key': 'made' });
    await done('POST', '/v1/documents', made, { 'Idempotency-Key': 'made' });
    await done('POST', '/v1/documents', { location: 'handbook/other.md', content: 'Other words.' });
    await done('PUT', document, `# Plan\n\nThen a rawsecret.\n\n## Part\n\nMore of it, and a restsecret.\n`);
    await send('PUT', document, { content: 'asidesecret' }, { 'If-Match': first.etag });
    await done('POST', '/v1/comments', { location, text: 'commentsecret', passage: { quote: 'rawsecret' } });
    await done('POST', '/v1/claims', { location, purpose: 'purposesecret' });
    const client = new McpClient(url, key);
    const call = async (tool: string, input: object): Promise<McpClient> => {
      const { refusal, text } = await client.call(tool, input);
      assert.equal(refusal, '', text);
      return client;
    };
    const { commit } = (await client.call('read_org_doc', { location })).done as { commit: string };
    const edits = [{ old_text: 'More of it, and', new_text: 'A mcpsecret, and' }];
    await call('edit_org_doc', { location, expected_commit: commit, edits });
    for (let round = 0; round < 3; round += 1) {
      const { etag } = await done('GET', document);
      await done('GET', document, undefined, { Accept: 'application/octet-stream' });
      await send('GET', document, undefined, { 'If-None-Match': etag });
      await done('HEAD', document);
      await done('GET', `${document}?version=${first.etag.slice(1, -1)}`);
      for (const page of [
        'documents?location=handbook',
        'folders',
        'grants?location=handbook',
        'claims?location=handbook',
      ])
        await send('GET', `/v1/${page}`);
      for (const page of ['history', 'diffs', 'labels', 'comments']) await done('GET', `/v1/${page}?${named}`);
      // A search for a whole word of the document is on record for good; a part of the word shows the kept data as
      // well.
      for (const query of [`${name}-plan.md`, ...contents.map((word) => `${word.slice(0, -3)}*`)]) {
        const { text } = await done('GET', `/v1/search?q=${query}`);
        if (query.startsWith('rests')) assert.match(text, /restsecret/);
        await call('search_org_knowledge', { query });
      }
      await call('read_org_doc', { location });
      await call('read_org_doc', { location, section: 'Part' });
      await call('list_org_docs', { location: 'handbook' });
      await call('who_can_read', { location });
      await call('claim', { action: 'list', location });
      await call('brief_me', {});
      await call('message', { action: 'list' });
      await send('GET', `/v1/nothing/${location}?q=${name}`);
      await send('GET', `/v1/folders?${name}=1`);
    }
  }

  /** Words in the process, as far as its heap goes; the snapshot follows a collection of garbage. */
  async function lookIntoHeap(): Promise<string[]> {
    const snapshots = (): string[] => readdirSync(folder).filter((file) => file.endsWith('.heapsnapshot'));
    service.kill('SIGUSR2');
    const file = join(folder, await until('there is a snapshot', () => snapshots()[0], timeout));
    let size = -1;
    await until('it is written no further', async () => {
      const before = size;
      ({ size } = statSync(file));
      await delay(50);
      return size > 0 && size === before;
    });
    const bytes = await until('it is whole', () => {
      const read = readFileSync(file);
      return read.subarray(-4).toString().trimEnd().endsWith(']}') && read;
    });
    rmSync(file);
    return words.filter((word) => bytes.includes(word));
  }
});

/** The answer to a request, which must not be a failure of the service. */
interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}
