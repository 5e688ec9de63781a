import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitKind } from '../../../lib/connectors/git/git-kind.js';
import { eraseSteps } from '../../../lib/erase/erase-step.js';
import { parseLocation } from '../../../lib/domain/location.js';
import { connectSource } from '../../../lib/operations/connectors/connect-source.js';
import { disconnectSource } from '../../../lib/operations/connectors/disconnect-source.js';
import { readConnector, type ConnectorInput } from '../../../lib/operations/connectors/list-connectors.js';
import { pauseConnector, syncNow } from '../../../lib/operations/connectors/steer-connector.js';
import { GitServer } from '../../support/git/git-server.js';
import { makeUpstream } from '../../support/git/upstream.js';
import { noLog } from '../../support/http/log.js';
import { Client } from '../../support/store/client.js';
import { eraseAt } from '../../support/store/erase-at.js';
import { findTraces } from '../../support/store/evidence.js';
import { openTestService, operator, type TestService } from '../../support/store/service.js';
import { until } from '../../support/until.js';

const text = 'a sentence that nobody may ever read again';
const password = 'correct horse battery staple';

describe('What is kept of a source between runs', () => {
  let folder: string;
  let server: GitServer;
  let test: TestService;
  let input: ConnectorInput;
  let copies: string;
  let admin: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-copies-'));
    await makeUpstream(folder, 'notes.git').commit({ 'a.md': text, 'b.md': 'something else' });
    server = await GitServer.open(folder, { credentials: { username: 'ada', password } });
    test = await openTestService({
      store: 'disk',
      connectors: {
        allowance: { hosts: [server.host], folders: [], programs: {} },
        log: noLog,
        kinds: { git: () => Promise.resolve(gitKind) },
      },
    });
    admin = new Client(test.workspace, operator.principalId);
    const settings = { url: server.url('notes.git'), username: 'ada' };
    const location = parseLocation('docs');
    const connection = { kind: 'git', settings, secret: password, name: 'Notes', location } as const;
    input = { connectorId: (await admin.perform(connectSource, connection)).id };
    copies = join(test.dataFolder ?? '', 'acme', 'sources', input.connectorId);
    await test.service.startSchedules();
    await until('the source is mirrored', async () => {
      const { lastRun } = await admin.perform(readConnector, input);
      return lastRun?.outcome === 'changed';
    });
    assert.ok(existsSync(copies));
  });
  afterEach(async () => {
    await test.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('the stored copy of a source holds no secret', () => {
    const encoded = Buffer.from(`ada:${password}`).toString('base64');
    assert.deepEqual(findTraces(test.dataFolder ?? '', [password, encoded], []), []);
  });

  it('goes with a document that is erased', async () => {
    await admin.perform(pauseConnector, input);
    const { id } = await eraseAt(test.workspace, 'docs/a.md');
    await test.workspace.eraser.finished(id);
    assert.ok(!existsSync(copies));
    assert.deepEqual(findTraces(test.dataFolder ?? '', [text], []), []);
  });

  it('does not come back before the receipt is final, and the run that was asked for follows it', async () => {
    const { workspace } = test;
    const runs = (): number => workspace.journal.reader.connectorRuns.list(input.connectorId, 1000, 10).length;
    const before = runs();
    const { id } = await eraseAt(workspace, 'docs/a.md');
    let asked: Promise<unknown> | undefined;
    const whileErasing: unknown[] = [];
    await workspace.eraser.finished(id, (step) => {
      if (step === 'checkpointed') asked = admin.perform(syncNow, input);
      if (asked !== undefined) whileErasing.push([step, runs(), existsSync(copies)]);
    });
    // Nothing is copied elsewhere.
    const steps = eraseSteps.slice(eraseSteps.indexOf('checkpointed')).filter((step) => step !== 'uncopied');
    assert.deepEqual(
      whileErasing,
      steps.map((step) => [step, before, false]),
    );
    await asked;
    await until('the run that was asked for has ended', async () => {
      const { lastRun } = await admin.perform(readConnector, input);
      return runs() > before && lastRun?.outcome === 'unchanged';
    });
  });

  it('the stored copy of a source is removed with the connection', async () => {
    await admin.perform(disconnectSource, { ...input, documents: 'keep' });
    await until('the copy is gone', () => !existsSync(copies));
  });
});
