import assert from 'node:assert/strict';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import type { HttpClient } from '../support/http/server.js';

const sheet = 'Name;Town\nZoë;Köln\n# Grüße\n';
const sent = [
  ['team/excel.csv', 'text/csv; charset=windows-1252', Buffer.from(sheet, 'latin1')],
  ['team/notepad.txt', 'text/plain', Buffer.from(`\ufeff${sheet}`, 'utf16le')],
  ['team/big-endian.txt', 'text/plain', Buffer.from(`\ufeff${sheet}`, 'utf16le').swap16()],
] as const;

describe('A document in another charset than UTF-8', () => {
  let server: McpTestServer;
  let ada: HttpClient;
  let agent: McpClient;

  before(async () => {
    server = await openMcpServer();
    ada = await server.person('approver');
    ({ client: agent } = await server.agent('editor', 'team', 'Scribe'));
    for (const [location, type, body] of sent) {
      const made = await ada.send('PUT', `/v1/files/${location}`, {
        body,
        headers: { 'Content-Type': type, 'If-None-Match': '*' },
      });
      assert.deepEqual([made.status, made.json.kind, made.json.media_type], [201, 'text', type]);
    }
  });
  after(() => server.close());

  it('is text for an agent, for JSON and for the search, while its bytes stay as they were sent', async () => {
    for (const [location, type, body] of sent) {
      const { done } = await agent.call('read_org_doc', { location });
      assert.ok(done.text.includes('Zoë;Köln'), location);
      assert.equal((await ada.get(`/v1/documents/${location}`)).json.content.replace('\ufeff', ''), sheet);
      const raw = await ada.send('GET', `/v1/files/${location}`, {});
      assert.deepEqual([raw.headers['content-type'], raw.bytes], [type, body]);
    }
    const { json } = await ada.get('/v1/search?q=K%C3%B6ln');
    assert.deepEqual(
      json.items.map((hit: { location: string }) => hit.location).toSorted(),
      sent.map(([at]) => at).toSorted(),
    );
    assert.ok(json.items.every(({ snippet }: { snippet: string }) => snippet.includes('Zoë')));
  });

  it('stays in its charset when it is edited, and is compared as text', async () => {
    for (const [location, type] of sent) {
      const { done } = await agent.call('read_org_doc', { location });
      const edits = [{ old_text: 'Köln', new_text: 'Düren' }];
      await agent.call('edit_org_doc', { location, expected_commit: done.commit, edits });
      const raw = await ada.send('GET', `/v1/files/${location}`, {});
      const charset = type.includes('1252') ? 'windows-1252' : location.includes('big') ? 'utf-16be' : 'utf-16le';
      const text = new TextDecoder(charset, { ignoreBOM: true }).decode(raw.bytes);
      assert.equal(text, `${charset === 'windows-1252' ? '' : '\ufeff'}${sheet.replace('Köln', 'Düren')}`);
      assert.equal(raw.headers['content-type'], type);
      const { done: changes } = await agent.call('read_org_doc', { location, since_commit: done.commit });
      assert.match(changes.diff, /-Zoë;Köln\n\+Zoë;Düren/);
    }
  });

  it('refuses a character that its charset does not have, and says the way out, which works', async () => {
    const location = 'team/excel.csv';
    const { done } = await agent.call('read_org_doc', { location });
    const edits = [{ old_text: 'Zoë', new_text: 'Zoë →' }];
    const refused = await agent.call('edit_org_doc', { location, expected_commit: done.commit, edits });
    assert.match(refused.text, /windows-1252, which has no .*→.*U\+2192.*write the whole document anew/);
    await agent.call('write_org_doc', { location, expected_commit: done.commit, content: `${sheet}→\n` });
    const raw = await ada.send('GET', `/v1/files/${location}`, {});
    assert.deepEqual([raw.headers['content-type'], raw.text], ['text/csv; charset=utf-8', `${sheet}→\n`]);
  });

  it('declares UTF-8 when an edit brings the first character beyond ASCII, and nothing else before', async () => {
    const location = 'team/ascii.csv';
    const headers = { 'Content-Type': 'text/csv; charset=windows-1252', 'If-None-Match': '*' };
    await ada.send('PUT', `/v1/files/${location}`, { body: Buffer.from('Name;Town\nZoe;Bonn\n'), headers });
    for (const [old_text, new_text, type] of [
      ['Bonn', 'Trier', 'text/csv; charset=windows-1252'],
      ['Trier', 'Köln', 'text/csv; charset=utf-8'],
    ] as const) {
      const { done } = await agent.call('read_org_doc', { location });
      await agent.call('edit_org_doc', { location, expected_commit: done.commit, edits: [{ old_text, new_text }] });
      const raw = await ada.send('GET', `/v1/files/${location}`, {});
      assert.deepEqual([raw.headers['content-type'], raw.text], [type, `Name;Town\nZoe;${new_text}\n`]);
    }
  });
});
