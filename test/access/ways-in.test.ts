import assert from 'node:assert/strict';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { revokeCredential, rotateCredential } from '../../lib/operations/credentials/change-credential.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { parseKey } from '../../lib/access/secret.js';
import { outcomeOf } from '../support/store/actor.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

const last = 'CONFLICT last_approver';

describe('the last admin with a way in', () => {
  let service: TestService;
  let ada: { readonly id: string; readonly key: string };

  beforeEach(async () => {
    service = await openTestService();
    ada = await service.person('approver', '', 'Ada');
  });
  afterEach(() => service.close());

  it('keeps its grant, its group and its state while the others have no key', async () => {
    const bot = await keyless();
    assert.equal(await outcomeOf(service.revoke('approver', subject(ada.id), '')), last);
    assert.equal(await disable(ada.id), last);
    await service.key(bot, ['mcp'], service.clock.now() + 1000);
    service.clock.advance(1000);
    assert.equal(await disable(ada.id), last);
    await service.key(bot);
    assert.equal(await outcomeOf(service.revoke('approver', subject(ada.id), '')), 'done');
  });

  it('keeps its last key, which can be rotated', async () => {
    const second = await service.key(ada.id);
    assert.equal(await revokeKey(ada.key), 'done');
    assert.equal(await revokeKey(second), last);
    const input = { credentialId: credentialId(second) };
    assert.equal(await outcomeOf(perform(service.workspace, operator, rotateCredential, input)), 'done');
    assert.equal(await revokeKey(ada.key), 'done');
  });

  it('is not replaced by an admin whose key is for git or MCP alone, which give nobody access', async () => {
    for (const only of ['git', 'mcp'] as const) {
      const other = await service.principal(`For ${only}`);
      await service.grant('approver', subject(other), '');
      await service.key(other, [only]);
      assert.equal(await revokeKey(ada.key), last, only);
      assert.equal(await disable(ada.id), last, only);
    }
    await service.key(await keyless(), ['mcp', 'rest']);
    assert.equal(await revokeKey(ada.key), 'done');
  });

  it('rotates no key that has expired, whose new secret would open nothing', async () => {
    const key = await service.key(ada.id, ['rest'], service.clock.now() + 1000);
    const rotate = () =>
      outcomeOf(perform(service.workspace, operator, rotateCredential, { credentialId: credentialId(key) }));
    assert.equal(await rotate(), 'done');
    service.clock.advance(1000);
    assert.equal(await rotate(), 'CONFLICT credential_expired');
  });

  it('may lose it when there is a password, and not for a link to choose one', async () => {
    const secret = await link(ada.id);
    assert.equal(await revokeKey(ada.key), last);
    const { links, passwords } = service.service.people;
    assert.notEqual(links.use(secret, await passwords.hash('a long enough password')), undefined);
    assert.equal(await revokeKey(ada.key), 'done');
    assert.equal(await disable(ada.id), last);
  });

  it('is not sought where no admin has one', async () => {
    const bare = await openTestService();
    try {
      const [first, second] = [await bare.principal('First'), await bare.principal('Second')];
      for (const id of [first, second]) await bare.grant('approver', subject(id), '');
      assert.equal(await outcomeOf(bare.revoke('approver', subject(first), '')), 'done');
      assert.equal(await outcomeOf(bare.revoke('approver', subject(second), '')), last);
    } finally {
      await bare.close();
    }
  });

  const subject = (id: string) => ({ type: 'principal', id }) as const;

  const credentialId = (key: string): string => parseKey(key)?.credentialId ?? '';

  const revokeKey = (key: string) =>
    outcomeOf(perform(service.workspace, operator, revokeCredential, { credentialId: credentialId(key) }));

  const disable = (principalId: string) =>
    outcomeOf(perform(service.workspace, operator, setPrincipalState, { principalId, disabled: true }));

  /** An agent with the right to administer, and no key so far. */
  async function keyless(): Promise<string> {
    const input = { displayName: 'Bot', kind: 'agent' } as const;
    const { id } = (await perform(service.workspace, operator, addPrincipal, input)).result;
    await service.grant('approver', subject(id), '');
    return id;
  }

  async function link(principalId: string): Promise<string> {
    const input = { principalId };
    return (await perform(service.workspace, operator, issueLink, input)).result.secret;
  }
});
