import { sortBySubject } from '../support/model/canonicalize-answers.js';
import type { HttpAnswer, HttpClient } from '../support/http/server.js';
import type { Face, Question } from '../support/model/face.js';

/** Asks over HTTP. The answer is the status line, the headers and every byte of the body. */
export class HttpFace implements Face {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  async ask(question: Question): Promise<string> {
    switch (question.does) {
      case 'read':
        return this.#readInEachForm(question.path);
      case 'read-version':
        return show(await this.#client.get(`${pathOf(question.path)}?version=${question.version}`));
      case 'create':
        return show(await this.#client.create(question.path));
      case 'update':
        return show(
          await this.#client.put(pathOf(question.path), { content: 'text' }, { 'If-Match': question.ifMatch }),
        );
      case 'delete':
        return show(await this.#client.delete(pathOf(question.path), { 'If-Match': question.ifMatch }));
      case 'undelete':
        return show(await this.#client.post('/v1/undeletes', { location: question.path }));
      case 'create-folder':
        return show(await this.#client.post('/v1/folders', { location: question.path }));
      case 'rename': {
        const { path: location, name } = question;
        return show(await this.#client.post('/v1/renames', { location, name, ...acknowledge(question) }));
      }
      case 'move': {
        const { path: location, folder } = question;
        return show(await this.#client.post('/v1/moves', { location, to_folder: folder, ...acknowledge(question) }));
      }
      case 'list':
        return this.#pages(`/v1/documents?location=${encodeURIComponent(question.folder)}&limit=${question.limit}`);
      case 'list-folders':
        return this.#pages(`/v1/folders?location=${encodeURIComponent(question.folder)}&limit=${question.limit}`);
      case 'export':
        return show(await this.#client.get(`/v1/folders/export?location=${encodeURIComponent(question.folder)}`));
      case 'search': {
        const { query, folder, limit } = question;
        const asked = new URLSearchParams({ q: query, location: folder, limit: String(limit) });
        return this.#pages(`/v1/search?${asked.toString()}`);
      }
      case 'history':
        return this.#pages(`/v1/history?location=${encodeURIComponent(question.path)}&limit=${question.limit}`);
      case 'diff':
        return show(await this.#client.get(`/v1/diffs?location=${encodeURIComponent(question.path)}`));
      case 'labels':
        return show(await this.#client.post('/v1/labels', { location: question.path, labels: ['label'] }));
      case 'claims':
        return this.#pages(`/v1/claims?location=${encodeURIComponent(question.folder)}&limit=${question.limit}`);
      case 'claim':
        return show(await this.#client.post('/v1/claims', { location: question.path, purpose: 'work' }));
      case 'comments':
        return this.#pages(`/v1/comments?location=${encodeURIComponent(question.path)}&limit=${question.limit}`);
      case 'comment':
        return show(await this.#client.post('/v1/comments', { location: question.path, text: 'why?' }));
      case 'comment-on-passage': {
        const { path: location, mention } = question;
        const body = { location, text: 'why?', mentions: [mention], passage: { quote: 'content' } };
        return show(await this.#client.post('/v1/comments', body));
      }
      case 'restore': {
        const location = question.path;
        const history = await this.#client.get(`/v1/history?location=${encodeURIComponent(location)}&limit=50`);
        const { items = [] } = history.json as { items?: { type: string; version?: { id: string } }[] };
        const version = items.findLast(({ type }) => type === 'version')?.version?.id ?? '0'.repeat(40);
        return show(await this.#client.post('/v1/restores', { location, version }, { 'If-Match': '*' }));
      }
      case 'delete-folder':
        return show(await this.#client.post('/v1/folder-deletions', { location: question.folder }));
      case 'undelete-folder':
        return show(await this.#client.post('/v1/folder-undeletes', { location: question.folder }));
      case 'break-claim':
        return this.#breakClaim(question.path);
      case 'preview-revert': {
        const asked = new URLSearchParams({ location: question.folder, principal_id: question.principal, since: dawn });
        return this.#pages(`/v1/reverts?${asked.toString()}&limit=2`);
      }
      case 'revert': {
        const doings = { location: question.folder, principal_id: question.principal, since: dawn };
        const { json } = await this.#client.get(`/v1/reverts?${new URLSearchParams(doings).toString()}&limit=1`);
        const { preview = '0'.repeat(64) } = json as { preview?: string };
        return show(await this.#client.post('/v1/reverts', { ...doings, preview }));
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
        return this.#pages(`/v1/grants?scope_type=${question.scope}&scope_id=${question.path}&inherited=true`);
      case 'grant': {
        const { scope, path, subject, role } = question;
        return show(await this.#client.post('/v1/grants', { scope_type: scope, scope_id: path, subject, role }));
      }
      case 'revoke': {
        const { scope, path, subject, role } = question;
        const query = `subject_type=${subject.type}&subject_id=${subject.id}&role=${role}`;
        return show(await this.#client.delete(`/v1/grants?scope_type=${scope}&scope_id=${path}&${query}`));
      }
    }
  }

  /** The record, the bytes as they are and compressed, and a part of them. */
  async #readInEachForm(location: string): Promise<string> {
    const file = pathOf(location).replace('/v1/documents/', '/v1/files/');
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
    const claims = await this.#client.get(`/v1/claims?location=${encodeURIComponent(location)}&limit=1`);
    const { items = [] } = claims.json as { items?: { id: string }[] };
    return show(await this.#client.post('/v1/claim-breaks', { location, id: items[0]?.id ?? 'clm_none' }));
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

/** Before everything. */
const dawn = '1970-01-01T00:00:00Z';
const pathOf = (path: string): string => `/v1/documents/${path.split('/').map(encodeURIComponent).join('/')}`;
const acknowledge = ({ acknowledged }: { readonly acknowledged: boolean }): object =>
  acknowledged ? { acknowledge_access_change: true } : {};

/** Everything but the time of the wall clock, which always differs between the two workspaces. */
function show({ status, headers, bytes, json }: HttpAnswer): string {
  const { date: _, ...rest } = headers;
  const body = bytes.toString('latin1');
  return `${status} ${JSON.stringify(rest)}\n${json === undefined ? body : sortBySubject(body)}`;
}
