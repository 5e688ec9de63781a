import assert from 'node:assert/strict';
import { authenticate } from '../../lib/access/authenticate.js';
import { KnownKeys } from '../../lib/access/known-keys.js';
import { parseKey } from '../../lib/access/secret.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('a remembered key', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await openTestService();
  });
  afterEach(() => test.close());

  const open = (key: string): string => {
    const { journal, keys } = test.workspace;
    const { reader, keyStamp } = journal.sidecar;
    const found = authenticate(keys.at(reader, keyStamp), parseKey(key) ?? assert.fail(), 'rest', test.clock.now());
    return found.accepted ? 'accepted' : found.fault;
  };
  const idOf = (key: string): string => parseKey(key)?.credentialId ?? assert.fail();

  it('is refused from the first request after it was revoked, and so is one of a disabled principal', async () => {
    const revoked = await test.person('editor');
    const disabled = await test.person('editor');
    const { journal } = test.workspace;
    for (const { key } of [revoked, disabled]) assert.equal(open(key), 'accepted');
    await journal.write({ run: ({ tables, now }) => tables.credentials.revoke(idOf(revoked.key), now) });
    assert.equal(open(revoked.key), 'revoked');
    assert.equal(open(disabled.key), 'accepted');
    await journal.write({ run: ({ tables, now }) => tables.principals.setDisabled(disabled.id, now) });
    assert.equal(open(disabled.key), 'principal_disabled');
    await journal.write({ run: ({ tables }) => tables.principals.setDisabled(disabled.id, null) });
    assert.equal(open(disabled.key), 'accepted');
  });

  it('stays in force where its revocation was undone', async () => {
    const { key } = await test.person('editor');
    assert.equal(open(key), 'accepted');
    const write = test.workspace.journal.write({
      run({ tables, now }) {
        tables.credentials.revoke(idOf(key), now);
        throw new Error('on purpose');
      },
    });
    await assert.rejects(write);
    assert.equal(open(key), 'accepted');
  });

  it('is known from the first request after it was made, also where it was asked for before', async () => {
    const { id, key } = await test.person('editor');
    const { journal } = test.workspace;
    const stored = journal.reader.credentials.find(idOf(key)) ?? assert.fail();
    const later = { ...stored, id: stored.id.replace(/^./, stored.id.startsWith('0') ? '1' : '0') };
    const { reader, keyStamp } = journal.sidecar;
    const { keys } = test.workspace;
    assert.equal(keys.at(reader, keyStamp).credential(later.id), undefined);
    await journal.write({ run: ({ tables }) => tables.credentials.insert(later) });
    const { sidecar } = journal;
    assert.equal(keys.at(sidecar.reader, sidecar.keyStamp).credential(later.id)?.principalId, id);
  });

  it('is read once under a stamp, whether it is there or not, and again under another', () => {
    let reads = 0;
    const table = {
      find() {
        reads += 1;
        return undefined;
      },
    };
    const tables = { credentials: table, principals: table };
    const keys = new KnownKeys();
    for (let again = 0; again < 3; again += 1) keys.at(tables, 1).credential('absent');
    assert.equal(reads, 1);
    keys.at(tables, 2).credential('absent');
    assert.equal(reads, 2);
    for (let stranger = 0; stranger < 5000; stranger += 1) keys.at(tables, 2).credential(`stranger ${stranger}`);
    keys.at(tables, 2).credential('absent');
    assert.equal(reads, 5003);
  });
});
