import assert from 'node:assert/strict';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import type { Parsed } from '../support/http/server.js';

describe('An agent’s mailbox', () => {
  let server: McpTestServer;
  let writer: McpClient;
  let reader: McpClient;
  let thread: string;
  const sent: string[] = [];

  before(async () => {
    server = await openMcpServer();
    ({ client: writer } = await server.agent('editor', 'team', 'Ada'));
    const { id, client } = await server.agent('editor', 'team', 'Bo');
    reader = client;
    for (let index = 0; index < 20; index += 1) {
      const more = index === 0 ? { subject: 'Long' } : { thread_id: thread };
      const args = { action: 'send', to: [id], body: body(index), ...more };
      const [message] = (await writer.call('message', args)).done.messages;
      thread = message.thread_id;
      sent.push(message.message_id);
    }
  });
  after(() => server.close());

  it('is read in answers of bounded length, which make up the whole thread', async () => {
    const messages = await readAll({ thread_id: thread });
    assert.deepEqual(
      messages.map(({ message_id }) => message_id),
      sent.toReversed(),
    );
    assert.ok(messages.slice(0, 10).every((message) => message.body_truncated === true));
    assert.ok(messages.every((message) => message.preview === undefined && message.body.length >= 2000 - 1));
    assert.ok(messages.every((message) => !/\p{Surrogate}/u.test(message.body)));
  });

  it('is read by ids in the same way, in their order', async () => {
    const messages = await readAll({ message_ids: sent });
    assert.deepEqual(
      messages.map(({ message_id }) => message_id),
      sent,
    );
  });

  it('shows a message whole that is read alone', async () => {
    const [message] = await readAll({ message_ids: [sent[7]] });
    assert.deepEqual([message?.body, message?.body_truncated], [body(7).trim(), undefined]);
  });

  it('shows from whom there are unread messages, and those of one sender', async () => {
    const { id } = await server.agent('reader', 'team', 'Cy');
    const { done } = await reader.call('message', { action: 'list', unread_only: true, limit: 1 });
    assert.deepEqual(
      done.unread_from.map(({ from, count }: Parsed) => [from.name, count]),
      [['Ada', 20]],
    );
    const of = async (from: string): Promise<number> =>
      (await reader.call('message', { action: 'list', from })).done.messages.length;
    assert.deepEqual([await of(done.unread_from[0].from.id), await of(id), await of('prn_none')], [20, 0, 0]);
    const both = { action: 'list', from: id, about: 'team' };
    assert.equal((await reader.call('message', both)).refusal, 'INVALID_REQUEST unknown_field');
  });

  const body = (index: number): string => `${index} ${'"long" words 😀 '.repeat(430)}`;

  async function readAll(args: object): Promise<Parsed[]> {
    const messages: Parsed[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const more = cursor === '' ? {} : { cursor };
      const { done, text } = await reader.call('message', { action: 'read', ...args, ...more });
      assert.ok(text.length < 21_000, `${text.length} characters`);
      messages.push(...done.messages);
      cursor = done.next_cursor;
    }
    return messages;
  }
});
