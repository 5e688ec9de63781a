import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ask, askRefused, makeFolder, runProgram, serve, tidyUp, timeout } from '../support/processes/run-program.js';

describe('the command line takes names where it takes ids', function () {
  this.timeout(timeout);

  let data: string;
  let ada: string;
  let desk: string;
  let staff: string;

  before(async () => {
    data = join(await makeFolder(), 'data');
    await serve(data);
    await quietly('init', '--workspace', 'acme', '--admin', 'Root');
    ada = await quietly('principal', 'add', 'Ada', '--kind', 'person');
    await quietly('link', 'ada', '--sign-in', 'Ada@Example.org');
    desk = await quietly('principal', 'add', 'Travel desk', '--kind', 'agent');
    staff = await quietly('group', 'add', 'Staff');
  });
  after(tidyUp);

  it('of principals by name and address, of groups by name, and ids as before', async () => {
    const shown = await ask<Shown>(...at('principal', 'show', 'ada@example.org'));
    assert.deepEqual([shown.id, shown['sign_in_name'], shown['groups']], [ada, 'ada@example.org', []]);
    await ask(...at('group', 'join', 'STAFF', '--member', 'travel DESK'));
    const { items } = await ask<{ items: Shown[] }>(...at('group', 'show', 'Staff'));
    const agent = { type: 'principal', id: desk, kind: 'agent', display_name: 'Travel desk' };
    assert.deepEqual(items, [{ ...agent, disabled_at: null, has_groups: false }]);
    for (const who of [desk, `principal:${desk}`, 'Travel desk', 'principal:Travel desk']) {
      const member = await ask<Shown>(...at('principal', 'show', who.replace('principal:', '')));
      const groups = member['groups'] as Shown[];
      assert.deepEqual(
        groups.map(({ id, display_name: name }) => [id, name]),
        [[staff, 'Staff']],
        who,
      );
    }
    assert.match(await quietly('key', 'mint', '--principal', 'Ada', '--rest'), /^ck_acme_/);
    assert.match(await quietly('key', 'list', '--principal', 'ada@example.org'), /^[0-9a-z]{16}$/);
  });

  it('and grants by place, role and name, with what each can reach by which grant', async () => {
    await quietly('grant', 'add', 'handbook/', 'editor', 'Staff');
    await quietly('grant', 'add', 'wiki/', 'reader', 'ada@example.org');
    const notThere = await askRefused(...at('grant', 'add', 'wiki/a.md', 'editor', 'Ada'));
    assert.match(notThere.message, /no document and no folder "wiki\/a\.md"\. For a new folder, write wiki\/a\.md\//);
    const wrongRole = await askRefused(...at('grant', 'add', 'wiki/', 'king', 'Nobody'));
    assert.match(wrongRole.message, /role must be one of reader, editor, approver/);
    const nowhere = await askRefused(...at('grant', 'list'));
    assert.match(nowhere.message, /location is missing: name a document, or a folder with a slash/);
    await quietly('grant', 'add', '--scope-type', 'folder', '--scope-id', 'old', '--subject', ada, '--role', 'reader');
    assert.deepEqual(await rolesOf('Travel desk'), [['folder', 'handbook', 'editor', 'Staff']]);
    assert.deepEqual(await rolesOf('Staff'), [['folder', 'handbook', 'editor', 'Staff']]);
    assert.deepEqual(await rolesOf('Ada'), [
      ['folder', 'old', 'reader', 'Ada'],
      ['folder', 'wiki', 'reader', 'Ada'],
    ]);
    assert.match(await quietly('message', 'send', '--to', 'Ada,Staff', '--subject', 'Hi', '--text', 'x'), /^msg_/);
    await quietly('grant', 'remove', 'wiki/', 'reader', 'Ada');
    assert.deepEqual(await rolesOf(ada), [['folder', 'old', 'reader', 'Ada']]);
  });

  it('refuses a name that several have, with all of them, and one that nothing has', async () => {
    const double = await quietly('group', 'add', 'ada');
    const refused = await askRefused(...at('grant', 'add', 'handbook/', 'reader', 'Ada'));
    assert.equal(refused.code, 'INVALID_REQUEST');
    assert.ok(refused.message.includes(ada) && refused.message.includes(double), refused.message);
    assert.equal((await ask<Shown>(...at('principal', 'show', 'Ada'))).id, ada, 'only a principal is wanted there');
    await quietly('grant', 'add', 'team/', 'reader', 'group:Ada');
    assert.deepEqual(await rolesOf(double), [['folder', 'team', 'reader', 'ada']]);
    const unknown = await askRefused(...at('principal', 'disable', 'Nobody'));
    assert.deepEqual([unknown.code, /principal list/.test(unknown.message)], ['NOT_FOUND', true]);
    for (const hostile of ['', ' ', '%', '*', "' OR 1=1", 'x'.repeat(100_000)]) {
      assert.equal((await askRefused(...at('principal', 'show', hostile))).code, 'NOT_FOUND');
    }
  });

  const at = (...words: string[]): string[] => [...words, '--data', data];

  const quietly = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(at(...words, '-q'));
    assert.equal(code, 0, stderr);
    return stdout.trimEnd();
  };

  const rolesOf = async (who: string): Promise<unknown[]> => {
    const { items } = await ask<{ items: Shown[] }>(...at('grant', 'list', '--subject', who));
    return items.map(({ scope_type: type, scope_id: place, role, subject }) => [
      type,
      place,
      role,
      (subject as { display_name: string }).display_name,
    ]);
  };
});

interface Shown {
  readonly id: string;
  readonly [name: string]: unknown;
}
