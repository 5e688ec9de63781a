import { sortBySubject } from '../support/model/canonicalize-answers.js';
import type { OutgoingHttpHeaders } from 'node:http';
import type { HttpAnswer, HttpClient } from '../support/http/server.js';
import type { Face, Question } from '../support/model/face.js';

/** Speaks for one caller. */
export interface Client {
  get(path: string, headers?: OutgoingHttpHeaders): Promise<HttpAnswer>;
  head(path: string, headers?: OutgoingHttpHeaders): Promise<HttpAnswer>;
  post(path: string, body: unknown, headers?: OutgoingHttpHeaders): Promise<HttpAnswer>;
  put(path: string, body: unknown, headers?: OutgoingHttpHeaders): Promise<HttpAnswer>;
  delete(path: string, headers?: OutgoingHttpHeaders): Promise<HttpAnswer>;
}

/** Asks over HTTP. The answer is the status line, the headers and every byte of the body. */
export class HttpFace implements Face {
  readonly #client: Client;
  readonly #isConsole: boolean;

  /** @param client whose paths have no prefix; @param isConsole whether the rows of the console alone are there */
  constructor(client: Client, isConsole: boolean) {
    this.#client = client;
    this.#isConsole = isConsole;
  }

  async ask(question: Question): Promise<string> {
    const answer = await this.#ask(question);
    return this.#isConsole ? [answer, ...(await this.#askConsole(question))].join('\n') : answer;
  }

