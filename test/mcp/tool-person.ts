import type { Brief, BriefChange } from '../../lib/domain/brief.js';
import type { Code } from '../../lib/domain/code.js';
import type { Document } from '../../lib/domain/document.js';
import type { Location } from '../../lib/domain/location.js';
import { operatorId } from '../../lib/domain/principal.js';
import type { Reason } from '../../lib/domain/reason.js';
import { Refusal } from '../../lib/domain/refusal.js';
import type { RefusalDetails } from '../../lib/domain/refusal-details.js';
import { ToolBox } from '../../lib/mcp/call-tool.js';
import { listResources, readResource } from '../../lib/mcp/resources.js';
import { tools } from '../../lib/mcp/tools.js';
import { toResult } from '../../lib/mcp/write-result.js';
import type { RequestContext } from '../../lib/mcp/request-context.js';
import type { CursorSealer } from '../../lib/access/seal-cursor.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Person } from '../support/model/actors.js';
import type { Parsed } from '../support/http/server.js';
import { Client } from '../support/store/client.js';
import { checkSaid } from '../support/http/check-said.js';

const box = new ToolBox(tools);
const noCommit = '0'.repeat(40);
/** Few, so that there are pages. */
const limit = 4;

/** A person who uses the tools and resources of the real table wherever an action has a tool. */
export class ToolPerson extends Person {
  readonly #cursors: CursorSealer;
  #serial = 0;

  constructor(workspace: Workspace, id: string, cursors: CursorSealer) {
    super(workspace, id);
    this.#cursors = cursors;
  }

  get #context(): RequestContext {
    return {
      workspace: this.workspace,
      caller: { ...this.caller, kind: 'agent', interface: 'mcp' },
      cursors: this.#cursors,
      owner: this.id,
      scopes: ['org:read', 'org:write'],
      onFault(cause) {
        throw cause;
      },
    };
  }

  /** @returns the `structuredContent`. @throws Refusal made of the tool's error */
  async call(name: string, args: object): Promise<Parsed> {
    const answer = toResult(await box.call(this.#context, name, args));
    const text = answer.content[0]?.text ?? '';
    checkSaid(name, answer, text);
    if (answer.isError !== true) return answer.structuredContent;
    const { code, reason, message } = JSON.parse(text).error as {
      code: Code;
      reason: Reason;
      message: string;
    };
    const details = reason === 'not_found' ? {} : { details: { reason } as RefusalDetails };
    throw new Refusal(code, message, details);
  }

  async #pages(name: string, member: string, args: object): Promise<Parsed[]> {
    const items: Parsed[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Parsed = await this.call(name, { limit, ...args, ...(cursor === '' ? {} : { cursor }) });
      items.push(...page[member]);
      cursor = page.next_cursor;
    }
    return items;
  }

  /** The operator's client, which reads the stored record regardless of access. */
  get #keeper(): Client {
    return new Client(this.workspace, operatorId);
  }

  async #commitOf(location: string): Promise<string> {
    return (await this.#keeper.record(location).catch(() => undefined))?.current.id ?? noCommit;
  }

  override async create(location: string, text = 'text'): Promise<Document> {
    await this.call('write_org_doc', { location, content: text });
    return this.#keeper.record(location);
  }

  /** As a whole and by an edit, alternately. */
  override async update(location: string, text: string): Promise<Document> {
    const expected_commit = await this.#commitOf(location);
    this.#serial += 1;
    if (this.#serial % 2 === 0) await this.call('write_org_doc', { location, expected_commit, content: text });
    else {
      const old_text = (await this.#keeper.read(location).catch(() => '')) || 'nothing';
      await this.call('edit_org_doc', { location, expected_commit, edits: [{ old_text, new_text: text }] });
    }
    return this.#keeper.record(location);
  }

  override async delete(location: string): Promise<void> {
    await this.call('delete_org_doc', { location, expected_commit: await this.#commitOf(location) });
  }

  override async read(location: string): Promise<string> {
    return (await this.call('read_org_doc', { location })).text;
  }

  /** @returns `location role` of the folders in it; without one, of the topmost */
  async folders(location = ''): Promise<string[]> {
    const folders = await this.#pages('list_org_folders', 'folders', location === '' ? {} : { location });
    return folders.map((folder: Parsed) => `${folder.location} ${folder.role ?? 'none'}`);
  }

  /** @returns `location role` of the documents in it */
  async documents(location = '', recursive = false): Promise<string[]> {
    const args = { recursive, ...(location === '' ? {} : { location }) };
    const documents = await this.#pages('list_org_docs', 'documents', args);
    return documents.map((document: Parsed) => `${document.location} ${document.role}`);
  }

  /** @returns locations that hold all of the words */
  async search(query: string, location = ''): Promise<string[]> {
    const args = { query, ...(location === '' ? {} : { location }) };
    return (await this.#pages('search_org_knowledge', 'hits', args)).map((hit: Parsed) => hit.location);
  }

  async resources(): Promise<string[]> {
    const uris: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Awaited<ReturnType<typeof listResources>> = await listResources(this.#context, cursor || undefined);
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    }
    return uris;
  }

  async resource(uri: string): Promise<string> {
    return (await readResource(this.#context, uri)).text ?? '';
  }

  /** @returns the entry of `who_can_read` for each reader */
  tellReaders(location: string): Promise<Parsed[]> {
    return this.#pages('who_can_read', 'readers', { location });
  }

  override async readers(location: string): Promise<string[]> {
    return (await this.tellReaders(location)).map((reader: Parsed) => `${reader.principal.name} ${reader.role}: `);
  }

  brief(args: object = {}): Promise<Parsed> {
    return this.call('brief_me', { keep_bookmark: true, since: '1970-01-01T00:00:00Z', ...args });
  }

  override async briefFromTheStart(): Promise<BriefChange[]> {
    const changes = await this.#pages('brief_me', 'changes', { keep_bookmark: true, since: '1970-01-01T00:00:00Z' });
    return changes.map(
      ({ of = 'document', action, location, from_location }: Parsed) =>
        ({ of, action, location: location as Location, from: from_location ?? null }) as Brief['changes'][number],
    );
  }

  /** @returns the claim's id */
  async claim(location: string): Promise<string> {
    return (await this.call('claim', { action: 'take', location })).claims[0].claim_id;
  }

  async release(claimId: string): Promise<void> {
    await this.call('claim', { action: 'release', claim_id: claimId });
  }

  async claims(): Promise<string[]> {
    return (await this.#pages('claim', 'claims', { action: 'list' })).map((claim: Parsed) => claim.location);
  }

  /** Starts a thread. */
  async send(to: string, body: string, about?: string): Promise<void> {
    const args = { action: 'send', to: [to], subject: 'Subject', body, ...(about === undefined ? {} : { about }) };
    await this.call('message', args);
  }

  /** @returns `text about` of everything in the inbox, with ` about nothing` where no place is shown */
  async mail(): Promise<string[]> {
    const messages = await this.#pages('message', 'messages', { action: 'list' });
    return messages.map((message: Parsed) => `${message.preview} about ${message.about ?? 'nothing'}`);
  }
}
