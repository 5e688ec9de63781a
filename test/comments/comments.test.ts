import assert from 'node:assert/strict';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

const text = 'The fox runs. The dog sleeps.\nThe fox sleeps too.\n';

describe('comments', () => {
  let service: TestService;
  let ada: Client;
  let ben: Client;
  let rea: Client;
  let sam: Client;

  beforeEach(async () => {
    service = await openTestService();
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'approver', 'a');
    ben = await addClient(host, 'Ben', 'editor', 'a');
    rea = await addClient(host, 'Rea', 'reader', 'a');
    sam = await addClient(host, 'Sam');
    await ada.create('a/x.md', text);
  });
  afterEach(() => service.close());

  it('are written by readers, on the document or on a passage, and answered in threads', async () => {
    const first = await rea.comment('a/x.md', 'Nice.');
    await rea.comment('a/x.md', 'Which dog?', { passage: { quote: 'The dog' } });
    await ben.comment('a/x.md', 'Thanks.', { threadId: first.threadId });
    const { items } = await ada.comments('a/x.md');
    assert.deepEqual(
      items.map(({ comment, anchor }) => [comment.author.displayName, comment.text, comment.isFirst, anchor.type]),
      [
        ['Rea', 'Nice.', true, 'document'],
        ['Ben', 'Thanks.', false, 'document'],
        ['Rea', 'Which dog?', true, 'passage'],
      ],
    );
    const anchor = items[2]?.anchor;
    assert.deepEqual(anchor?.type === 'passage' ? anchor.place : undefined, {
      start: 14,
      end: 21,
      line: 1,
      lastLine: 1,
    });
  });

  it('make no version of the document', async () => {
    const before = (await ada.record('a/x.md')).current.id;
    await rea.comment('a/x.md', 'Nice.');
    assert.equal((await ada.record('a/x.md')).current.id, before);
  });

  it('stay with their passage while the text around it changes', async () => {
    await rea.comment('a/x.md', 'which?', { passage: { quote: 'The fox', after: ' sleeps' } });
    assert.deepEqual(await rea.remarks('a/x.md'), ['which? @30']);
    await ada.update('a/x.md', `A tale.\n\n${text}`);
    assert.deepEqual(await rea.remarks('a/x.md'), ['which? @39']);
    await ada.update('a/x.md', 'The fox sleeps too. The fox runs.');
    assert.deepEqual(await rea.remarks('a/x.md'), ['which? @0']);
    await ada.update('a/x.md', 'Once the\nThe\n  fox sleeps.');
    assert.deepEqual(await rea.remarks('a/x.md'), ['which? @9']);
  });

  it('are kept as orphaned when their passage is gone, and find it again when it is back', async () => {
    await rea.comment('a/x.md', 'why?', { passage: { quote: 'The dog sleeps.' } });
    await ada.update('a/x.md', 'Nothing of it.');
    assert.deepEqual(await rea.remarks('a/x.md'), ['why? (orphaned)']);
    const [item] = (await rea.comments('a/x.md')).items;
    assert.equal(item?.anchor.type === 'orphaned' ? item.anchor.quote : undefined, 'The dog sleeps.');
    await ada.update('a/x.md', 'x\0y');
    assert.deepEqual(await rea.remarks('a/x.md'), ['why? (orphaned)']);
    await ada.update('a/x.md', `${text}more`);
    assert.deepEqual(await rea.remarks('a/x.md'), ['why? @14']);
  });

  it('follow the document through moves, deletion and return, and end with none of them', async () => {
    const { id } = await rea.comment('a/x.md', 'Nice.');
    await ada.rename('a/x.md', 'y.md');
    assert.deepEqual(await rea.remarks('a/y.md'), ['Nice.']);
    await ada.create('a/x.md', 'another');
    assert.deepEqual(await rea.remarks('a/x.md'), []);
    assert.equal(await outcomeOf(rea.editComment('a/x.md', id, 'hm')), 'NOT_FOUND');
    await ada.delete('a/y.md');
    assert.equal(await outcomeOf(rea.comments('a/y.md')), 'NOT_FOUND');
    await ada.undelete('a/y.md');
    assert.deepEqual(await rea.remarks('a/y.md'), ['Nice.']);
  });

  it('can be quoted from an older version', async () => {
    const first = (await ada.record('a/x.md')).current.id;
    await ada.update('a/x.md', 'new text');
    const passage = { quote: 'The dog', versionId: first };
    assert.equal(await outcomeOf(rea.comment('a/x.md', 'gone?', { passage })), 'done');
    assert.equal(
      await outcomeOf(rea.comment('a/x.md', '?', { passage: { quote: 'The dog' } })),
      'INVALID_REQUEST quote_not_found',
    );
    assert.deepEqual(await rea.remarks('a/x.md'), ['gone? (orphaned)']);
  });

  it('comments are edited by their writer alone', async () => {
    const { id } = await rea.comment('a/x.md', 'Nice.');
    service.clock.advance(1000);
    const edited = await rea.editComment('a/x.md', id, 'Very nice.');
    assert.deepEqual([edited.text, edited.editedAt], ['Very nice.', service.clock.now()]);
    assert.equal(await outcomeOf(ada.editComment('a/x.md', id, 'Bad.')), 'NOT_FOUND');
  });

  it('are deleted by their writer or an approver; their place stays where others answered', async () => {
    const first = await rea.comment('a/x.md', 'Nice.');
    const answer = await ben.comment('a/x.md', 'Thanks.', { threadId: first.threadId });
    assert.equal(await outcomeOf(ben.deleteComment('a/x.md', first.id)), 'NOT_FOUND');
    assert.equal((await ada.deleteComment('a/x.md', first.id)).moderated, true);
    assert.deepEqual(await rea.remarks('a/x.md'), ['', 'Thanks.']);
    assert.equal(await outcomeOf(rea.editComment('a/x.md', first.id, 'again')), 'NOT_FOUND');
    assert.equal((await ben.deleteComment('a/x.md', answer.id)).moderated, false);
    assert.deepEqual(await rea.remarks('a/x.md'), []);
    assert.equal(await outcomeOf(rea.comment('a/x.md', 'hello?', { threadId: first.threadId })), 'NOT_FOUND');
  });

  it('are resolved and opened again by the starter of the thread, or an editor', async () => {
    const one = await rea.comment('a/x.md', 'one');
    const two = await ben.comment('a/x.md', 'two');
    assert.equal(await outcomeOf(rea.resolve('a/x.md', two.threadId)), 'NOT_FOUND');
    await rea.resolve('a/x.md', one.threadId);
    assert.deepEqual(await rea.remarks('a/x.md', 'open'), ['two']);
    assert.deepEqual(await rea.remarks('a/x.md', 'all'), ['one', 'two']);
    const { resolved } = await ben.resolve('a/x.md', one.threadId);
    assert.equal(resolved?.by, rea.id);
    await ben.resolve('a/x.md', one.threadId, false);
    assert.deepEqual(await rea.remarks('a/x.md', 'open'), ['one', 'two']);
  });

  it('are listed by pages without loss or repetition', async () => {
    for (let count = 0; count < 5; count += 1) {
      const { threadId } = await rea.comment('a/x.md', `${count}`);
      await ben.comment('a/x.md', `${count}+`, { threadId });
    }
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Awaited<ReturnType<Client['comments']>> = await rea.comments('a/x.md', 'all', 3, after);
      seen.push(...page.items.map(({ comment }) => comment.text));
      after = page.next;
    }
    assert.deepEqual(seen, ['0', '0+', '1', '1+', '2', '2+', '3', '3+', '4', '4+']);
    assert.equal(await outcomeOf(rea.comments('a/x.md', 'all', 3, 'nonsense')), 'INVALID_REQUEST bad_cursor');
  });

  it('reach mentioned people, and the authors of the answered thread', async () => {
    const { threadId } = await rea.comment('a/x.md', 'Ben?', { mentions: [ben.id] });
    await ben.comment('a/x.md', 'Yes?', { threadId });
    const toBen = await ben.addressed();
    assert.deepEqual(
      toBen.map(({ comment, why, location }) => [comment.text, why, location]),
      [['Ben?', 'mention', 'a/x.md']],
    );
    assert.deepEqual(
      (await rea.addressed()).map(({ comment, why }) => [comment.text, why]),
      [['Yes?', 'reply']],
    );
    assert.deepEqual(await ada.addressed(), []);
  });

  it('reach the one mentioned only while it can read the document', async () => {
    await rea.comment('a/x.md', 'Sam?', { mentions: [sam.id] });
    assert.deepEqual(await sam.addressed(), []);
    await service.grant('reader', { type: 'principal', id: sam.id }, 'a/x.md', 'document');
    assert.equal((await sam.addressed()).length, 1);
    await ada.rename('a/x.md', 'y.md');
    assert.equal((await sam.addressed())[0]?.location, 'a/y.md');
    await service.revoke('reader', { type: 'principal', id: sam.id }, 'a/y.md', 'document');
    assert.deepEqual(await sam.addressed(), []);
    const group = await service.group('staff', { type: 'principal', id: sam.id });
    await service.grant('reader', { type: 'group', id: group }, 'a');
    assert.equal((await sam.addressed()).length, 1);
    await ada.delete('a/y.md');
    assert.deepEqual(await sam.addressed(), []);
  });

  it('take their mentions along when they are edited or deleted', async () => {
    const { id } = await rea.comment('a/x.md', 'Ben?', { mentions: [ben.id] });
    await rea.editComment('a/x.md', id, 'Ada?', [ada.id]);
    assert.deepEqual([(await ben.addressed()).length, (await ada.addressed()).length], [0, 1]);
    await rea.deleteComment('a/x.md', id);
    assert.deepEqual(await ada.addressed(), []);
  });

  it('tell the one who began the thread of a mention that an edit adds, and nothing where one goes', async () => {
    const why = async () => (await rea.addressed()).map(({ why: reason }) => reason);
    const news = async () => {
      // A brief that is asked for again soon repeats the last one.
      service.clock.advance(11 * 60_000);
      return (await rea.brief()).comments.map(({ comment }) => comment.text);
    };
    const { threadId } = await rea.comment('a/x.md', 'Who decides?');
    const { id } = await ben.comment('a/x.md', 'I will look', { threadId });
    assert.deepEqual([await why(), await news()], [['reply'], ['I will look']]);
    service.clock.advance(1000);
    const edited = await ben.editComment('a/x.md', id, 'Please decide', [rea.id, ada.id]);
    assert.deepEqual(edited.mentions.toSorted(), [rea.id, ada.id].toSorted());
    assert.deepEqual([await why(), await news()], [['mention'], ['Please decide']]);
    service.clock.advance(1000);
    assert.deepEqual((await ben.editComment('a/x.md', id, 'I decide', [ada.id])).mentions, [ada.id]);
    assert.deepEqual([await why(), await news()], [['reply'], []]);
    assert.deepEqual((await ben.editComment('a/x.md', id, 'No, you', [rea.id])).mentions, [rea.id]);
    assert.deepEqual(await why(), ['mention']);
  });

  it('answer the same whether the one mentioned exists, reads, or not', async () => {
    const shape = async (mention: string) => {
      const { id: _id, threadId: _thread, ...rest } = await rea.comment('a/x.md', 'hi', { mentions: [mention] });
      return JSON.stringify(rest).replaceAll(mention, 'whom');
    };
    assert.equal(await shape(ben.id), await shape(sam.id));
    assert.equal(await shape('prn_unknown'), await shape(sam.id));
  });

  it('addressed to one person are listed without those on unreadable documents', async () => {
    await ada.create('a/hidden.md');
    await service.grant('reader', { type: 'principal', id: sam.id }, 'a/x.md', 'document');
    for (let count = 0; count < 12; count += 1) {
      await rea.comment(count % 3 === 0 ? 'a/x.md' : 'a/hidden.md', `${count}`, { mentions: [sam.id] });
    }
    assert.deepEqual(
      (await sam.addressed()).map(({ comment }) => comment.text),
      ['9', '6', '3', '0'],
    );
  });

  it('are hidden from those who cannot read the document', async () => {
    const { id, threadId } = await rea.comment('a/x.md', 'Nice.');
    for (const work of [
      sam.comments('a/x.md'),
      sam.comment('a/x.md', 'hi'),
      sam.comment('a/x.md', 'hi', { threadId }),
      sam.comment('a/x.md', 'hi', { passage: { quote: 'The dog' } }),
      sam.editComment('a/x.md', id, 'hi'),
      sam.deleteComment('a/x.md', id),
      sam.resolve('a/x.md', threadId),
    ]) {
      assert.equal(await outcomeOf(work), 'NOT_FOUND');
    }
    const other = await addClient({ service, workspace: service.workspace }, 'Zoe', 'approver', 'z');
    await other.create('z/x.md');
    assert.equal(await outcomeOf(other.deleteComment('z/x.md', id)), 'NOT_FOUND');
    assert.equal(await outcomeOf(other.comment('z/x.md', 'hi', { threadId })), 'NOT_FOUND');
  });

  it('of the wrong form are refused', async () => {
    const bad = 'INVALID_REQUEST bad_field';
    assert.equal(await outcomeOf(rea.comment('a/x.md', '  \n ')), bad);
    assert.equal(await outcomeOf(rea.comment('a/x.md', 'x'.repeat(8001))), bad);
    assert.equal(await outcomeOf(rea.comment('a/x.md', 'a\u0000b')), bad);
    assert.equal(await outcomeOf(rea.comment('a/x.md', 'hi', { mentions: ['not an id'] })), bad);
    assert.equal(await outcomeOf(rea.comment('a/x.md', 'hi', { passage: { quote: ' ' } })), bad);
    await ada.create('a/x.bin', 'x\0y');
    assert.equal(
      await outcomeOf(rea.comment('a/x.bin', 'hi', { passage: { quote: 'x' } })),
      'INVALID_REQUEST not_text',
    );
    assert.equal(await outcomeOf(rea.comment('a/x.bin', 'hi')), 'done');
  });

  it('leave no word of theirs in the audit log', async () => {
    await rea.comment('a/x.md', 'confidential remark', { passage: { quote: 'The dog' } });
    const { audit } = service.workspace.journal.reader;
    for (const { seq } of audit.after(0, 1000)) {
      assert.doesNotMatch(JSON.stringify(audit.textOf(seq) ?? null), /confidential|The dog/);
    }
  });
});