  async #ask(question: Question): Promise<string> {
    switch (question.does) {
      case 'read':
        return this.#readInEachForm(question.path);
      case 'read-version':
        return show(await this.#client.get(`${pathOf(question.path)}?version=${question.version}`));
      case 'create':
        return show(await this.#client.post('/documents', { location: question.path, content: 'text' }));
      case 'update':
        return show(
          await this.#client.put(pathOf(question.path), { content: 'text' }, { 'If-Match': question.ifMatch }),
        );
      case 'delete':
        return show(await this.#client.delete(pathOf(question.path), { 'If-Match': question.ifMatch }));
      case 'undelete':
        return show(await this.#client.post('/undeletes', { location: question.path }));
      case 'create-folder':
        return show(await this.#client.post('/folders', { location: question.path }));
      case 'rename': {
        const { path: location, name } = question;
        return show(await this.#client.post('/renames', { location, name, ...acknowledge(question) }));
      }
      case 'move': {
        const { path: location, folder } = question;
        return show(await this.#client.post('/moves', { location, to_folder: folder, ...acknowledge(question) }));
      }
      case 'list':
        return this.#pages(`/documents?location=${encodeURIComponent(question.folder)}&limit=${question.limit}`);
      case 'list-folders':
        return this.#pages(`/folders?location=${encodeURIComponent(question.folder)}&limit=${question.limit}`);
      case 'export':
        return show(await this.#client.get(`/folders/export?location=${encodeURIComponent(question.folder)}`));
      case 'search': {
        const { query, folder, limit } = question;
        const asked = new URLSearchParams({ q: query, location: folder, limit: String(limit) });
        const byWords = await this.#pages(`/search?${asked.toString()}`);
        const plain = new URLSearchParams({ q: query.replaceAll('"', ''), location: folder, limit: String(limit) });
        const exact = await this.#pages(`/search/lines?match=exact&${plain.toString()}`);
        return [byWords, exact, await this.#pages(`/search/lines?match=pattern&${plain.toString()}`)].join('\n');
      }
      case 'history':
        return this.#pages(`/history?location=${encodeURIComponent(question.path)}&limit=${question.limit}`);
      case 'diff':
        return show(await this.#client.get(`/diffs?location=${encodeURIComponent(question.path)}`));
      case 'labels':
        return show(await this.#client.post('/labels', { location: question.path, labels: ['label'] }));
      case 'claims':
        return this.#pages(`/claims?location=${encodeURIComponent(question.folder)}&limit=${question.limit}`);
      case 'claim':
        return show(await this.#client.post('/claims', { location: question.path, purpose: 'work' }));
      case 'comments':
        return this.#pages(`/comments?location=${encodeURIComponent(question.path)}&limit=${question.limit}`);
      case 'comment':
        return show(await this.#client.post('/comments', { location: question.path, text: 'why?' }));
      case 'comment-on-passage': {
        const { path: location, mention } = question;
        const body = { location, text: 'why?', mentions: [mention], passage: { quote: 'content' } };
        return show(await this.#client.post('/comments', body));
      }
      case 'restore': {
        const location = question.path;
        const history = await this.#client.get(`/history?location=${encodeURIComponent(location)}&limit=50`);
        const { items = [] } = history.json as { items?: { type: string; version?: { id: string } }[] };
        const version = items.findLast(({ type }) => type === 'version')?.version?.id ?? '0'.repeat(40);
        return show(await this.#client.post('/restores', { location, version }, { 'If-Match': '*' }));
      }
      case 'delete-folder':
        return show(await this.#client.post('/folder-deletions', { location: question.folder }));
      case 'undelete-folder':
        return show(await this.#client.post('/folder-undeletes', { location: question.folder }));
      case 'break-claim':
        return this.#breakClaim(question.path);
      case 'preview-revert': {
        const asked = new URLSearchParams({ location: question.folder, principal_id: question.principal, since: dawn });
        return this.#pages(`/reverts?${asked.toString()}&limit=2`);
      }
      case 'revert': {
        const doings = { location: question.folder, principal_id: question.principal, since: dawn };
        const { json } = await this.#client.get(`/reverts?${new URLSearchParams(doings).toString()}&limit=1`);
        const { preview = '0'.repeat(64) } = json as { preview?: string };
        return show(await this.#client.post('/reverts', { ...doings, preview }));
      }
      case 'readers':
      case 'release':
      case 'claim-and-release':
      case 'brief':
      case 'send':
      case 'mail':
      case 'resource':
      case 'resources':
      case 'browse':
      case 'trash':
        return 'not a route';
      case 'list-grants':
        return this.#pages(`/grants?scope_type=${question.scope}&scope_id=${question.path}&inherited=true`);
      case 'grant': {
        const { scope, path, subject, role } = question;
        return show(await this.#client.post('/grants', { scope_type: scope, scope_id: path, subject, role }));
      }
      case 'revoke': {
        const { scope, path, subject, role } = question;
        const query = `subject_type=${subject.type}&subject_id=${subject.id}&role=${role}`;
        return show(await this.#client.delete(`/grants?scope_type=${scope}&scope_id=${path}&${query}`));
      }
    }
  }

  /** Rows of the console alone. */
  async #askConsole(question: Question): Promise<string[]> {
    const one = async (target: string): Promise<string> => show(await this.#client.get(target));
    const { does } = question;
    if (does === 'read') {
      const place = `location=${encodeURIComponent(question.path)}`;
      const reader = pathOf(question.path).replace('/documents/', '/reader/');
      return [await one(reader), await one(`/annotations?${place}`), await one(`/live?${place}`)];
    }
    if (does === 'readers') {
      const place = `location=${encodeURIComponent(question.path)}`;
      const readers = await this.#pages(`/readers?${place}&limit=${question.limit}`);
      return [readers, await one(`/sharing?${place}`), await one('/subjects?text=o')];
    }
    if (does === 'list-grants') {
      return [await this.#pages(`/shares?scope_type=${question.scope}&scope_id=${question.path}`)];
    }
    if (does === 'list-folders') {
      const place = `location=${encodeURIComponent(question.folder)}`;
      return [await this.#pages(`/move-targets?${place}&limit=${question.limit}`), await one(`/live?${place}`)];
    }
    if (does === 'trash') return [await this.#pages(`/trash?${placeOf(question)}`)];
    if (does !== 'browse') return [];
    const orders = ['name', 'name-down', 'newest', 'oldest'];
    return Promise.all(orders.map((sort) => this.#pages(`/entries?${placeOf(question)}&sort=${sort}`)));
  }

  /** The record, the bytes as they are and compressed, and a part of them. */
  async #readInEachForm(location: string): Promise<string> {
    const file = pathOf(location).replace('/documents/', '/files/');
    const answers = [
      await this.#client.get(pathOf(location)),
      await this.#client.get(file),
      await this.#client.head(file, { 'Accept-Encoding': 'gzip' }),
      await this.#client.get(file, { Range: 'bytes=3-' }),
    ];
    return answers.map(show).join('\n');
  }

  /** The oldest visible claim on it, or an id without a claim. */
  async #breakClaim(location: string): Promise<string> {
    const claims = await this.#client.get(`/claims?location=${encodeURIComponent(location)}&limit=1`);
    const { items = [] } = claims.json as { items?: { id: string }[] };
    return show(await this.#client.post('/claim-breaks', { location, id: items[0]?.id ?? 'clm_none' }));
  }

  async #pages(target: string): Promise<string> {
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await this.#client.get(cursor === '' ? target : `${target}&cursor=${cursor}`);
      pages.push(show(answer));
      cursor = answer.status === 200 ? (answer.json as { next_cursor: string | null }).next_cursor : null;
    }
    return pages.join('\n');
  }
}

/** A client of REST, as `HttpFace` takes it. */
export function belowV1(client: HttpClient): Client {
  return {
    get: (path, headers) => client.get(`/v1${path}`, headers),
    head: (path, headers) => client.head(`/v1${path}`, headers),
    post: (path, body, headers) => client.post(`/v1${path}`, body, headers),
    put: (path, body, headers) => client.put(`/v1${path}`, body, headers),
    delete: (path, headers) => client.delete(`/v1${path}`, headers),
  };
}

/** Before everything. */
const dawn = '1970-01-01T00:00:00Z';
const pathOf = (path: string): string => `/documents/${path.split('/').map(encodeURIComponent).join('/')}`;
const placeOf = ({ folder, limit }: { readonly folder: string; readonly limit: number }): string =>
  `${folder === '' ? '' : `location=${encodeURIComponent(folder)}&`}limit=${limit}`;
const acknowledge = ({ acknowledged }: { readonly acknowledged: boolean }): object =>
  acknowledged ? { acknowledge_access_change: true } : {};

/** @returns everything but the time of the wall clock and the workspace's name, which differ between the two workspaces. */
export function show({ status, headers, bytes, json }: HttpAnswer): string {
  // The time of the work counts, too, and that differs each time.
  const { date: _, 'x-ratelimit-remaining': __, ...rest } = headers;
  const body = bytes.toString('latin1');
  const lines = JSON.stringify(rest).replace(/\/workspaces\/[a-z0-9-]+\//, '/workspaces/NAME/');
  return `${status} ${lines}\n${json === undefined ? body : sortBySubject(body)}`;
}
