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
import { locateListed } from '../support/http/listed.js';
import { checkSaid } from '../support/http/check-said.js';

const box = new ToolBox(tools);
const noCommit = '0'.repeat(40);
/** Few, so that there are pages. */
const limit = 4;

/** A person who uses the tools and resources of the real table wherever an action has a tool. */
export class ToolPerson extends Person {
  readonly #cursors: CursorSealer;
  #serial = 0;
  /** Number of own deletions undone by the tool. */
  undone = 0;
  /** What the last refusal said of the place. */
  near: readonly string[] = [];
  isFolder = false;

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
      isInForce: () => true,
      keepsSubscriptions: false,
      departure: () => new AbortController().signal,
      charge: () => undefined,
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
    const { code, reason, message, near, is_folder } = JSON.parse(text).error as {
      code: Code;
      reason: Reason;
      message: string;
      near?: readonly string[];
      is_folder?: true;
    };
    this.near = near ?? [];
    this.isFolder = is_folder ?? false;
    const details = reason === 'not_found' ? {} : { details: { reason } as RefusalDetails };
    throw new Refusal(code, message, details);
  }

  async #pages(name: string, member: string, args: object): Promise<Parsed[]> {
    return (await this.#answers(name, args)).flatMap((page) => page[member]);
  }

  async #answers(name: string, args: object): Promise<Parsed[]> {
    const pages: Parsed[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Parsed = await this.call(name, { limit, ...args, ...(cursor === '' ? {} : { cursor }) });
      pages.push(page);
      cursor = page.next_cursor;
    }
    return pages;
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
      const edits = [{ old_text, new_text: text }];
      await this.call('edit_org_doc', { location, expected_commit, edits, on_stale: 'apply' });
    }
    return this.#keeper.record(location);
  }

  override async delete(location: string): Promise<void> {
    await this.call('delete_org_doc', { location, expected_commit: await this.#commitOf(location) });
  }

  /** By the tool where the deletion was the person's own; the tools undo no other. */
  override async undelete(location: string): Promise<Document> {
    const { documents, versions } = this.workspace.journal.reader;
    const [deleted, ...others] = documents.deletedAt(location);
    if (deleted?.deletedBy !== this.id || others.length > 0) return super.undelete(location);
    const expected_commit = versions.bySequence(deleted.number, deleted.sequence)?.id ?? noCommit;
    await this.call('delete_org_doc', { location, expected_commit, undo: true });
    this.undone += 1;
    return this.#keeper.record(location);
  }

  override async read(location: string): Promise<string> {
    return (await this.call('read_org_doc', { location })).text;
  }

  /** Reads a version of the document at the location, and the number of versions after it. */
  async readPast(location: string, commit: string): Promise<{ readonly text: string; readonly later: number }> {
    const { text } = await this.call('read_org_doc', { location, commit });
    const { versions, older_versions = 0 } = await this.call('read_org_doc', { location, since_commit: commit });
    return { text, later: versions.length + older_versions };
  }

  /** @returns `location role` of the folders in it; without one, of the topmost */
  async folders(location = ''): Promise<string[]> {
    const folders = await this.#pages('list_org_folders', 'folders', location === '' ? {} : { location });
    return folders.map((folder: Parsed) => `${folder.location} ${folder.role ?? 'none'}`);
  }

  /** @returns `location role` of the documents in it */
  async documents(location = '', recursive = false): Promise<string[]> {
    const args = { recursive, ...(location === '' ? {} : { location }) };
    const pages = await this.#answers('list_org_docs', args);
    return pages.flatMap((page) => locateListed(page).map((document) => `${document.location} ${document.role}`));
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
    return (await readResource(this.#context, uri))[0]?.text ?? '';
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

  /** @returns ids of the open threads of comments on a document */
  async threads(location: string): Promise<string[]> {
    const threads = await this.#pages('message', 'threads', { action: 'list', box: 'comments', about: location });
    return threads.map((thread: Parsed) => thread.thread_id);
  }

  /** Answers in a thread of comments, and reads it. @returns the document's location */
  async discuss(threadId: string): Promise<string> {
    await this.call('message', { action: 'send', thread_id: threadId, body: 'answer' });
    return (await this.call('message', { action: 'read', thread_id: threadId })).about;
  }

  /** @returns `text about` of everything in the inbox, with ` about nothing` where no place is shown */
  async mail(): Promise<string[]> {
    const messages = await this.#pages('message', 'messages', { action: 'list' });
    return messages.map((message: Parsed) => `${message.preview} about ${message.about ?? 'nothing'}`);
  }
}
