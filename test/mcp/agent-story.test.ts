import assert from 'node:assert/strict';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

/** Characters of an answer that every client takes whole. */
const bearable = 45_000;
const chapters = 400;

/** One day of an agent, in order: each step goes on from the answer before, as a model would. */
describe('An agent with a long document, a flood of messages and a claim on a section', () => {
  const location = 'team/handbook.md';
  let server: McpTestServer;
  let scribe: McpClient;
  let colleague: McpClient;
  let scribeId: string;
  let commit: string;

  before(async () => {
    server = await openMcpServer();
    ({ id: scribeId, client: scribe } = await server.agent('editor', 'team', 'Scribe'));
    colleague = (await server.agent('editor', 'team', 'Colleague')).client;
    const text = Array.from(
      { length: chapters },
      (_, number) => `## Chapter ${number}\n\nRule ${number} is kept. ${'It has reasons. '.repeat(20)}\n`,
    );
    const content = `# Handbook\n\n${text.join('\n')}`;
    await colleague.call('write_org_doc', { location, content, note: 'All rules' });
  });
  after(() => server.close());

  it('learns from a brief what is new, and why', async () => {
    const { done, text } = await scribe.call('brief_me', {});
    assert.ok(text.length < bearable);
    assert.deepEqual([done.changes[0].location, done.changes[0].note], [location, 'All rules']);
  });

  it('finds a chapter by the outline, page by page, and reads only that', async () => {
    const headings: string[] = [];
    for (let start: number | undefined = 1; start !== undefined;) {
      const args = { location, outline_only: true, start_line: start };
      const { done, text } = await scribe.call('read_org_doc', args);
      assert.ok(text.length < bearable);
      headings.push(...done.outline.map(({ id }: { id: string }) => id));
      start = done.next_start_line;
    }
    assert.ok(headings.includes('chapter-317'), `${headings.length} headings`);
    const { done } = await scribe.call('read_org_doc', { location, section: 'chapter-317' });
    assert.match(done.text, /Rule 317 is kept/);
    assert.ok(done.text.length < 1000);
    ({ commit } = done);
  });

  it('is not buried by one sender, and keeps an overview of who waits', async () => {
    let refused = '';
    for (let sent = 0; refused === '' && sent < 200; sent += 1) {
      const args = { action: 'send', to: scribeId, subject: `News ${sent}`, body: 'x'.repeat(7000) };
      ({ refusal: refused } = await colleague.call('message', args));
    }
    assert.match(refused, /^RATE_LIMITED/);
    const { done, text } = await scribe.call('message', { action: 'list', unread_only: 'true', limit: 1000 });
    assert.ok(text.length < bearable);
    assert.deepEqual(
      done.unread_from.map(({ from }: { from: { name: string } }) => from.name),
      ['Colleague'],
    );
    const ids = done.messages.map(({ message_id }: { message_id: string }) => message_id);
    assert.ok((await scribe.call('message', { action: 'read', message_ids: ids })).text.length < bearable);
  });

  it('writes in the section that it claimed with one call, whatever others do elsewhere', async () => {
    const claimed = await scribe.call('claim', {
      action: 'take',
      location,
      section: 'chapter-317',
      purpose: 'new rule',
    });
    assert.equal(claimed.refusal, '');
    const swap = (number: number, word: string) => [
      { old_text: `Rule ${number} is kept.`, new_text: `Rule ${number} ${word}.` },
    ];
    const theirs = { location, expected_commit: commit };
    const kept = await colleague.call('edit_org_doc', { ...theirs, edits: swap(317, 'is lost') });
    assert.deepEqual([kept.refusal, kept.error.purpose], ['CONFLICT claimed', 'new rule']);
    for (const number of [3, 4, 5]) {
      const elsewhere = { ...theirs, edits: swap(number, 'has changed'), on_stale: 'apply' };
      assert.equal((await colleague.call('edit_org_doc', elsewhere)).refusal, '');
    }
    const { refusal, done } = await scribe.call('edit_org_doc', { ...theirs, edits: swap(317, 'is new') });
    assert.equal(refusal, '');
    assert.equal(done.meanwhile.versions, 3);
    const { diff } = (await scribe.call('read_org_doc', { location, since_commit: commit })).done;
    for (const word of ['Rule 3 has changed', 'Rule 317 is new']) assert.ok(diff.includes(word), word);
    assert.equal((await scribe.call('claim', { action: 'release', location })).refusal, '');
  });
});
