import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('gains and losses of access by a move over REST', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver', '', 'Ada');
  });
  after(() => service.close());

  describe('the report of a move', () => {
    it('names who gains which role through which grant, and who loses', async () => {
      await ada.create('team/a.md');
      const [rita, tom] = [await server.host.person('reader', 'public', 'Rita'), await server.host.principal('Tom')];
      const group = await server.host.group('Crew', { type: 'principal', id: tom });
      await server.host.grant('editor', { type: 'group', id: group }, 'team');
      const refused = await move(ada);
      assert.equal(refused.refusal, 'CONFLICT access_would_widen');
      const { from, to, gains, losses, report } = refused.json.error.details;
      assert.deepEqual([from, to], ['team/a.md', 'public/a.md']);
      assert.deepEqual(gains, [
        {
          subject: { type: 'principal', id: rita.id, display_name: 'Rita' },
          from_role: null,
          to_role: 'reader',
          via: { scope_type: 'folder', scope_id: 'public' },
        },
      ]);
      assert.deepEqual(losses, [
        {
          subject: { type: 'group', id: group, display_name: 'Crew' },
          from_role: 'editor',
          to_role: null,
          via: { scope_type: 'folder', scope_id: 'team' },
        },
      ]);
      assert.match(report, /^[0-9a-f]{64}$/);
      const done = await move(ada, { acknowledge_access_change: true, access_report: report });
      assert.deepEqual([done.status, done.json.losses], [200, losses]);
      assert.equal((await server.as(rita.key).get('/v1/documents/public/a.md')).status, 200);
    });

    it('counts a higher role as a gain, and an equal one not', async () => {
      await ada.create('team/a.md');
      const up = await server.host.person('reader', 'team', 'Up');
      const same = await server.host.person('reader', 'team', 'Same');
      await server.host.grant('editor', { type: 'principal', id: up.id }, 'public');
      await server.host.grant('reader', { type: 'principal', id: same.id }, 'public');
      const { gains } = (await move(ada)).json.error.details;
      assert.deepEqual(
        gains.map(
          ({ subject, from_role, to_role }: { subject: { id: string }; from_role: string; to_role: string }) => [
            subject.id,
            from_role,
            to_role,
          ],
        ),
        [[up.id, 'reader', 'editor']],
      );
    });

    it('binds an acknowledgement that quotes it: refused again when it has changed, with the new one', async () => {
      await ada.create('team/a.md');
      await server.host.person('reader', 'public', 'Rita');
      const first = reportOf(await move(ada));
      await server.host.person('editor', 'public', 'Tom');
      const again = await move(ada, { acknowledge_access_change: true, access_report: first.report });
      assert.equal(again.refusal, 'CONFLICT access_report_changed');
      const second = reportOf(again);
      assert.equal(second.gains.length, 2);
      assert.notEqual(second.report, first.report);
      assert.equal((await move(ada, { access_report: second.report })).refusal, 'CONFLICT access_would_widen');
      const done = await move(ada, { acknowledge_access_change: true, access_report: second.report });
      assert.equal(done.status, 200);
    });

    it('has the same digest without a change, and another for another place', async () => {
      await ada.create('team/a.md');
      await ada.create('team/b.md');
      await server.host.person('reader', 'public', 'Rita');
      const [one, same] = [reportOf(await move(ada)), reportOf(await move(ada))];
      assert.equal(one.report, same.report);
      const other = await ada.post('/v1/moves', { location: 'team/b.md', to_folder: 'public' });
      assert.notEqual(reportOf(other).report, one.report);
      const wrong = { acknowledge_access_change: true, access_report: one.report };
      const refused = await ada.post('/v1/moves', { location: 'team/b.md', to_folder: 'public', ...wrong });
      assert.equal(refused.refusal, 'CONFLICT access_report_changed');
    });

    it('is not needed when no person gains any more, with any acknowledgement', async () => {
      await ada.create('team/a.md');
      const acknowledged = { acknowledge_access_change: true, access_report: 'f'.repeat(64) };
      assert.equal((await move(ada, acknowledged)).status, 200);
    });

    it('names a group only to its members and to approvers', async () => {
      await ada.create('team/a.md');
      const rita = await server.host.principal('Rita');
      const group = await server.host.group('Readers', { type: 'principal', id: rita });
      await server.host.grant('reader', { type: 'group', id: group }, 'public');
      const bob = await server.host.person('editor', 'team', 'Bob');
      await server.host.grant('editor', { type: 'principal', id: bob.id }, 'public');
      const subjectSeen = async (who: HttpClient): Promise<unknown> =>
        (await move(who)).json.error.details.gains[0].subject;
      assert.deepEqual(await subjectSeen(server.as(bob.key)), { type: 'group', id: null, display_name: null });
      const named = { type: 'group', id: group, display_name: 'Readers' };
      assert.deepEqual(await subjectSeen(ada), named);
      await server.host.join(group, { type: 'principal', id: bob.id });
      assert.deepEqual(await subjectSeen(server.as(bob.key)), named);
    });

    it('counts grants that wait on the target path and below it', async () => {
      await ada.create('team/f/deep/a.md');
      const rita = await server.host.principal('Rita');
      await server.host.grant('reader', { type: 'principal', id: rita }, 'public/f/deep');
      const refused = await ada.post('/v1/moves', { location: 'team/f', to_folder: 'public' });
      assert.equal(refused.refusal, 'CONFLICT access_would_widen');
      assert.deepEqual(refused.json.error.details.gains[0].via, { scope_type: 'folder', scope_id: 'public/f/deep' });
    });

    it('and the move that follows it are both in the audit log', async () => {
      await ada.create('team/a.md');
      await server.host.person('reader', 'public', 'Rita');
      await move(ada);
      await move(ada, { acknowledge_access_change: true });
      const moves = server.records().filter(({ record }) => record.action === 'item.move');
      assert.deepEqual(
        moves.map(({ record }) => [record.outcome, record.code]),
        [
          ['refused', 'CONFLICT'],
          ['done', null],
        ],
      );
    });

    const reportOf = (answer: HttpAnswer): Report => answer.json.error.details as Report;

    const move = (who: HttpClient, more: object = {}): Promise<HttpAnswer> =>
      who.post('/v1/moves', { location: 'team/a.md', to_folder: 'public', ...more });

    interface Report {
      readonly gains: readonly { readonly subject: { readonly id: string | null } }[];
      readonly report: string;
    }
  });

  describe('grants', () => {
    it('on a document go with it, on every move', async () => {
      await ada.create('team/a.md');
      const rita = await server.host.principal('Rita');
      await server.host.grant('reader', { type: 'principal', id: rita }, 'team/a.md', 'document');
      await ada.post('/v1/moves', { location: 'team/a.md', to_folder: 'elsewhere' });
      const reader = server.as(await server.host.key(rita));
      assert.equal((await reader.get('/v1/documents/elsewhere/a.md')).status, 200);
    });

    it('on a folder go along with an approver’s move, and stay behind at an editor’s, who sees the loss', async () => {
      const rita = await server.host.person('reader', 'team/f', 'Rita');
      const [mover, approver] = [await server.person('editor', '', 'Ed'), ada];
      await ada.create('team/f/a.md');
      const stayed = await mover.post('/v1/moves', { location: 'team/f', to_folder: 'x' });
      assert.deepEqual(
        stayed.json.losses.map(({ subject }: { subject: { id: string } }) => subject.id),
        [rita.id],
      );
      assert.equal((await server.as(rita.key).get('/v1/documents/x/f/a.md')).status, 404);
      await approver.create('team/f/b.md');
      const went = await approver.post('/v1/moves', { location: 'team/f', to_folder: 'y' });
      assert.deepEqual(went.json.losses, []);
      assert.equal((await server.as(rita.key).get('/v1/documents/y/f/b.md')).status, 200);
    });

    it('waiting at or below a document’s new place refuse it the place', async () => {
      await ada.create('team/x');
      const rita = await server.host.principal('Rita');
      await server.host.grant('reader', { type: 'principal', id: rita }, 'public/x/below');
      const refused = await ada.post('/v1/moves', { location: 'team/x', to_folder: 'public' });
      assert.equal(refused.refusal, 'CONFLICT name_taken');
    });
  });
});
