import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPolicy } from '../../lib/access/read-policy.js';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { setAside, type RemovalReceipt } from '../../lib/backup/removed-workspace.js';
import { formatTime } from '../../lib/domain/clock.js';
import { parseLocation } from '../../lib/domain/location.js';
import type { Policy } from '../../lib/domain/policy.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import type { ReadOperation } from '../../lib/operations/operation.js';
import { perform } from '../../lib/operations/perform.js';
import { showPolicy } from '../../lib/operations/workspaces/change-policy.js';
import { reportStatus } from '../../lib/commands/operator/inspect.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { Gate } from '../support/faults/gate.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('Removing a workspace', () => {
  let dataFolder: string;
  let faults: string[];
  const opened: Service[] = [];

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-removed-'));
    faults = [];
  });
  afterEach(async () => {
    for (const service of opened.splice(0)) await service.close();
    await rm(dataFolder, { recursive: true, force: true });
  });

  it('takes its name again, says what would go, and offers a last backup', async () => {
    const service = await open();
    await fill(service);
    const said =
      /yes must be beta, .* 1 documents with their versions.*no backup.*cartulary backup FOLDER --workspace beta/;
    await assert.rejects(ask(service, 'workspace.remove', { name: 'beta' }), said);
    await assert.rejects(ask(service, 'workspace.remove', { name: 'beta', yes: 'acme' }), said);
    await assert.rejects(
      ask(service, 'workspace.remove', { name: 'delta', yes: 'delta' }),
      /There are: acme, beta, gamma/,
    );
    assert.deepEqual(service.names(), ['acme', 'beta', 'gamma']);
  });

  it('deletes its rows and its files, leaves the others as they are, and leaves a receipt', async () => {
    const service = await open();
    await fill(service);
    inService(
      `INSERT INTO oauth_grant (id, identity_id, workspace, principal_id, client_id, client_name, redirect_host, scope,
        created_at, expires_at) VALUES ('oag_1', 'x', 'gamma', 'p', 'c', 'n', 'h', 's', 1, 2) RETURNING id`,
    );
    const key = service.find('gamma')!.signer.publicKey;
    await ask(service, 'workspace.remove', { name: 'gamma', yes: 'gamma' });
    assert.deepEqual(service.names(), ['acme', 'beta']);
    assert.equal(service.find('gamma'), undefined);
    assert.deepEqual(tracesOf('gamma'), []);
    assert.deepEqual(inService('SELECT sign_in_name FROM identity'), ['ada@example.org'], 'Ben was in no other');
    assert.deepEqual((await readdir(dataFolder)).filter((name) => name.includes('gamma')).length, 1);
    const [receipt] = await receiptsOf('gamma');
    assert.deepEqual([receipt?.workspace, receipt?.documents, receipt?.audit_key], ['gamma', 0, key]);
    assert.ok((receipt?.audit?.seq ?? 0) > 0);
    await ask(service, 'workspace.remove', { name: 'beta', yes: 'beta' });
    assert.deepEqual(inService('SELECT workspace FROM membership'), ['acme']);
    assert.equal(await new Actor(service.find('acme')!, operator.principalId).read('a.md'), 'of acme');
    assert.equal((await service.readiness()).isReady, true);
    await close(service);
    const again = await open();
    assert.deepEqual(again.names(), ['acme']);
    assert.deepEqual(faults, []);
  });

  it('lets another workspace take the name, which knows nothing of the first', async () => {
    const service = await open();
    await fill(service);
    await ask(service, 'workspace.remove', { name: 'beta', yes: 'beta' });
    await ask(service, 'init', { workspace: 'beta', admin: 'Cem', sign_in: 'cem@example.org' });
    const second = new Actor(service.find('beta')!, operator.principalId);
    assert.equal(await outcomeOf(second.read('a.md')), 'NOT_FOUND');
    await second.create('b.md', 'second');
    await close(service);
    const again = await open();
    assert.equal(await new Actor(again.find('beta')!, operator.principalId).read('b.md'), 'second');
    assert.deepEqual(inService("SELECT count(*) FROM membership WHERE workspace = 'beta'"), [1]);
  });

  const receiptOf = (createdAt: number): RemovalReceipt => ({
    workspace: 'beta',
    created_at: formatTime(createdAt),
    removed_at: '2027-01-31T12:00:00.000Z',
    documents: 1,
    commit: null,
    audit: null,
    audit_key: null,
    last_backup_at: null,
  });

  it('goes on at the next start where the process ended behind the decision, and nothing happens before it', async () => {
    const service = await open();
    await fill(service);
    const { createdAt } = service.listWorkspaces().find(({ name }) => name === 'beta')!;
    await close(service);
    // Before the rename, the receipt lies in the folder.
    await cp(join(dataFolder, 'beta'), join(dataFolder, 'kept'), { recursive: true });
    await setAside(dataFolder, receiptOf(createdAt));
    await cp(join(dataFolder, '.beta.removing', 'removed.json'), join(dataFolder, 'kept', 'removed.json'));
    await rename(join(dataFolder, '.beta.removing'), join(dataFolder, 'decided'));
    await rename(join(dataFolder, 'kept'), join(dataFolder, 'beta'));
    const before = await open();
    assert.equal(await new Actor(before.find('beta')!, operator.principalId).read('a.md'), 'of beta');
    await close(before);
    // After it.
    await rm(join(dataFolder, 'beta'), { recursive: true });
    await rename(join(dataFolder, 'decided'), join(dataFolder, '.beta.removing'));
    const after = await open();
    assert.deepEqual(after.names(), ['acme', 'gamma']);
    assert.deepEqual(tracesOf('beta'), []);
    assert.equal((await receiptsOf('beta')).length, 1);
    assert.ok(!existsSync(join(dataFolder, '.beta.removing')));
    assert.deepEqual(faults, []);
  });

  it('takes nothing from a later workspace of the name where an earlier one could not be cleared away', async () => {
    const service = await open();
    await fill(service);
    const { createdAt } = service.listWorkspaces().find(({ name }) => name === 'beta')!;
    await close(service);
    await cp(join(dataFolder, 'beta'), join(dataFolder, 'kept'), { recursive: true });
    await setAside(dataFolder, receiptOf(createdAt - 1000));
    await rename(join(dataFolder, 'kept'), join(dataFolder, 'beta'));
    const after = await open();
    assert.equal(await new Actor(after.find('beta')!, operator.principalId).read('a.md'), 'of beta');
    assert.ok(tracesOf('beta').length > 3);
    assert.ok(!existsSync(join(dataFolder, '.beta.removing')));
  });

  it('removes one whose folder is gone, and the service is ready again', async () => {
    const service = await open();
    await fill(service);
    await close(service);
    await rm(join(dataFolder, 'beta'), { recursive: true });
    const without = await open();
    assert.equal((await without.readiness()).workspaces, 'failed');
    assert.deepEqual(await ask(without, 'workspace.list', {}), {
      items: without.listWorkspaces().map(({ name, createdAt }) => ({
        name,
        title: name === 'beta' ? null : name,
        created_at: formatTime(createdAt),
        state: name === 'beta' ? 'not served' : 'served',
      })),
    });
    assert.equal(await new Actor(without.find('acme')!, operator.principalId).read('a.md'), 'of acme');
    const status = await reportStatus({ dataFolder, workspace: null, git: 'auto' });
    assert.deepEqual(
      status.map(({ name, problem }) => [name, problem === null]),
      [
        ['acme', true],
        ['beta', false],
        ['gamma', true],
      ],
    );
    const health = (await ask(without, 'health.report', {})) as { workspaces: string };
    assert.equal(health.workspaces, 'failed');
    assert.equal(((await ask(without, 'search.report', {})) as unknown[]).length, 2);
    await assert.rejects(ask(without, 'workspace.remove', { name: 'beta' }), /cannot be opened/);
    await ask(without, 'workspace.remove', { name: 'beta', yes: 'beta' });
    assert.deepEqual(without.names(), ['acme', 'gamma']);
    assert.deepEqual(tracesOf('beta'), []);
    const [receipt] = await receiptsOf('beta');
    assert.deepEqual([receipt?.documents, receipt?.audit], [null, null]);
    await close(without);
    const again = await open();
    assert.equal((await again.readiness()).isReady, true);
  });

  describe('while requests are under way', () => {
    const refusals = ['UNAVAILABLE', 'NOT_FOUND'];

    it('has what was acknowledged meanwhile in the receipt', async () => {
      const service = await open();
      await fill(service);
      const workspace = service.find('beta')!;
      const writer = new Actor(workspace, operator.principalId);
      const close = workspace.chainChecks.close.bind(workspace.chainChecks);
      // The removal has begun: the workspace is found no more, and its parts end one after the other.
      workspace.chainChecks.close = async () => {
        assert.equal(service.find('beta'), undefined);
        await writer.create('late.md', 'acknowledged');
        return close();
      };
      const receipt = await service.removeWorkspace('beta');
      assert.equal(receipt.documents, 2);
      assert.equal(receipt.commit, workspace.journal.state.head);
      assert.equal(receipt.audit?.hash, workspace.journal.state.chain.hash);
      assert.deepEqual(await receiptsOf('beta'), [receipt]);
      assert.deepEqual(faults, []);
    });

    for (const [when, isBefore] of [
      ['before it has prepared anything', true],
      ['when it has prepared all', false],
    ] as const) {
      it(`refuses a write that is held up over it, ${when}, and acknowledges nothing`, async () => {
        const service = await open();
        await fill(service);
        const workspace = service.find('beta')!;
        const gate = new Gate();
        const held: typeof createDocument = {
          ...createDocument,
          async prepare(context, input) {
            if (isBefore) await gate.pass();
            const prepared = await createDocument.prepare!(context, input);
            if (!isBefore) await gate.pass();
            return prepared;
          },
        };
        const outcome = outcomeOf(
          perform(workspace, operator, held, {
            location: parseLocation('late.md'),
            content: { bytes: Buffer.from('late') },
            labels: [],
            message: null,
          }),
        );
        await gate.reached;
        const receipt = await service.removeWorkspace('beta');
        assert.equal(receipt.documents, 1);
        gate.open();
        assert.ok(refusals.includes(await outcome), await outcome);
        assert.deepEqual(faults, []);
        assert.equal(existsSync(join(dataFolder, 'beta')), false);
      });
    }

    it('refuses a read that is held up over it', async () => {
      const service = await open();
      await fill(service);
      const workspace = service.find('beta')!;
      const gate = new Gate();
      const held: ReadOperation<Record<string, never>, Policy> = {
        ...showPolicy,
        async run({ workspace: { journal } }) {
          await gate.pass();
          return readPolicy(journal.reader);
        },
      };
      const outcome = outcomeOf(perform(workspace, operator, held, {}));
      await gate.reached;
      await service.removeWorkspace('beta');
      gate.open();
      assert.ok(refusals.includes(await outcome), await outcome);
    });
  });

  it('leaves it served where its files cannot be set aside', async () => {
    const service = await open();
    await fill(service);
    // The receipt cannot be written.
    await mkdir(join(dataFolder, 'beta', 'removed.json'));
    await assert.rejects(service.removeWorkspace('beta'), /EISDIR/);
    assert.ok(!existsSync(join(dataFolder, '.beta.removing')));
    assert.deepEqual(service.names(), ['acme', 'beta', 'gamma']);
    assert.ok(tracesOf('beta').length > 3);
  });

  /** Every text of the service's file that names the workspace. */
  const tracesOf = (name: string): unknown[] => [
    ...inService(`SELECT name FROM workspace WHERE name = '${name}'`),
    ...inService(`SELECT purpose FROM service_key WHERE purpose LIKE '%:${name}'`),
    ...inService(`SELECT principal_id FROM membership WHERE workspace = '${name}'`),
    ...inService(`SELECT principal_id FROM one_time_link WHERE workspace = '${name}'`),
    ...inService(`SELECT id FROM oauth_grant WHERE workspace = '${name}'`),
    ...inService(`SELECT number FROM pending_record WHERE workspace = '${name}'`),
    ...inService(`SELECT number FROM recorded_mark WHERE workspace = '${name}'`),
  ];

  const receiptsOf = async (name: string): Promise<RemovalReceipt[]> => {
    const files = (await readdir(dataFolder)).filter((file) => file.startsWith(`${name}.removed-`));
    return Promise.all(
      files.map(async (file) => JSON.parse(await readFile(join(dataFolder, file), 'utf8')) as RemovalReceipt),
    );
  };

  async function open(): Promise<Service> {
    const service = await Service.open({
      dataFolder,
      git: 'auto',
      clock: systemClock,
      randomness: makeSystemRandomness(),
      onFault: (what) => void faults.push(what),
    });
    opened.push(service);
    return service;
  }

  async function close(service: Service): Promise<void> {
    opened.splice(opened.indexOf(service), 1);
    await service.close();
  }

  async function ask(service: Service, command: string, fields: object): Promise<unknown> {
    const answer = await runCommand(
      { command, fields: { ...fields } },
      {
        host: service,
        server: null,
        address: 'http://127.0.0.1:8080',
        onProgress: () => Promise.resolve(),
        signal: new AbortController().signal,
        onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
      },
    );
    if ('error' in answer) throw new Error(answer.error.message);
    return answer.result;
  }

  /** Two workspaces, with a person in both, a person in one, and a document each. */
  async function fill(service: Service): Promise<void> {
    for (const workspace of ['acme', 'beta']) {
      await ask(service, 'init', { workspace, admin: 'Ada', sign_in: 'ada@example.org' });
      await new Actor(service.find(workspace)!, operator.principalId).create('a.md', `of ${workspace}`);
    }
    await ask(service, 'init', { workspace: 'gamma', admin: 'Ben', sign_in: 'ben@example.org' });
  }

  function inService(sql: string): unknown[] {
    const file = new Sqlite(join(dataFolder, 'service.sqlite'));
    try {
      return file.prepare(sql).pluck().all();
    } finally {
      file.close();
    }
  }
});
