import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, runClient } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { WorkTree } from '../support/git/work-tree.js';

describe('An approver of the root pushes to the workspace', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    await server.as(ada.key).create('handbook/a.md', 'first');
    await server.as(ada.key).create('b.md', 'other');
  });
  after(() => server.close());

  it('whose commits become commits of main, and is told to pull', async () => {
    const tree = await WorkTree.clone(server.folder, ada.url, 'tells');
    await tree.commit({ 'handbook/a.md': 'second', 'new/c.md': 'c' }, 'Two files');
    await tree.commit({ 'b.md': null, 'new/b.md': 'other' }, 'Moved');
    const before = server.head;
    const { code, stderr } = await tree.push();
    assert.equal(code, 0);
    assert.match(stderr, /remote: Your changes are in main, as commits of the workspace\. Run now: git pull --rebase/);
    assert.doesNotMatch(stderr, /error|warning/);
    assert.notEqual(server.head, before);
    const rest = server.as(ada.key);
    assert.equal((await rest.get('/v1/documents/new/b.md')).json.content, 'other');
    assert.equal((await rest.get('/v1/documents/b.md')).status, 404);
  });

  it('and pulls without a conflict, also after more work on both sides', async () => {
    const tree = await WorkTree.clone(server.folder, ada.url, 'pulls');
    for (const round of [1, 2]) {
      await tree.commit({ 'handbook/a.md': `round ${round}` }, `Round ${round}`);
      assert.equal((await tree.push()).code, 0);
      await server.as(ada.key).create(`elsewhere-${round}.md`, 'x');
      await tree.commit({ [`mine-${round}.md`]: 'mine' }, 'Not pushed yet');
      await tree.git('pull', '-q', '--rebase');
      assert.equal(await tree.git('rev-list', '--count', 'origin/main..HEAD'), '1');
      assert.equal((await tree.push()).code, 0);
      await tree.git('pull', '-q', '--rebase');
      assert.equal(await tree.head(), server.head);
      assert.equal(await tree.git('status', '--porcelain'), '');
    }
  });

  it('keeps the charset that a document declares, and its text is read by it', async () => {
    const rest = server.as(ada.key);
    const headers = { 'Content-Type': 'text/csv; charset=windows-1252', 'If-None-Match': '*' };
    await rest.send('PUT', '/v1/files/sheet.csv', { body: Buffer.from('Zoë', 'latin1'), headers });
    const tree = await WorkTree.clone(server.folder, ada.url, 'charset');
    await writeFile(join(tree.folder, 'sheet.csv'), Buffer.from('Zoë;Köln', 'latin1'));
    await writeFile(join(tree.folder, 'undeclared.csv'), Buffer.from('Zoë;Köln', 'latin1'));
    await writeFile(join(tree.folder, 'undeclared.txt'), Buffer.from('Zoë;Düren', 'latin1'));
    await writeFile(join(tree.folder, 'marked.txt'), Buffer.from('\ufeffZoë', 'utf16le'));
    await tree.commit({ 'beside.md': 'x' }, 'A sheet');
    assert.equal((await tree.push()).code, 0);
    const { json } = await rest.get('/v1/documents/sheet.csv');
    assert.deepEqual([json.content, json.media_type], ['Zoë;Köln', 'text/csv; charset=windows-1252']);
    assert.equal((await rest.get('/v1/documents/marked.txt')).json.content, '\ufeffZoë');
    assert.equal((await rest.get('/v1/documents/undeclared.txt')).json.kind, 'binary');
    await tree.git('pull', '-q', '--rebase');
    await tree.git('mv', 'sheet.csv', 'moved.csv');
    await tree.commit({}, 'Moved');
    await writeFile(join(tree.folder, 'moved.csv'), Buffer.from('Zoë;Köln;Düren', 'latin1'));
    await tree.commit({}, 'And changed');
    assert.equal((await tree.push()).code, 0);
    const moved = (await rest.get('/v1/documents/moved.csv')).json;
    assert.deepEqual([moved.content, moved.media_type], ['Zoë;Köln;Düren', 'text/csv; charset=windows-1252']);
  });

  it('onto a main that has moved on elsewhere since the clone asked', async () => {
    const tree = await WorkTree.clone(server.folder, ada.url, 'late');
    await tree.commit({ 'late.md': 'late' });
    const { head: base } = server;
    await server.as(ada.key).create('meanwhile.md', 'x');
    // git itself asks right before it pushes, so the old base is given by hand.
    const { stdout, answer } = await pushRaw(server, tree, base ?? '', ada.key);
    assert.match(answer, /unpack ok/, stdout);
    assert.match(answer, /ok refs\/heads\/main/);
    assert.equal((await server.as(ada.key).get('/v1/documents/late.md')).json.content, 'late');
  });

  it('and the same push sent again is answered alike, and done once', async () => {
    const tree = await WorkTree.clone(server.folder, ada.url, 'again');
    const base = server.head ?? '';
    await tree.commit({ 'once.md': 'once' });
    const first = await pushRaw(server, tree, base, ada.key);
    assert.match(first.answer, /ok refs\/heads\/main/);
    const { head } = server;
    // Of a push that was answered, nothing is unpacked: its pack can be anything.
    const [again, atOnce] = await Promise.all([
      pushRaw(server, tree, base, ada.key, Buffer.from('no pack at all')),
      pushRaw(server, tree, base, ada.key),
    ]);
    for (const { answer } of [first, again, atOnce]) assert.match(answer, /Run now: git pull --rebase/);
    assert.match(again.answer, /ok refs\/heads\/main/);
    assert.match(atOnce.answer, /ok refs\/heads\/main/);
    const forced = await pushRaw(server, tree, await tree.git('rev-parse', 'HEAD~2'), ada.key);
    assert.match(forced.answer, /ng refs\/heads\/main fetch first/);
    assert.match(forced.answer, /This commit was pushed before, onto another main\. Run git pull --rebase/);
    assert.equal(server.head, head);
  });

  it('and a merge of main into two commits of its own keeps why these were made', async () => {
    const tree = await WorkTree.clone(server.folder, ada.url, 'merges');
    await tree.commit({ 'why.md': '1' }, 'Why one\n\nAt length.');
    await tree.commit({ 'why.md': '2' }, 'Why two');
    await server.as(ada.key).create('of-others.md', 'x');
    await tree.git('pull', '-q', '--no-rebase', '--no-edit');
    assert.equal(
      (await tree.push('--quiet', 'origin', 'main')).stderr.match(/^remote: .*git pull --rebase/gm)?.length,
      1,
    );
    const { items } = (await server.as(ada.key).get('/v1/history?location=why.md')).json;
    assert.equal(items.length, 1);
    assert.match(JSON.stringify(items), /"Why one\\nWhy two\\n\\nMerge branch 'main' of /);
  });

  it('commits that change nothing, merges, foreign authors and odd messages', async () => {
    const tree = await WorkTree.clone(server.folder, ada.url, 'odd');
    await tree.commit({}, 'Nothing');
    assert.equal((await tree.push()).code, 0);
    await tree.git('pull', '-q', '--rebase');
    await tree.git('checkout', '-q', '-b', 'side');
    await tree.commit({ 'side.md': 'side' }, 'Side');
    await tree.git('checkout', '-q', 'main');
    await tree.commit({ 'main.md': 'main' }, `Long\n\n${'words '.repeat(10_000)}`);
    await tree.git('merge', '-q', '--no-edit', 'side');
    await tree.git('-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '-q', '--allow-empty', '-m', 'latin');
    await tree.git(
      'commit',
      '-q',
      '--allow-empty',
      '--allow-empty-message',
      '--author',
      'Zoë <zoe@example.org>',
      '-m',
      '',
    );
    await tree.write('zoe.md', 'zoe');
    await tree.git('add', '-A');
    await tree.git('commit', '-q', '--author', 'Zoë <zoe@example.org>', '-m', 'By another\u0007 \u202e hand');
    assert.equal((await tree.push()).code, 0);
    const historyOf = async (location: string): Promise<readonly unknown[]> =>
      (await server.as(ada.key).get(`/v1/history?location=${location}`)).json.items;
    const [zoe] = await historyOf('zoe.md');
    assert.match(JSON.stringify(zoe), /By another +hand/);
    assert.match(JSON.stringify(zoe), /Author: Zoë <zoe@example\.org>/);
    assert.ok(JSON.stringify(zoe).includes(ada.id));
    assert.equal((await historyOf('side.md')).length, 1);
    const [long] = await historyOf('main.md');
    assert.match(JSON.stringify(long), /Long\\n\\nwords/);
    assert.ok(JSON.stringify(long).length < 3000);
    await tree.git('pull', '-q', '--rebase');
    assert.equal(await tree.git('diff', '--stat', server.head ?? ''), '');
  });
});