describe('labels', () => {
  it('are added, removed and set by editors, and make no version', async () => {
    const service = await openTestService();
    try {
      const host = { service, workspace: service.workspace };
      const ada = await addClient(host, 'Ada', 'editor');
      const rea = await addClient(host, 'Rea', 'reader');
      const before = (await ada.create('x.md')).current.id;
      assert.deepEqual(await ada.labels('add', 'x.md', 'b', 'a'), ['a', 'b']);
      assert.deepEqual(await ada.labels('add', 'x.md', 'a', 'c'), ['a', 'b', 'c']);
      assert.deepEqual(await ada.labels('remove', 'x.md', 'a', 'never had'), ['b', 'c']);
      assert.deepEqual(await ada.labels('set', 'x.md', 'z'), ['z']);
      assert.equal((await ada.record('x.md')).current.id, before);
      assert.equal(await outcomeOf(rea.labels('add', 'x.md', 'mine')), 'NOT_FOUND');
      assert.equal(await outcomeOf(ada.labels('add', 'x.md', 'with,comma')), 'INVALID_REQUEST bad_field');
      const many = Array.from({ length: 50 }, (_, index) => `label ${index}`);
      assert.equal(await outcomeOf(ada.labels('add', 'x.md', ...many)), 'INVALID_REQUEST bad_field');
    } finally {
      await service.close();
    }
  });
});
