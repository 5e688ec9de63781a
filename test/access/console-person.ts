import assert from 'node:assert/strict';
import type { Code } from '../../lib/domain/code.js';
import type { Document } from '../../lib/domain/document.js';
import type { Subject } from '../../lib/domain/grant.js';
import { operatorId } from '../../lib/domain/principal.js';
import type { Reason } from '../../lib/domain/reason.js';
import { notFound, Refusal } from '../../lib/domain/refusal.js';
import type { RefusalDetails } from '../../lib/domain/refusal-details.js';
import type { Role } from '../../lib/domain/role.js';
import type { ConsoleClient, TestConsole } from '../support/http/console.js';
import type { HttpAnswer } from '../support/http/server.js';
import { Person } from '../support/model/actors.js';
import type { SeenPage } from '../support/model/feed-mirror.js';
import { Client } from '../support/store/client.js';
import type { TestService } from '../support/store/service.js';

const encode = encodeURIComponent;
const pathOf = (start: string, location: string): string => `${start}/${location.split('/').map(encode).join('/')}`;

/** A person who does everything that has a row in the console there, in a session of their own. */
export class ConsolePerson extends Person {
  readonly #test: TestConsole;
  readonly #service: TestService;
  #session: Promise<ConsoleClient> | undefined;

  constructor(test: TestConsole, service: TestService, id: string) {
    super(service.workspace, id);
    this.#test = test;
    this.#service = service;
  }

  /** @throws Refusal made of the answer; NOT_FOUND for a disabled person, whose sessions have ended */
  async #ask(ask: (client: ConsoleClient) => Promise<HttpAnswer>): Promise<HttpAnswer> {
    const before = this.#session;
    let answer = before === undefined ? undefined : await ask(await before);
    if (answer === undefined || answer.status === 401) {
      if (this.workspace.journal.reader.principals.find(this.id)?.disabledAt !== null) throw notFound();
      // Questions at the same time share a session.
      if (this.#session === before) {
        this.#session = this.#test.signInAs(this.id, `${this.id}@example.org`, this.#service.workspace);
      }
      answer = await ask((await this.#session) ?? assert.fail('nobody signed in'));
    }
    if (answer.status < 400) return answer;
    const { code, message, details } = answer.json.error as {
      readonly code: Code;
      readonly message: string;
      readonly details?: { readonly reason: Reason };
    };
    assert.notEqual(code, 'UNAUTHENTICATED');
    throw new Refusal(code, message, details === undefined ? {} : { details: details as RefusalDetails });
  }

  #record(location: string): Promise<Document> {
    return new Client(this.workspace, operatorId).record(location);
  }

  override async create(location: string, content = 'text'): Promise<Document> {
    await this.#ask((client) => client.post('/documents', { location, content }));
    return this.#record(location);
  }

  override async update(location: string, content: string): Promise<Document> {
    await this.#ask((client) => client.put(pathOf('/documents', location), { content }));
    return this.#record(location);
  }

  override async delete(location: string): Promise<void> {
    await this.#ask((client) => client.delete(pathOf('/documents', location)));
  }

  override async undelete(location: string): Promise<Document> {
    await this.#ask((client) => client.post('/undeletes', { location }));
    return this.#record(location);
  }

  override async createFolder(location: string): Promise<void> {
    await this.#ask((client) => client.post('/folders', { location }));
  }

  override async rename(location: string, name: string, acknowledged = false) {
    const body = { location, name, ...(acknowledged ? { acknowledge_access_change: true } : {}) };
    return (await this.#ask((client) => client.post('/renames', body))).json as never;
  }

  override async move(location: string, toFolder: string, acknowledged = false) {
    const body = { location, to_folder: toFolder, ...(acknowledged ? { acknowledge_access_change: true } : {}) };
    return (await this.#ask((client) => client.post('/moves', body))).json as never;
  }

  override async grant(role: Role, subject: Subject, location: string, scopeType = 'folder'): Promise<void> {
    const body = { scope_type: scopeType, scope_id: location, subject, role };
    await this.#ask((client) => client.post('/grants', body));
  }

  override async revoke(role: Role, { type, id }: Subject, location: string, scopeType = 'folder'): Promise<void> {
    const scope = { scope_type: scopeType, scope_id: location };
    const query = new URLSearchParams({ ...scope, subject_type: type, subject_id: id, role });
    await this.#ask((client) => client.delete(`/grants?${query.toString()}`));
  }

  /** The record and the file, which are the same text. */
  override async read(location: string): Promise<string> {
    const file = await this.#ask((client) => client.get(pathOf('/files', location))).catch((error: unknown) => error);
    const record = await this.#ask((client) => client.get(pathOf('/documents', location)));
    assert.equal((file as HttpAnswer).text, record.json.content);
    return record.json.content;
  }

  override async changes(cursor: string): Promise<SeenPage> {
    const from = cursor === '' ? '' : `&cursor=${encode(cursor)}`;
    const { json } = await this.#ask((client) => client.get(`/changes?limit=4${from}`));
    return { items: json.items, next: json.next_cursor };
  }

  /** Folders and documents by themselves, and in one list where the folder can be browsed. */
  override async list(folder = ''): Promise<string[]> {
    const [folders, documents, entries] = [
      await this.#names(`/folders?location=${encode(folder)}&limit=100`),
      await this.#names(`/documents?location=${encode(folder)}&limit=100`),
      await this.#names(`/entries?location=${encode(folder)}&sort=name&limit=3`),
    ];
    const names = [...(folders ?? []).map((name) => `${name}/`), ...(documents ?? [])];
    if (entries !== undefined) assert.deepEqual(entries.toSorted(), names.toSorted(), `the entries of "${folder}"`);
    return names;
  }

  /** @returns undefined for a folder that the person cannot reach, or for a disabled person */
  async #names(path: string): Promise<string[] | undefined> {
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const next: string = cursor === '' ? '' : `&cursor=${encode(cursor)}`;
      const answer = await this.#ask((client) => client.get(path + next)).catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined;
        throw error;
      });
      if (answer === undefined) return undefined;
      for (const item of answer.json.items) {
        names.push(item.type === 'folder' ? `${item.folder.name}/` : (item.document ?? item).name);
      }
      cursor = answer.json.next_cursor as string | null;
    }
    return names;
  }
}
