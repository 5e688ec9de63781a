import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Clock } from '../../lib/domain/clock.js';
import { canonicalizeAnswers } from '../support/model/canonicalize-answers.js';
import type { Face, Question } from '../support/model/face.js';
import { scenario } from '../support/model/scenario.js';
import { playTwice, isolateWorkspaces } from '../support/model/isolated-pair.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { openMcpServer, type McpClient, type McpTestServer, type Posted } from '../support/http/open-mcp.js';

const pairs = countOf('MCP_PAIRS', { usual: 15, campaign: 300 });
const seed = seedOf(20260105);
const noCommit = '0'.repeat(40);

const sealed = /((?:brief_cursor|next_cursor|nextCursor)\\*":\\*")([\w-]+)/g;

describe('Content out of reach of an agent’s key', () => {
  let server: McpTestServer;
  before(async () => {
    server = await openMcpServer();
  });
  after(() => server.close());

  it('has no effect on any byte of answers of tools and resources', async function () {
    this.timeout(60_000 + pairs * 6_000);
    const openWorkspace = isolateWorkspaces(
      server.host,
      async (isolated, id) => new ToolsFace(server.client(await isolated.key(id, ['mcp'])), isolated.clock),
    );
    let refused = 0;
    const done = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const [without, withHidden] = await playTwice(openWorkspace, drawn);
        const [expected, actual] = [canonicalizeAnswers(without), canonicalizeAnswers(withHidden)];
        for (const [index, answer] of expected.entries()) {
          const asked = JSON.stringify(drawn.questions[index]?.question);
          assert.equal(actual[index], answer, `${asked} is answered differently when there is something hidden`);
          if (answer.includes('NOT_FOUND')) refused += 1;
          if (!/NOT_FOUND|INVALID_REQUEST|CONFLICT|"error":/.test(answer))
            done.add(drawn.questions[index]?.question.does ?? '');
        }
      }),
      { numRuns: pairs, seed },
    );
    assert.ok(refused > pairs);
    const kinds = ['list', 'list-folders', 'search', 'resource', 'resources', 'claims', 'claim-and-release'];
    const more = ['readers', 'brief', 'send', 'mail', 'read', 'comment-on-passage', 'diff', 'history'];
    requireSeen([...kinds, ...more], done, { count: pairs, enough: 45 });
  });
});

const locate = (folder: string): object => (folder === '' ? {} : { location: folder });

/** Asks the same questions with tools and resources. */
class ToolsFace implements Face {
  readonly #client: McpClient;
  readonly #clock: Clock;
  /** The commit of each document that was read. */
  readonly #known = new Map<string, string>();

