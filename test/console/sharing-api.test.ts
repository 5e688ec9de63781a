import assert from 'node:assert/strict';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';

describe('Sharing and moving by the console’s API', () => {
  let test: TestConsole;
  let admin: ConsoleClient;
  let lead: ConsoleClient;
  let editor: ConsoleClient;
  let stranger: ConsoleClient;

  before(async () => {
    test = await openConsole();
    admin = await test.person('Admin', 'approver');
    lead = await test.person('Lead', 'approver', 'team');
    editor = await test.person('Editor', 'editor', 'team');
    stranger = await test.person('Stranger');
    await admin.post('/documents', { location: 'team/a.md', content: 'a' });
    await admin.post('/documents', { location: 'hidden/b.md', content: 'b' });
  });
  after(() => test.close());

  it('shows a place, its grants with kinds, and its readers with the ways', async () => {
    const agent = await test.host.principal('Bot', 'agent');
    const group = await test.host.group('Staff', { type: 'principal', id: agent });
    await test.host.grant('reader', { type: 'group', id: group }, 'team');
    const { json } = await lead.get('/sharing?location=team%2Fa.md');
    assert.deepEqual([json.scope_type, json.role, json.shares_from], ['document', 'approver', 'team']);
    const shares = await lead.get('/shares?scope_type=folder&scope_id=team');
    const shown: { readonly subject: { readonly kind: string; readonly display_name: string } }[] = shares.json.items;
    assert.deepEqual(shown.map(({ subject }) => `${subject.kind} ${subject.display_name}`).toSorted(), [
      'group Staff',
      'person Admin',
      'person Editor',
      'person Lead',
    ]);
    assert.equal(shares.json.items[0].inherited_from, '');
    const first = await editor.get('/readers?location=team&limit=2');
    const cursor = encodeURIComponent(first.json.next_cursor);
    const second = await editor.get(`/readers?location=team&limit=2&cursor=${cursor}`);
    const readers = [...first.json.items, ...second.json.items];
    assert.deepEqual(
      readers.map(({ principal, via }) => `${principal.display_name} ${via[0].groups.length}`),
      ['Admin 0', 'Bot 1', 'Editor 0', 'Lead 0'],
    );
    // The editor is not in the group, and no approver.
    assert.deepEqual(readers[1].via[0].groups, [{ id: null, display_name: null }]);
  });

  it('answers those without the role as if nothing were there', async () => {
    const change = { scope_type: 'folder', scope_id: 'team', subject: { type: 'principal', id: lead.principalId } };
    for (const answer of await Promise.all([
      lead.get('/sharing?location=hidden'),
      lead.get('/sharing?location=nothing'),
      lead.get('/readers?location=hidden%2Fb.md'),
      editor.get('/shares?scope_type=folder&scope_id=team'),
      editor.get('/subjects?text=Ad'),
      stranger.get('/subjects?text=Ad'),
      editor.post('/role-changes', { ...change, role: 'approver', to_role: 'reader' }),
      lead.post('/role-changes', { ...change, scope_id: 'hidden', role: 'reader', to_role: 'approver' }),
    ])) {
      assert.equal(answer.refusal, 'NOT_FOUND');
    }
  });

  it('finds whom to share with, and changes a role in one request that can be repeated', async () => {
    const { json } = await lead.get('/subjects?text=edi');
    assert.deepEqual(json.items, [
      { type: 'principal', id: editor.principalId, kind: 'person', display_name: 'Editor' },
    ]);
    const body = {
      scope_type: 'folder',
      scope_id: 'team',
      subject: { type: 'principal', id: editor.principalId },
      role: 'editor',
      to_role: 'reader',
    };
    const changed = await lead.post('/role-changes', body, { 'Idempotency-Key': 'once' });
    assert.equal(changed.json.role, 'reader');
    assert.deepEqual((await lead.post('/role-changes', body, { 'Idempotency-Key': 'once' })).json, changed.json);
    assert.equal((await lead.post('/role-changes', body)).refusal, 'NOT_FOUND');
    await lead.post('/role-changes', { ...body, role: 'reader', to_role: 'editor' });
    const last = { ...body, scope_id: '', subject: { type: 'principal', id: admin.principalId } };
    const refused = await admin.post('/role-changes', { ...last, role: 'approver', to_role: 'reader' });
    assert.equal(refused.refusal, 'CONFLICT last_approver');
  });

  it('lists where to move something, page by page, and nothing hidden', async () => {
    await admin.post('/folders', { location: 'team/one' });
    await admin.post('/folders', { location: 'team/two' });
    const { json } = await editor.get('/move-targets?location=team&limit=1');
    assert.deepEqual(json.items, [{ location: 'team/one', name: 'one', may_write: true }]);
    const cursor = encodeURIComponent(json.next_cursor);
    const next = await editor.get(`/move-targets?location=team&limit=1&cursor=${cursor}`);
    assert.deepEqual([next.json.items[0].name, next.json.next_cursor], ['two', null]);
    const top = await editor.get('/move-targets?location=');
    assert.deepEqual([top.json.may_write, top.json.items.length], [false, 1]);
    const absent = await editor.get('/move-targets?location=nothing');
    assert.deepEqual((await editor.get('/move-targets?location=hidden')).json, absent.json);
  });
});
