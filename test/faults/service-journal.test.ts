import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { rootLocation } from '../../lib/domain/location.js';
import type { OAuthGrant } from '../../lib/domain/oauth-grant.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import type { Actor } from '../../lib/operations/operation.js';
import { perform } from '../../lib/operations/perform.js';
import { performOwn } from '../../lib/operations/perform-own.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { giveConsent, issueToken } from '../../lib/operations/principals/change-consent.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { beginSession } from '../../lib/operations/principals/change-session.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { makeTestRandomness, operator, TestClock } from '../support/store/service.js';
import { FailingSidecars } from './failing-sidecar.js';
import { reportStatus } from '../../lib/commands/operator/inspect.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('a change of people, sessions, links and consents, and its audit record', () => {
  const clock = new TestClock();
  const entry = { kind: 'AuthorizationCode', idHash: Buffer.from('code') };
  let folder: string;
  let sidecars: FailingSidecars;
  let service: Service;
  let ada: string;
  const copies: string[] = [];
  const faults: string[] = [];

  async function open(from = folder): Promise<Service> {
    return Service.open({
      dataFolder: from,
      git: 'never',
      clock,
      randomness: makeTestRandomness(String(clock.now())),
      onFault: (what) => void faults.push(what),
      openSidecar: sidecars.open,
    });
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
    sidecars = new FailingSidecars();
    service = await open();
    const workspace = await service.addWorkspace('acme');
    const add = async (displayName: string): Promise<string> =>
      (await perform(workspace, operator, addPrincipal, { displayName, kind: 'person' })).result.id;
    ada = await add('Ada');
    await perform(workspace, operator, createGrant, {
      scopeType: 'folder',
      location: rootLocation,
      subject: { type: 'principal', id: await add('Root') },
      role: 'approver',
    });
    await issue();
  });
  afterEach(async () => {
    sidecars.disarm();
    await service.close();
    for (const each of [folder, ...copies.splice(0)]) await rm(each, { recursive: true, force: true });
  });

  const workspaceOf = (of: Service): Workspace => {
    const workspace = of.find('acme');
    assert.ok(workspace !== undefined);
    return workspace;
  };
  const count = (action: string, of = service): number =>
    workspaceOf(of)
      .journal.reader.audit.after(0, 1000)
      .filter((row) => row.action === action && row.code === null).length;
  const issue = async (): Promise<string> =>
    (await perform(workspaceOf(service), operator, issueLink, { principalId: ada })).result.secret;
  const identityId = (of = service): string => of.people.identities.findOf('acme', ada)?.id ?? '';
  const actor = (): Actor => ({
    workspace: 'acme',
    caller: { principalId: ada, kind: 'person', credentialId: null, interface: 'console', requestId: 'req_test' },
  });
  const session = () => ({
    identityId: identityId(),
    method: 'link' as const,
    browser: 'b',
    address: '::1',
    before: undefined,
  });
  const signIn = () => performOwn(service.journal, [actor()], beginSession, session());

  /** The files of a process killed at this moment, opened by another one. */
  async function openAfterKill(): Promise<Service> {
    const copy = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
    copies.push(copy);
    await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith('owner.lock') });
    return open(copy);
  }

  it('is recorded once where the process is killed between the change and the record', async () => {
    service.journal.change(({ people, record }) => {
      people.sessions.begin(session());
      const event = { principal: ada, credential: null, interface: 'console', requestId: null } as const;
      record('acme', { ...event, action: 'session.begin', outcome: 'done' });
    });
    assert.equal(count('session.begin'), 0);
    const again = await openAfterKill();
    assert.equal(count('session.begin', again), 1);
    assert.equal(again.people.sessions.listOf(identityId(again)).length, 1);
    await again.close();
    const third = await open(copies.at(-1));
    assert.deepEqual(third.file.records.workspaces(), []);
    assert.equal(count('session.begin', third), 1);
    await third.close();
  });

  describe('beside an older copy of the file', () => {
    /** A copy of the data folder with the service's file as it is now; the rest follows by `rest`. */
    async function keepServiceFile(): Promise<(into: string) => Promise<void>> {
      const kept = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
      copies.push(kept);
      for (const name of ['service.sqlite', 'service.sqlite-wal']) {
        await cp(join(folder, name), join(kept, name)).catch(() => undefined);
      }
      return async (into) => {
        for (const name of ['service.sqlite', 'service.sqlite-wal', 'service.sqlite-shm']) {
          await rm(join(into, name), { force: true });
          await cp(join(kept, name), join(into, name)).catch(() => undefined);
        }
      };
    }
    const olderFiles = (of: Service): number => count('service.file_older', of);

    it('is recorded nevertheless, once each, and the log of the workspace says what happened', async () => {
      await signIn();
      await service.close();
      const putBack = await keepServiceFile();
      service = await open();
      for (let times = 0; times < 6; times += 1) await signIn();
      await service.close();
      await putBack(folder);
      clock.advance(1000);
      service = await open();
      assert.deepEqual([count('session.begin'), olderFiles(service)], [7, 1]);
      assert.match(faults.join(), /service\.sqlite is older than the workspace acme/);
      await signIn();
      assert.equal(count('session.begin'), 8);
      await service.close();
      service = await open();
      await signIn();
      assert.deepEqual([count('session.begin'), olderFiles(service)], [9, 1]);
      const [status] = await reportStatus({ dataFolder: folder, workspace: 'acme', git: 'never' });
      assert.match(JSON.stringify(status?.['warnings']), /service\.sqlite was an older copy/);
    });

    it('is recorded once too where the file was copied before the workspace, while it was served', async () => {
      await signIn();
      const putBack = await keepServiceFile();
      for (let times = 0; times < 5; times += 1) await signIn();
      const copy = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
      copies.push(copy);
      await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith('owner.lock') });
      await putBack(copy);
      clock.advance(1000);
      const other = await open(copy);
      assert.deepEqual([count('session.begin', other), olderFiles(other)], [6, 1]);
      // Killed between the change and the record, and opened once more.
      other.journal.change(({ record }) => {
        const event = { principal: ada, credential: null, interface: 'console', requestId: null } as const;
        record('acme', { ...event, action: 'session.begin', outcome: 'done' });
      });
      const again = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
      copies.push(again);
      await cp(copy, again, { recursive: true, filter: (path) => !path.endsWith('owner.lock') });
      await other.close();
      const third = await open(again);
      assert.deepEqual([count('session.begin', third), olderFiles(third)], [7, 1]);
      await third.close();
    });

    it('is recorded once beside an older copy of the workspace, which is no fault of the file', async () => {
      await signIn();
      await service.close();
      const copy = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
      copies.push(copy);
      await cp(join(folder, 'acme'), join(copy, 'acme'), { recursive: true });
      service = await open();
      for (let times = 0; times < 3; times += 1) await signIn();
      await service.close();
      await rm(join(folder, 'acme'), { recursive: true });
      await cp(join(copy, 'acme'), join(folder, 'acme'), { recursive: true });
      clock.advance(1000);
      service = await open();
      await signIn();
      assert.deepEqual([count('session.begin'), olderFiles(service)], [2, 0]);
    });
  });

  it('is recorded once where the process is killed after the record, and before its row is taken off the list', async () => {
    await signIn();
    assert.deepEqual(service.file.records.workspaces(), ['acme']);
    const again = await openAfterKill();
    assert.equal(count('session.begin', again), 1);
    await again.journal.settleAll();
    assert.equal(count('session.begin', again), 1);
    await again.close();
    const third = await open(copies.at(-1));
    assert.deepEqual(third.file.records.workspaces(), []);
    assert.equal(count('session.begin', third), 1);
    await third.close();
  });

  for (const fault of ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC'] as const) {
    for (const when of ['before', 'after'] as const) {
      it(`is not answered before it is recorded, and recorded once: ${fault}, ${when} any call`, async () => {
        let expected = count('link.issue');
        let failed = 0;
        for (let call = 1; ; call += 1) {
          sidecars.arm(call, fault, { when });
          const secret = await issue().catch(() => undefined);
          const hasFailed = sidecars.failed !== undefined;
          sidecars.disarm();
          if (secret === undefined) failed += 1;
          // Unanswered changes count all the same.
          expected += 1;
          clock.advance(2000);
          await service.journal.settleAll();
          assert.equal(count('link.issue'), expected, `call ${call}, ${sidecars.failed}`);
          if (secret !== undefined) assert.notEqual(service.people.links.look(secret), undefined);
          if (!hasFailed) break;
        }
        assert.ok(failed > 3, `only ${failed} calls failed`);
      });
    }
  }

  it('is answered where the commit of its record was durable and reported as failed', async () => {
    const before = count('session.begin');
    sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_IOERR_FSYNC', { when: 'after' });
    const { secret } = await signIn();
    assert.notEqual(service.people.sessions.read(secret), undefined);
    assert.equal(count('session.begin'), before + 1);
    await service.journal.settleAll();
    assert.equal(count('session.begin'), before + 1);
  });

  it('is tried again by itself, and after the next opening', async () => {
    sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_FULL', { mayOpen: false });
    await assert.rejects(signIn(), { code: 'UNAVAILABLE' });
    sidecars.disarm();
    clock.advance(2000);
    for (let tries = 0; count('session.begin') === 0 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.equal(count('session.begin'), 1);
    sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_FULL', { mayOpen: false });
    await assert.rejects(signIn(), { code: 'UNAVAILABLE' });
    sidecars.disarm();
    const again = await openAfterKill();
    assert.equal(count('session.begin', again), 2);
    await again.close();
  });

  describe('of a code exchanged for tokens', () => {
    let grant: OAuthGrant;
    beforeEach(async () => {
      grant = {
        id: 'oag_1',
        identityId: identityId(),
        workspace: 'acme',
        principalId: ada,
        clientId: 'client',
        clientName: 'Client',
        redirectHost: 'example.org',
        scopes: ['org:read'],
        createdAt: clock.now(),
        expiresAt: clock.now() + 1000,
        lastUsedAt: null,
        revokedAt: null,
      };
      await performOwn(service.journal, [actor()], giveConsent, grant);
      const kept = { grantId: grant.id, uid: null, accountId: null, content: Buffer.alloc(1) };
      service.file.oauth.putEntry({ ...entry, ...kept, consumedAt: null, expiresAt: null });
    });

    const exchange = () => performOwn(service.journal, [actor()], issueToken, { grant, entry });
    const isUsed = (of = service): boolean => of.file.oauth.findEntry(entry.kind, entry.idHash)?.consumedAt !== null;

    it('takes the use back where the record cannot be made', async () => {
      sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_FULL');
      await assert.rejects(exchange(), { code: 'UNAVAILABLE' });
      assert.ok(!isUsed());
      assert.equal(await exchange(), true);
      assert.ok(isUsed());
      await service.journal.settleAll();
      assert.equal(count('token.issue'), 1);
    });

    it('takes it back once the workspace can be read again', async () => {
      sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_FULL', { mayOpen: false });
      await assert.rejects(exchange(), { code: 'UNAVAILABLE' });
      assert.ok(isUsed() && service.journal.isUnsettled('acme'));
      sidecars.disarm();
      clock.advance(2000);
      await service.journal.settle('acme');
      assert.ok(!isUsed() && !service.journal.isUnsettled('acme'));
      assert.equal(count('token.issue'), 0);
      assert.equal(await exchange(), true);
      assert.equal(count('token.issue'), 1);
    });

    it('takes it back where the process was killed before the record', async () => {
      service.journal.change(({ oauth, now, record }) => {
        oauth.consume(entry.kind, entry.idHash, now);
        const event = { principal: ada, credential: null, interface: 'mcp', requestId: null } as const;
        record('acme', { ...event, action: 'token.issue', outcome: 'done' }, { undo: entry });
      });
      const again = await openAfterKill();
      assert.ok(!isUsed(again));
      assert.equal(count('token.issue', again), 0);
      await again.close();
    });

    it('stays used where it was used once more meanwhile', async () => {
      sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_FULL');
      const [first, second] = await Promise.allSettled([exchange(), exchange()]);
      assert.deepEqual([first.status, second.status], ['rejected', 'rejected']);
      assert.ok(isUsed());
      await service.journal.settleAll();
      assert.equal(count('token.issue'), 2);
    });
  });

  describe('of a disabled principal', () => {
    const disable = (disabled = true) =>
      perform(workspaceOf(service), operator, setPrincipalState, { principalId: ada, disabled });
    const sessionsOf = (of = service): number => of.people.sessions.listOf(identityId(of)).length;

    /** Another program holds the service's file, so that it cannot be written. */
    async function whileLocked(work: () => Promise<unknown>): Promise<void> {
      const other = new Sqlite(join(folder, 'service.sqlite'));
      other.exec('BEGIN IMMEDIATE');
      try {
        await work();
      } finally {
        other.exec('ROLLBACK');
        other.close();
      }
    }

    it('ends its sessions at the next opening where the service’s file failed', async () => {
      await signIn();
      await whileLocked(() => assert.rejects(disable(), { code: 'INTERNAL' }));
      assert.equal(sessionsOf(), 1);
      assert.equal(count('principal.set_state'), 1);
      const again = await openAfterKill();
      assert.equal(sessionsOf(again), 0);
      assert.equal(count('principal.set_state', again), 1);
      await again.close();
    });

    it('ends them before it is enabled again', async () => {
      await signIn();
      await whileLocked(() => assert.rejects(disable(), { code: 'INTERNAL' }));
      await disable(false);
      assert.equal(sessionsOf(), 0);
      clock.advance(1);
      await signIn();
      const again = await openAfterKill();
      assert.equal(sessionsOf(again), 1, 'what began afterwards stays');
      await again.close();
    });

    it('keeps its sessions where the workspace’s file failed', async () => {
      await signIn();
      sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_FULL');
      await assert.rejects(disable(), { code: 'UNAVAILABLE' });
      assert.equal(sessionsOf(), 1);
      assert.equal((await disable()).result.ended?.sessions, 1);
      assert.equal(sessionsOf(), 0);
    });

    it('has no link where the service’s file failed, and no record of one', async () => {
      const before = count('link.issue');
      await whileLocked(() => assert.rejects(issue(), { code: 'INTERNAL' }));
      await service.journal.settleAll();
      assert.equal(count('link.issue'), before);
      await issue();
      assert.equal(count('link.issue'), before + 1);
    });
  });
}).timeout(60_000);