describe('An editor of a folder pushes', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let bob: RemotePerson;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    bob = await server.cloner('editor', 'handbook');
    await server.as(ada.key).create('handbook/a.md', 'first');
    await server.as(ada.key).create('b.md', 'other');
  });
  after(() => server.close());

  it('commits that are the head of its own repository afterwards', async () => {
    const tree = await WorkTree.clone(server.folder, bob.url, 'head');
    await tree.commit({ 'handbook/a.md': 'second', 'handbook/new/c.md': 'c' }, 'Two files');
    const head = await tree.commit({ 'handbook/a.md': 'third' }, 'Third');
    const { code, stderr } = await tree.push();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /remote:/);
    assert.equal((await runClient(tree.folder, ['fetch', '-v'])).stderr.includes('[up to date]'), true);
    assert.equal(await tree.git('rev-parse', 'origin/main'), head);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/a.md')).json.content, 'third');
  });

  it('and gets the work of others on top of its own', async () => {
    const tree = await WorkTree.clone(server.folder, bob.url, 'others');
    await tree.commit({ 'handbook/d.md': 'd' });
    assert.equal((await tree.push()).code, 0);
    await server.as(ada.key).put('/v1/documents/handbook/a.md', { content: 'by Ada' });
    await server.as(ada.key).create('handbook/e.md', 'e');
    await tree.git('pull', '-q', '--ff-only');
    assert.equal(await tree.git('show', 'HEAD:handbook/a.md'), 'by Ada');
    await tree.commit({ 'handbook/e.md': 'E', 'handbook/d.md': null });
    assert.equal((await tree.push()).code, 0);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/d.md')).status, 404);
    await git(server.folder, ['clone', '-q', bob.url, 'others-again']);
    assert.equal(await git(join(server.folder, 'others-again'), ['rev-parse', 'HEAD']), await tree.head());
    assert.equal(await git(join(server.folder, 'others-again'), ['fsck', '--strict']), '');
  });

  it('its first commit into a folder that is still empty', async () => {
    const cara = await server.cloner('editor', 'fresh', 'cara');
    const tree = await WorkTree.clone(server.folder, cara.url, 'empty');
    const head = await tree.commit({ 'fresh/first.md': 'first' }, 'First');
    const { code, stderr } = await tree.push();
    assert.equal(code, 0, stderr);
    assert.equal((await server.as(ada.key).get('/v1/documents/fresh/first.md')).json.content, 'first');
    await tree.git('fetch', '-q');
    assert.equal(await tree.git('rev-parse', 'origin/main'), head);
  });

  it('while others write elsewhere, also where it can read', async () => {
    const tree = await WorkTree.clone(server.folder, bob.url, 'beside');
    const base = await tree.head();
    await tree.commit({ 'handbook/beside.md': 'mine' });
    await server.as(ada.key).put('/v1/documents/handbook/a.md', { content: 'at the same time' });
    const { answer } = await pushRaw(server, tree, base, bob.key);
    assert.match(answer, /ok refs\/heads\/main/);
    await tree.git('pull', '-q', '--ff-only');
    assert.equal(await tree.git('show', 'HEAD:handbook/a.md'), 'at the same time');
  });

  it('and of two clients at once both get through, and the later one is told to pull', async () => {
    const trees = [
      await WorkTree.clone(server.folder, bob.url, 'one'),
      await WorkTree.clone(server.folder, bob.url, 'other'),
    ];
    const [base = ''] = await Promise.all(trees.map((tree) => tree.head()));
    for (const [nth, tree] of trees.entries()) await tree.commit({ [`handbook/of-${nth}.md`]: `${nth}` });
    const answers = await Promise.all(trees.map((tree) => pushRaw(server, tree, base, bob.key)));
    for (const { answer } of answers) assert.match(answer, /ok refs\/heads\/main/);
    assert.equal(answers.filter(({ answer }) => answer.includes('git pull --rebase')).length, 1);
    for (const [nth, tree] of trees.entries()) {
      assert.equal((await server.as(ada.key).get(`/v1/documents/handbook/of-${nth}.md`)).json.content, `${nth}`);
      await tree.git('pull', '-q', '--rebase');
      assert.equal(await tree.git('rev-list', '--count', 'origin/main..HEAD'), '0');
      assert.equal(
        await tree.git('ls-files', 'handbook/of-0.md', 'handbook/of-1.md'),
        'handbook/of-0.md\nhandbook/of-1.md',
      );
    }
    assert.equal(await trees[0]?.head(), await trees[1]?.head());
  });

  it('onto a head that was served earlier, and onto no commit from before the first one', async () => {
    const tree = await WorkTree.clone(server.folder, bob.url, 'earlier');
    const base = await tree.head();
    await tree.commit({ 'handbook/earlier.md': 'mine' });
    await server.as(ada.key).create('handbook/later.md', 'later');
    await WorkTree.clone(server.folder, bob.url, 'another');
    const [began = ''] = (await tree.git('rev-list', '--reverse', base)).split('\n');
    const { answer } = await pushRaw(server, tree, base, bob.key);
    assert.match(answer, /ok refs\/heads\/main/);
    assert.match(answer, /Run now: git pull --rebase/);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/earlier.md')).json.content, 'mine');
    await tree.git('pull', '-q', '--rebase');
    assert.equal(await tree.git('show', 'HEAD:handbook/later.md'), 'later');
    const anew = await server.cloner('editor', 'handbook', 'anew');
    const later = await WorkTree.clone(server.folder, anew.url, 'anew');
    await later.git('checkout', '-q', '-b', 'old', began);
    await later.commit({ 'handbook/from-before.md': 'x' });
    assert.match((await pushRaw(server, later, began, anew.key)).answer, /ng refs\/heads\/main fetch first/);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/from-before.md')).status, 404);
  });

  it('onto no earlier head where something has left its place since, also where the same text is there again', async () => {
    const dora = await server.cloner('editor', 'handbook', 'dora');
    const tree = await WorkTree.clone(server.folder, dora.url, 'replaced');
    const base = await tree.head();
    const rest = server.as(ada.key);
    const { etag } = await rest.create('handbook/elsewhere.md', 'x');
    await tree.commit({ 'handbook/mine.md': 'mine' });
    await WorkTree.clone(server.folder, dora.url, 'replaced-later');
    assert.equal((await rest.delete('/v1/documents/handbook/elsewhere.md', { 'If-Match': etag })).status, 200);
    await rest.create('handbook/elsewhere.md', 'x');
    await WorkTree.clone(server.folder, dora.url, 'replaced-last');
    assert.match((await pushRaw(server, tree, base, dora.key)).answer, /ng refs\/heads\/main fetch first/);
    assert.equal((await rest.get('/v1/documents/handbook/mine.md')).status, 404);
  });

  it('from a shallow clone', async () => {
    await git(server.folder, ['clone', '-q', '--depth', '1', bob.url, 'shallow']);
    const tree = WorkTree.at(join(server.folder, 'shallow'));
    await tree.commit({ 'handbook/shallow.md': 'shallow' });
    const { code, stderr } = await tree.push();
    assert.equal(code, 0, stderr);
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/shallow.md')).status, 200);
  });
});

/** Sends what git would send, with a base of the test's choice. */
async function pushRaw(
  server: RemoteTestServer,
  tree: WorkTree,
  base: string,
  key: string,
  pack?: Buffer,
): Promise<{ readonly answer: string; readonly stdout: string }> {
  const whole = await tree.makePush(base);
  const response = await fetch(`${server.url()}/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`git:${key}`).toString('base64')}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: pack === undefined ? whole : Buffer.concat([whole.subarray(0, whole.indexOf('PACK')), pack]),
  });
  const answer = await response.text();
  return { answer, stdout: `${response.status} ${answer}` };
}
