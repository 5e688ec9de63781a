import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { canonicalizeAnswers } from '../access/canonicalize-answers.js';
import type { Face, Question } from '../access/faces.js';
import { story, tellTwice, type World } from '../access/two-worlds.js';
import { TestService } from '../harness/service.js';
import { openMcpServer, type McpHands, type McpTestServer, type Posted } from './open-mcp.js';

const pairs = 10;
const seed = 20260105;
const noCommit = '0'.repeat(40);

/** Asks the same things with tools and resources; what has no tool is asked of those that come nearest. */
class ToolsFace implements Face {
  readonly #hands: McpHands;

  constructor(hands: McpHands) {
    this.#hands = hands;
  }

  async ask(question: Question): Promise<string> {
    if ('folder' in question && 'limit' in question) return this.#list(question.folder, question.limit, question.does);
    const path = 'path' in question ? question.path : question.folder;
    const location = path === '' ? 'root.md' : path;
    const answers = [
      await this.#call('who_can_read', { location }),
      await this.#call('claim', { action: 'list', location }),
    ];
    switch (question.does as string) {
      case 'create':
      case 'create-folder':
        answers.push(await this.#call('write_org_doc', { location, content: 'text' }));
        break;
      case 'update':
      case 'read-version':
        answers.push(
          await this.#call('write_org_doc', { location, content: 'text', expected_commit: noCommit }),
          await this.#call('edit_org_doc', {
            location,
            expected_commit: noCommit,
            edits: [{ op: 'append', new_text: 'x' }],
          }),
        );
        break;
      case 'delete':
        answers.push(await this.#call('delete_org_doc', { location, expected_commit: noCommit }));
        break;
      case 'undelete':
        answers.push(await this.#call('claim', { action: 'take', location }));
        break;
      case 'export':
        answers.push(await this.#resources());
        break;
      case 'rename':
      case 'move':
        answers.push(
          await this.#call('brief_me', {}),
          await this.#call('search_org_knowledge', { query: 'content hidden' }),
        );
        break;
      default:
        answers.push(
          await this.#call('read_org_doc', { location }),
          show(await this.#hands.request('resources/read', { uri: `cartulary://doc/${encodeURI(location)}` })),
        );
    }
    return answers.join('\n');
  }

  async #list(folder: string, limit: number, does: string): Promise<string> {
    const name = does === 'list' ? 'list_org_docs' : 'list_org_folders';
    const args = { limit, ...(folder === '' ? {} : { location: folder }) };
    return [await this.#pages(name, args), await this.#pages('list_org_docs', { ...args, recursive: true })].join('\n');
  }

  async #pages(name: string, args: object): Promise<string> {
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const { text, done } = await this.#hands.call(name, { ...args, ...(cursor === undefined ? {} : { cursor }) });
      pages.push(measureSealed(text));
      cursor = done?.next_cursor;
    } while (cursor !== undefined);
    return pages.join('\n');
  }

  async #resources(): Promise<string> {
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const posted = await this.#hands.request('resources/list', cursor === undefined ? {} : { cursor });
      pages.push(show(posted));
      cursor = posted.json.result.nextCursor;
    } while (cursor !== undefined);
    return pages.join('\n');
  }

  async #call(name: string, args: object): Promise<string> {
    return show(await this.#hands.request('tools/call', { name, arguments: args }));
  }
}

const sealed = /((?:brief_cursor|next_cursor|nextCursor)\\*":\\*")([\w-]+)/g;

/** Sealed positions differ each time they are made; only how long they are can tell anything. */
function measureSealed(text: string): string {
  return text.replace(sealed, (_, name: string, position: string) => `${name}sealed ${position.length}`);
}

/** Status, headers and body; not the wall clock’s time. */
function show({ status, headers, text }: Posted): string {
  const shown = [...headers].filter(([name]) => name !== 'date');
  return `${status} ${JSON.stringify(shown)} ${measureSealed(text)}`;
}

describe('What an agent’s key cannot reach', () => {
  let server: McpTestServer;
  before(async () => {
    server = await openMcpServer();
  });
  after(() => server.close());

  it('has no effect on any byte that tools and resources answer', async function () {
    this.timeout(300_000);
    const { service, clock } = server.host;
    let worlds = 0;
    const openWorld = async (): Promise<World> => {
      worlds += 1;
      const workspace = await service.addWorkspace(`world-${String(worlds).padStart(4, '0')}`);
      const world = new TestService(service, workspace, clock, null);
      return {
        service: world,
        faceOf: async (id) => new ToolsFace(server.hands(await world.key(id, ['mcp']))),
        close: async () => undefined,
      };
    };
    let refused = 0;
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const [without, withHidden] = await tellTwice(openWorld, told);
        const [expected, actual] = [canonicalizeAnswers(without), canonicalizeAnswers(withHidden)];
        for (const [index, answer] of expected.entries()) {
          const asked = JSON.stringify(told.questions[index]?.question);
          assert.equal(actual[index], answer, `${asked} is answered differently when there is something hidden`);
          if (answer.includes('NOT_FOUND')) refused += 1;
          else answered += 1;
        }
      }),
      { numRuns: pairs, seed },
    );
    assert.ok(refused > pairs && answered > pairs);
  });
});
