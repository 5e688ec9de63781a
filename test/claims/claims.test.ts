import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { eraseDocument } from '../../lib/operations/documents/erase-document.js';
import { perform } from '../../lib/operations/perform.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

const minute = 60_000;
const text = '# Top\n\nintro\n\n## One\n\nfirst\n\n### Deeper\n\ndeep\n\n## Two\n\nsecond\n';

describe('claims', () => {
  let service: TestService;
  let ada: Client;
  let ben: Client;
  let boss: Client;
  let reader: Client;

  beforeEach(async () => {
    service = await openTestService();
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'editor', 'a');
    ben = await addClient(host, 'Ben', 'editor', 'a');
    boss = await addClient(host, 'Boss', 'approver', 'a');
    reader = await addClient(host, 'Rea', 'reader', 'a');
    await ada.create('a/x.md', text);
  });
  afterEach(() => service.close());

  it('keep every write of others out, with any If-Match, and let the holder work', async () => {
    const first = (await ada.record('a/x.md')).current.id;
    await ada.claim('a/x.md');
    const folder = async (work: Promise<unknown>) => assert.equal(await outcomeOf(work), 'CONFLICT claimed');
    await folder(ben.update('a/x.md', 'mine', '*'));
    await folder(ben.update('a/x.md', 'mine', first));
    await folder(ben.delete('a/x.md'));
    await folder(ben.rename('a/x.md', 'y.md'));
    await folder(ben.restore('a/x.md', first));
    await folder(boss.update('a/x.md', 'mine'));
    await folder(ben.deleteFolder('a'));
    assert.equal(await outcomeOf(ada.update('a/x.md', 'hers')), 'done');
    assert.equal(await outcomeOf(ada.rename('a/x.md', 'y.md')), 'done');
    assert.equal(await outcomeOf(ben.update('a/y.md', 'mine')), 'CONFLICT claimed');
    assert.equal(await outcomeOf(ada.delete('a/y.md')), 'done');
    assert.equal(await outcomeOf(ben.undelete('a/y.md')), 'CONFLICT claimed');
  });

  it('keep a folder with claimed documents from being moved or renamed by others', async () => {
    await ada.create('a/f/x.md');
    await ada.claim('a/f/x.md');
    assert.equal(await outcomeOf(ben.rename('a/f', 'g')), 'CONFLICT claimed');
    assert.equal(await outcomeOf(ben.deleteFolder('a/f')), 'CONFLICT claimed');
    assert.equal(await outcomeOf(ada.rename('a/f', 'g')), 'done');
  });

  it('run out by the clock, and not before', async () => {
    await ada.claim('a/x.md', undefined, 60);
    service.clock.advance(minute - 1);
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'CONFLICT claimed');
    service.clock.advance(1);
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'done');
  });

  it('last half an hour by default, a minute at least and a day at most', async () => {
    const { claimedAt, expiresAt } = await ada.claim('a/x.md');
    assert.equal(expiresAt - claimedAt, 30 * minute);
    assert.equal(await outcomeOf(ada.claim('a/x.md', undefined, 59)), 'INVALID_REQUEST bad_field');
    assert.equal(await outcomeOf(ada.claim('a/x.md', undefined, 86_401)), 'INVALID_REQUEST bad_field');
    assert.equal(await outcomeOf(ada.claim('a/x.md', undefined, 90.5)), 'INVALID_REQUEST bad_field');
    assert.equal(await outcomeOf(ada.claim('a/x.md', undefined, 86_400)), 'done');
    assert.equal(await outcomeOf(ada.claim('a/x.md', undefined, 60, 'x'.repeat(301))), 'INVALID_REQUEST bad_field');
  });

  it('are renewed by taking them again, or by their id, and keep it', async () => {
    const first = await ada.claim('a/x.md', undefined, 60);
    service.clock.advance(30_000);
    const again = await ada.claim('a/x.md', undefined, 60);
    assert.deepEqual([again.id, again.renewed, again.expiresAt - first.expiresAt], [first.id, true, 30_000]);
    await ada.renew(first.id, 3600);
    service.clock.advance(10 * minute);
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'CONFLICT claimed');
    assert.equal(await outcomeOf(ben.renew(first.id)), 'NOT_FOUND');
    service.clock.advance(60 * minute);
    assert.equal(await outcomeOf(ada.renew(first.id)), 'CONFLICT claim_lost');
  });

  it('report that they hold the whole document, also on a section of a text too long to be searched', async () => {
    const held = async (section?: string): Promise<boolean> => (await ada.claim('a/x.md', section)).holdsDocument;
    assert.deepEqual([await held(), await held('one')], [true, false]);
    const { holdsDocument: before, id } = await ada.claim('a/x.md', 'one');
    await ada.update('a/x.md', `# One\n\n${'line\n'.repeat(10_000)}`);
    const { claims } = await ben.record('a/x.md');
    assert.equal(claims.find((claim) => claim.id === id)?.holdsDocument, true);
    assert.deepEqual([before, await held('one')], [false, true]);
  });

  it('exclude each other on a document', async () => {
    await ada.claim('a/x.md');
    assert.equal(await outcomeOf(ben.claim('a/x.md')), 'CONFLICT claimed');
    assert.equal(await outcomeOf(ben.claim('a/x.md', 'one')), 'CONFLICT claimed');
  });

  it('are given up by their holder alone', async () => {
    const { id } = await ada.claim('a/x.md');
    assert.equal(await outcomeOf(ben.release(id)), 'NOT_FOUND');
    assert.equal(await outcomeOf(ada.release('clm_unknown')), 'NOT_FOUND');
    await ada.release(id);
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'done');
    assert.deepEqual(await ada.ownClaims(), []);
    assert.equal(await outcomeOf(ada.release(id)), 'done');
  });

  it('are shown to their holder for a week after they ran out, whatever other claims followed', async () => {
    const outcomes: string[] = [];
    for (const isBusy of [false, true]) {
      const { id } = await ada.claim('a/x.md', undefined, 60);
      service.clock.advance(minute + 7 * 24 * 60 * minute - 1);
      assert.equal(await outcomeOf(ada.release(id)), 'done');
      service.clock.advance(1);
      if (isBusy) await ben.claim('a/x.md', undefined, 60);
      outcomes.push(await outcomeOf(ada.release(id)));
      service.clock.advance(minute);
    }
    assert.deepEqual(outcomes, ['NOT_FOUND', 'NOT_FOUND']);
  });

  it('are not shown to their holder while it cannot read the document, erased or not', async () => {
    const { id: documentId } = await ada.create('a/y.md');
    const lost = [await ada.claim('a/x.md'), await ada.claim('a/y.md')];
    await service.revoke('editor', { type: 'principal', id: ada.id }, 'a');
    await perform(service.workspace, operator, eraseDocument, {
      location: parseLocation('a/y.md'),
      confirmation: 'y.md',
      documentId,
    });
    for (const { id } of lost) assert.equal(await outcomeOf(ada.release(id)), 'NOT_FOUND');
    await boss.delete('a/x.md');
    for (const { id } of lost) assert.equal(await outcomeOf(ada.release(id)), 'NOT_FOUND');
    await service.grant('reader', { type: 'principal', id: ada.id }, 'a');
    assert.deepEqual(
      [await outcomeOf(ada.release(lost[0]?.id ?? '')), await outcomeOf(ada.release(lost[1]?.id ?? ''))],
      ['done', 'NOT_FOUND'],
    );
  });

  it('are broken by an approver, and the holder learns of it', async () => {
    const { id } = await ada.claim('a/x.md');
    assert.equal(await outcomeOf(ben.breakClaim('a/x.md', id)), 'NOT_FOUND');
    assert.equal(await outcomeOf(boss.breakClaim('a/other.md', id)), 'NOT_FOUND');
    await boss.breakClaim('a/x.md', id);
    assert.deepEqual(await ada.ownClaims(), ['a/x.md# broken']);
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'done');
    assert.equal(await outcomeOf(ada.updateUnder(id, 'a/x.md', 'hers')), 'CONFLICT claim_lost');
    assert.equal(await outcomeOf(ada.renew(id)), 'CONFLICT claim_lost');
    const records = service.workspace.journal.reader.audit.after(0, 1000).map((each) => each.action);
    assert.ok(records.includes('claim.break'));
  });

  it('lapse silently, and then the write that relies on one is refused', async () => {
    const { id } = await ada.claim('a/x.md', undefined, 60);
    assert.equal(await outcomeOf(ada.updateUnder(id, 'a/x.md', 'hers')), 'done');
    assert.deepEqual(await ada.ownClaims(), ['a/x.md# active']);
    service.clock.advance(minute);
    assert.equal(await outcomeOf(ada.updateUnder(id, 'a/x.md', 'hers')), 'CONFLICT claim_lost');
    assert.equal(await outcomeOf(ada.deleteUnder(id, 'a/x.md')), 'CONFLICT claim_lost');
    assert.equal(await outcomeOf(ada.update('a/x.md', 'hers')), 'done');
    assert.deepEqual(await ada.ownClaims(), ['a/x.md# expired']);
    service.clock.advance(8 * 24 * 60 * minute);
    assert.deepEqual(await ada.ownClaims(), []);
  });

  it('serve their holder alone, on their document alone', async () => {
    const { id } = await ada.claim('a/x.md');
    await ben.create('a/y.md');
    assert.equal(await outcomeOf(ada.updateUnder(id, 'a/y.md', 'hers')), 'CONFLICT claim_lost');
    assert.equal(await outcomeOf(ben.updateUnder(id, 'a/y.md', 'mine')), 'CONFLICT claim_lost');
  });

  it('count only while their holder is an editor', async () => {
    const { id } = await ada.claim('a/x.md');
    await service.revoke('editor', { type: 'principal', id: ada.id }, 'a');
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'done');
    assert.deepEqual(await ada.ownClaims(), []);
    assert.equal(await outcomeOf(ada.renew(id)), 'NOT_FOUND');
    await service.grant('reader', { type: 'principal', id: ada.id }, 'a');
    assert.deepEqual(await ada.ownClaims(), ['a/x.md# suspended']);
    await service.grant('editor', { type: 'principal', id: ada.id }, 'a');
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'CONFLICT claimed');
  });

  it('count only while their holder is in the group that makes it an editor', async () => {
    const gus = await addClient({ service, workspace: service.workspace }, 'Gus');
    await service.grant('approver', { type: 'principal', id: boss.id }, '');
    const group = await service.group('writers', { type: 'principal', id: gus.id });
    await service.grant('editor', { type: 'group', id: group }, 'a');
    await gus.claim('a/x.md');
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'CONFLICT claimed');
    await service.leave(group, { type: 'principal', id: gus.id });
    assert.equal(await outcomeOf(ben.update('a/x.md', 'mine')), 'done');
  });

  it('need an editor; a reader can claim nothing', async () => {
    assert.equal(await outcomeOf(reader.claim('a/x.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(ada.claim('a/absent.md')), 'NOT_FOUND');
    const stranger = await addClient({ service, workspace: service.workspace }, 'Sam');
    assert.equal(await outcomeOf(stranger.claim('a/x.md')), 'NOT_FOUND');
  });

  it('are shown with the document to all who can read it, and listed', async () => {
    await ada.claim('a/x.md', 'one', undefined, 'tidying up');
    const [claim] = (await reader.record('a/x.md')).claims;
    assert.deepEqual(
      [claim?.section, claim?.purpose, claim?.holder],
      ['one', 'tidying up', { id: ada.id, kind: 'person', displayName: 'Ada' }],
    );
    assert.deepEqual(await reader.claims(), ['a/x.md#one']);
    assert.deepEqual(await reader.claims('a/x.md'), ['a/x.md#one']);
    assert.deepEqual(await reader.claims('b'), []);
    service.clock.advance(31 * minute);
    assert.deepEqual((await reader.record('a/x.md')).claims, []);
    assert.deepEqual(await reader.claims(), []);
  });

  it('on unreadable documents are in no list', async () => {
    const zoe = await addClient({ service, workspace: service.workspace }, 'Zoe', 'editor', 'z');
    await zoe.create('z/x.md');
    await zoe.claim('z/x.md');
    assert.deepEqual(await ada.claims(), []);
    assert.deepEqual(await zoe.claims(), ['z/x.md#']);
  });

  it('do not pile up without end', async () => {
    for (let count = 0; count < 200; count += 1) {
      await ada.create(`a/n/${count}`);
      await ada.claim(`a/n/${count}`);
    }
    assert.equal(await outcomeOf(ada.claim('a/x.md')), 'INVALID_REQUEST too_many_claims');
    const [broken] = (await ada.record('a/n/0')).claims;
    await boss.breakClaim('a/n/0', broken?.id ?? '');
    assert.equal(await outcomeOf(ada.claim('a/x.md')), 'done');
    assert.equal(await outcomeOf(ada.claim('a/n/0')), 'INVALID_REQUEST too_many_claims');
  });

  it('and simultaneous writes are settled by their order, and nothing is lost', async () => {
    const outcomes = await Promise.all([
      outcomeOf(ben.update('a/x.md', 'before')),
      outcomeOf(ada.claim('a/x.md')),
      outcomeOf(ben.update('a/x.md', 'after')),
      outcomeOf(ben.claim('a/x.md')),
    ]);
    const [before, claim, after, other] = outcomes;
    assert.deepEqual([claim, other], ['done', 'CONFLICT claimed']);
    const written = { before, after };
    const last = (['after', 'before'] as const).find((each) => written[each] === 'done');
    assert.equal(await ada.read('a/x.md'), last ?? text);
    assert.equal(await outcomeOf(ben.update('a/x.md', 'later')), 'CONFLICT claimed');
  });

  it('of many at once on one document: one has it', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        addClient({ service, workspace: service.workspace }, `Ed ${index}`, 'editor', 'a'),
      ),
    );
    const outcomes = await Promise.all(crowd.map((each) => outcomeOf(each.claim('a/x.md'))));
    assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'CONFLICT claimed').length, 7);
  });

  describe('on a section', () => {
    it('let others write where those leave the claimed lines unchanged', async () => {
      await ada.claim('a/x.md', 'one');
      assert.equal(await outcomeOf(ben.update('a/x.md', text.replace('second', 'changed'))), 'done');
      assert.equal(await outcomeOf(ben.update('a/x.md', text.replace('first', 'changed'))), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.update('a/x.md', text.replace('deep\n', 'changed\n'))), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.update('a/x.md', `above\n\n${text}\n## Three\n`)), 'done');
      assert.equal(await outcomeOf(ben.update('a/x.md', 'all gone')), 'CONFLICT claimed');
    });

    it('keep the document where it is', async () => {
      await ada.claim('a/x.md', 'one');
      assert.equal(await outcomeOf(ben.rename('a/x.md', 'y.md')), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.delete('a/x.md')), 'CONFLICT claimed');
    });

    it('follow their holder’s own writes', async () => {
      await ada.claim('a/x.md', 'one');
      const hers = text.replace('first', 'hers');
      await ada.update('a/x.md', hers);
      assert.equal(await outcomeOf(ben.update('a/x.md', text)), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.update('a/x.md', hers.replace('second', 'mine'))), 'done');
    });

    it('bind restores by the lines that they would change', async () => {
      const first = (await ada.record('a/x.md')).current.id;
      const other = (await ben.update('a/x.md', text.replace('first', 'changed'))).current.id;
      await ben.update('a/x.md', text.replace('second', 'changed'));
      await ada.claim('a/x.md', 'one');
      assert.equal(await outcomeOf(ben.restore('a/x.md', other)), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.restore('a/x.md', first)), 'done');
    });

    it('widen to the document when the heading is gone, and narrow when it is back', async () => {
      await ada.claim('a/x.md', 'one');
      await ada.update('a/x.md', '# Top\n\n## Two\n\nsecond\n');
      assert.equal(await outcomeOf(ben.update('a/x.md', '# Top\n\n## Two\n\nmine\n')), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.claim('a/x.md', 'two')), 'CONFLICT claimed');
      await ada.update('a/x.md', text);
      assert.equal(await outcomeOf(ben.update('a/x.md', text.replace('second', 'mine'))), 'done');
    });

    it('widen when the document becomes something without sections', async () => {
      await ada.claim('a/x.md', 'one');
      await ada.update('a/x.md', 'x\0y');
      assert.equal(await outcomeOf(ben.update('a/x.md', 'x\0z')), 'CONFLICT claimed');
    });

    it('stand beside each other, but not within each other', async () => {
      await ada.claim('a/x.md', 'one');
      assert.equal(await outcomeOf(ben.claim('a/x.md', 'deeper')), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.claim('a/x.md', 'top')), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.claim('a/x.md')), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ben.claim('a/x.md', 'two')), 'done');
      assert.equal(await outcomeOf(ada.update('a/x.md', text.replace('second', 'hers'))), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ada.update('a/x.md', text.replace('first', 'hers'))), 'done');
    });

    it('are refused for a heading that the document does not have', async () => {
      assert.equal(await outcomeOf(ada.claim('a/x.md', 'absent')), 'INVALID_REQUEST no_such_section');
      await ada.create('a/x.bin', 'x\0y');
      assert.equal(await outcomeOf(ada.claim('a/x.bin', 'one')), 'INVALID_REQUEST no_such_section');
    });
  });
});
