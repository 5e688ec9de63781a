import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import type { Refusal } from '../../lib/domain/refusal.js';
import { judgeName } from '../../lib/operations/principals/look-alikes.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { reportNames } from '../../lib/commands/operator/report-names.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

describe('A new name that looks like another one', () => {
  let test: TestService;

  beforeEach(async () => (test = await openTestService()));
  afterEach(() => test.close());

  for (const [name, others] of Object.entries({
    // Greek, Cyrillic, full width, mathematical, small capitals, a wider space, and digits for letters.
    'Ada Lovelace': ['\u0391da Lovelace', '\u0410d\u0430 Lovelace', '\uff21\uff44\uff41 Lovelace', 'Ada L\u043evelace'],
    Bill: ['BiIl', 'Bi1l', 'B\u0456ll', '\u{1d401}ill'],
    "O'Neil": ['O\u2019Neil', '0\u02bcNeil'],
    'CI bot 10': ['CI bot IO', 'Cl bot l0', 'CI\u3000bot 10'],
  })) {
    it(`is refused, in any script: ${name}`, async () => {
      const id = await test.principal(name);
      for (const other of others) {
        assert.ok((await add(other)).includes(`looks like "${name}" (${id})`), `${other}: ${await add(other)}`);
        assert.notEqual(await add(other, 'agent'), 'done');
        assert.notEqual(await refusalOf(test.group(other)), 'done');
      }
    });
  }

  it('is honest where it can be told apart, and where it is the same name', async () => {
    for (const name of [
      'Ada',
      'Ada',
      'ada',
      'Adam',
      'Ada L.',
      'Jos\u00e9',
      'Jose',
      'M\u00fcller',
      'Muller',
      '\u0410\u043d\u043d\u0430',
      'Anna',
    ])
      assert.equal(await add(name), 'done', name);
  });

  it('is refused for a group and beside one, and allowed once the other one is disabled', async () => {
    await test.group('Admins');
    assert.notEqual(await add('\u0410dmins'), 'done');
    const id = await test.principal('Eve');
    assert.notEqual(await refusalOf(test.group('\u0415ve')), 'done');
    await perform(test.workspace, operator, setPrincipalState, { principalId: id, disabled: true });
    assert.equal(await add('\u0415ve'), 'done');
  });

  it('is refused for the built-in operator, of which there is one', async () => {
    const name = test.workspace.journal.reader.principals.find('operator')?.displayName ?? '';
    assert.notEqual(await add(name.replace('o', '\u043e').replace('O', '\u041e')), 'done');
  });

  it('is refused where the other one was made while it was prepared', async () => {
    const { workspace } = test;
    const late: typeof addPrincipal = {
      ...addPrincipal,
      async prepare(context, input) {
        const judged = await judgeName(context, input.displayName);
        await test.principal('Ada');
        return judged;
      },
    };
    const input = { displayName: '\u0391da', kind: 'person' } as const;
    assert.match(await refusalOf(perform(workspace, operator, late, input)), /looks like "Ada"/);
  });

  it('names the other one to no approver of a folder, who cannot list people', async () => {
    await test.principal('Hidden Name');
    const { id } = await test.person('approver', 'team', 'Bea');
    const bea = new Actor(test.workspace, id);
    const asBea: typeof addPrincipal = {
      ...addPrincipal,
      needs: () => [{ role: 'approver', location: parseFolderLocation('team'), folder: true }],
      run: (context, _, judged) => {
        judged.requireDistinct(context);
        return assert.fail('it was allowed');
      },
    };
    const work = perform(test.workspace, bea.caller, asBea, { displayName: 'Hidd\u0435n Name', kind: 'agent' });
    const said = await refusalOf(work);
    assert.match(said, /looks like another one here/);
    assert.ok(!said.includes('Hidden'));
  });

  it('is reported where two are there from before', async () => {
    const host = test.service;
    await test.principal('Ada');
    await test.principal('Ada');
    assert.deepEqual(await reportNames(host), []);
    await test.workspace.journal.write({
      run: ({ tables, now }) =>
        tables.principals.insert({
          id: 'prn_twin',
          kind: 'agent',
          displayName: '\u0391da',
          createdAt: now,
          disabledAt: null,
        }),
    });
    const [said, ...more] = await reportNames(host);
    assert.equal(more.length, 0);
    assert.match(
      said?.message ?? '',
      /^acme: "\u0391da" \(prn_\w+\) and "Ada" \(prn_\w+\) look alike|^acme: "Ada" \(prn_\w+\) and "\u0391da" \(prn_twin\) look alike/,
    );
  });

  const refusalOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => (error as Refusal).message,
    );

  const add = (name: string, kind: 'person' | 'agent' = 'person'): Promise<string> =>
    refusalOf(test.principal(name, kind));
});