  constructor(client: McpClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async ask(question: Question): Promise<string> {
    switch (question.does) {
      case 'list':
      case 'list-folders':
        return this.#list(question.folder, question.limit, question.does);
      case 'browse':
      case 'trash':
        return 'not a tool';
      case 'search': {
        const asked = { limit: question.limit, ...locate(question.folder) };
        const lines = { ...asked, query: question.query.replaceAll('"', '') };
        return [
          await this.#pages('search_org_knowledge', { ...asked, query: question.query }),
          await this.#pages('search_org_knowledge', { ...lines, match: 'exact' }),
          await this.#pages('search_org_knowledge', { ...lines, match: 'pattern' }),
        ].join('\n');
      }
      case 'claims':
        return this.#pages('claim', { action: 'list', limit: question.limit, ...locate(question.folder) });
      case 'readers':
        return this.#pages('who_can_read', { location: question.path, limit: question.limit });
      case 'brief':
        return this.#brief(question);
      case 'send': {
        const { to, about } = question;
        return this.#call('message', { action: 'send', to, subject: 'Hello', body: 'some words', about });
      }
      case 'mail': {
        const { box, about, limit } = question;
        const which = box === 'unread' ? { unread_only: true } : { box };
        return this.#pages('message', { action: 'list', limit, about, ...which });
      }
      case 'claim':
        return this.#call('claim', { action: 'take', location: question.path, purpose: 'work' });
      case 'claim-and-release':
        return [
          await this.#call('claim', { action: 'take', location: question.path }),
          await this.#call('claim', { action: 'release', location: question.path }),
        ].join('\n');
      case 'release':
        return this.#call('claim', { action: 'release', location: question.path });
      case 'resource':
        return this.#resource(question.path);
      case 'resources':
      case 'export':
        return this.#resources();
      case 'create':
      case 'create-folder':
        return this.#call('write_org_doc', { location: question.path, content: 'text' });
      case 'update':
      case 'restore':
      case 'break-claim':
        return this.#write(question.path);
      case 'delete':
        return this.#removeAndUndo(question.path);
      case 'comments':
        return this.#pages('message', {
          action: 'list',
          box: 'comments',
          about: question.path,
          limit: question.limit,
        });
      case 'comment':
        return this.#discuss(question.path, ['send', 'read']);
      case 'comment-on-passage':
        return this.#discuss(question.path, ['send', 'resolve', 'reopen', 'read']);
      case 'undelete':
        return this.#call('delete_org_doc', {
          location: question.path,
          expected_commit: this.#known.get(question.path) ?? noCommit,
          undo: true,
        });
      case 'diff':
      case 'history':
      case 'read-version':
        return this.#readPast(question.path, 'version' in question ? question.version : undefined);
      // Questions without a tool go to the nearest tools.
      case 'delete-folder':
      case 'undelete-folder':
      case 'grant':
      case 'revoke':
      case 'labels':
      case 'list-grants':
      case 'move':
      case 'rename':
      case 'preview-revert':
      case 'revert':
      case 'read': {
        const location = 'path' in question ? question.path : question.folder || 'root.md';
        const read = await this.#client.request('tools/call', { name: 'read_org_doc', arguments: { location } });
        const { structuredContent } = read.json.result;
        if (structuredContent !== undefined) this.#known.set(location, structuredContent.commit);
        return [
          show(read),
          await this.#call('read_org_doc', { location, outline_only: true }),
          await this.#call('who_can_read', { location }),
          await this.#call('claim', { action: 'list', location }),
        ].join('\n');
      }
    }
  }

  async #write(location: string): Promise<string> {
    const { done } = await this.#client.call('read_org_doc', { location });
    const edits = [{ op: 'append', new_text: 'x' }];
    const later = { location: `/${location}`, edits: { op: 'append', new_text: 'y' }, on_stale: 'apply' };
    return [
      await this.#call('write_org_doc', { location, content: 'text', expected_commit: noCommit }),
      await this.#call('edit_org_doc', { location, expected_commit: noCommit, edits }),
      await this.#call('edit_org_doc', { location, expected_commit: done?.commit ?? noCommit, edits, dry_run: true }),
      await this.#call('edit_org_doc', { location, expected_commit: done?.commit ?? noCommit, edits }),
      await this.#call('edit_org_doc', { ...later, expected_commit: done?.commit ?? noCommit }),
    ].join('\n');
  }

  /** Deletes the version that was read, and brings it back. */
  async #removeAndUndo(location: string): Promise<string> {
    const { done } = await this.#client.call('read_org_doc', { location });
    const args = { location, expected_commit: done?.commit ?? noCommit };
    return [await this.#call('delete_org_doc', args), await this.#call('delete_org_doc', { ...args, undo: true })].join(
      '\n',
    );
  }

  /** Reads what was there when it was last asked, and what changed since. */
  async #readPast(location: string, version: string | undefined): Promise<string> {
    const { done } = await this.#client.call('read_org_doc', { location });
    const known = version ?? this.#known.get(location) ?? done?.commit ?? noCommit;
    if (done !== undefined) this.#known.set(location, done.commit);
    return [
      await this.#call('read_org_doc', { location, commit: known }),
      await this.#call('read_org_doc', { location, since_commit: known }),
    ].join('\n');
  }

  /** Uses the first thread on a document, or an unknown one. */
  async #discuss(about: string, actions: readonly string[]): Promise<string> {
    const { done } = await this.#client.call('message', { action: 'list', box: 'comments', about });
    const thread_id = done?.threads[0]?.thread_id ?? `thr_${'0'.repeat(20)}`;
    const answers: string[] = [];
    for (const action of actions) {
      const body = action === 'send' ? { body: 'an answer' } : {};
      answers.push(await this.#call('message', { action, thread_id, ...body }));
    }
    return answers.join('\n');
  }

  async #brief({ folder, limit, since }: Extract<Question, { readonly does: 'brief' }>): Promise<string> {
    const from = since === undefined ? {} : { since: new Date(this.#clock.now() - since).toISOString() };
    return this.#pages('brief_me', { limit, ...from, ...locate(folder) });
  }

  async #resource(path: string): Promise<string> {
    return show(await this.#client.request('resources/read', { uri: `cartulary://doc/${encodeURI(path)}` }));
  }

  async #list(folder: string, limit: number, does: string): Promise<string> {
    const name = does === 'list' ? 'list_org_docs' : 'list_org_folders';
    const args = { limit, ...locate(folder) };
    return [await this.#pages(name, args), await this.#pages('list_org_docs', { ...args, recursive: true })].join('\n');
  }

  async #pages(name: string, args: object): Promise<string> {
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const asked = { name, arguments: { ...args, ...(cursor === undefined ? {} : { cursor }) } };
      const posted = await this.#client.request('tools/call', asked);
      pages.push(show(posted));
      cursor = posted.json.result.structuredContent?.next_cursor;
    } while (cursor !== undefined);
    return pages.join('\n');
  }

  async #resources(): Promise<string> {
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const posted = await this.#client.request('resources/list', cursor === undefined ? {} : { cursor });
      pages.push(show(posted));
      cursor = posted.json.result.nextCursor;
    } while (cursor !== undefined);
    return pages.join('\n');
  }

  async #call(name: string, args: object): Promise<string> {
    return show(await this.#client.request('tools/call', { name, arguments: args }));
  }
}

/** Sealed positions differ each time; only their length can reveal something. */
function measureSealed(text: string): string {
  return text.replace(sealed, (_, name: string, position: string) => `${name}sealed ${position.length}`);
}

/** Status, headers and body; not the wall clock’s time. */
function show({ status, headers, text }: Posted): string {
  const shown = [...headers].filter(([name]) => name !== 'date');
  return `${status} ${JSON.stringify(shown)} ${measureSealed(text)}`;
}
