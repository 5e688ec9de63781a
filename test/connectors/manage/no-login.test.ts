import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../../lib/domain/location.js';
import { mintCredential } from '../../../lib/operations/credentials/change-credential.js';
import { createGrant } from '../../../lib/operations/grants/change-grant.js';
import { addGroup, joinGroup } from '../../../lib/operations/principals/change-group.js';
import { listPrincipals } from '../../../lib/operations/principals/list-principals.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import type { Operation } from '../../../lib/operations/operation.js';
import { ConnectedWorld } from './connected-world.js';

describe('The principal of a connector', () => {
  let world: ConnectedWorld;
  let id: string;

  beforeEach(async () => {
    world = await ConnectedWorld.open();
    ({ id } = await world.connect('docs'));
  });
  afterEach(() => world.close());

  it('cannot sign in, and has no keys', async () => {
    const key = { principalId: id, name: 'key', interfaces: ['rest'], requestsPerMinute: null } as const;
    await refuse(mintCredential, key, /This is a connector\. It cannot sign in, and has no keys\./);
  });

  it('takes no role, and joins no group', async () => {
    const subject = { type: 'principal', id } as const;
    const location = parseFolderLocation('');
    await refuse(createGrant, { scopeType: 'folder', location, subject, role: 'editor' }, /takes no role/);
    const group = await world.ada.perform(addGroup, { displayName: 'Group' });
    await refuse(joinGroup, { groupId: group.id, member: subject }, /It joins no group/);
  });

  it('is neither disabled nor enabled as people are', async () => {
    for (const disabled of [true, false]) {
      await refuse(setPrincipalState, { principalId: id, disabled }, /Pause, resume or disconnect it instead\./);
    }
  });

  it('is listed as a connector, and has no reach of its own', async () => {
    const listed = (await world.ada.perform(listPrincipals, { after: '', limit: 200 })).items.find(
      (each) => each.id === id,
    );
    assert.equal(listed?.kind, 'connector');
    const { view } = world.test.workspace;
    assert.ok(view.call(world.test.workspace, { ...world.ada.caller, principalId: id }).reach.isEmpty);
  });

  async function refuse<Input, Result, Prepared>(
    operation: Operation<Input, Result, Prepared>,
    input: Input,
    message: RegExp,
  ): Promise<void> {
    await assert.rejects(world.ada.perform(operation, input), { code: 'INVALID_REQUEST', message });
  }
});
