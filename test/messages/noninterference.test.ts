import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { requireSame } from '../support/model/canonicalize-answers.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService } from '../support/store/service.js';

describe('documents out of reach', () => {
  it('have no effect on messages, briefs and lists of readers', async () => {
    const expected = await requireSame(tell);
    assert.ok(expected.filter((answer) => answer.includes('NOT_FOUND')).length > 20);
    assert.ok(expected.filter((answer) => answer.includes('open/x.md')).length > 10);
    assert.ok(expected.some((answer) => answer.includes('"moved"')));
    assert.doesNotMatch(expected.join(), /secret|start/);
  });
});

/** Any answer, as text; positions by their length, since a face seals them. */
async function ask(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work, (name, value: unknown) =>
      (name === 'next' || name === 'position') && typeof value === 'string'
        ? `position of ${Buffer.byteLength(value)}`
        : value,
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return JSON.stringify([error.code, error.message, error.details]);
  }
}

/** All pages of a brief, two changes at a time. */
async function askForBrief(client: Client, location = '', since?: number): Promise<string[]> {
  const answers: string[] = [];
  const input = { location: parseFolderLocation(location), since, keepsMark: true, limit: 2 };
  for (let after: string | null = ''; after !== null;) {
    const page = client.brief({ ...input, after });
    answers.push(await ask(page));
    after = (await page).next;
  }
  return answers;
}

/** Plays the same scenario with or without actions out of reach of the callers, and collects all their answers. */
async function tell(withHidden: boolean): Promise<string[]> {
  const service = await openTestService();
  try {
    const host = { service, workspace: service.workspace };
    const boss = await addClient(host, 'Boss', 'approver');
    const editor = await addClient(host, 'Ed', 'editor', 'open');
    const reader = await addClient(host, 'Rea', 'reader', 'open');
    const narrow = await addClient(host, 'Nar');
    // They have some reach in one workspace and none in the other; the group has members in one only.
    const stranger = await addClient(host, 'Sam');
    const crowd = await service.group('Crowd');
    const known = await service.group('Known', { type: 'principal', id: reader.id });
    await service.grant('reader', { type: 'group', id: known }, 'open');
    const hide = async (actions: () => Promise<unknown>): Promise<void> => {
      if (withHidden) await actions();
    };
    await hide(async () => {
      await service.grant('editor', { type: 'principal', id: stranger.id }, 'secret');
      await service.join(crowd, { type: 'principal', id: stranger.id });
      await service.grant('reader', { type: 'group', id: crowd }, 'secret');
      await stranger.create('secret/y.md', 'one');
      await stranger.create('secret/f/z.md', 'one');
    });
    await boss.create('open/x.md', 'one');
    await boss.create('open/narrow.md', 'one');
    await service.grant('reader', { type: 'principal', id: narrow.id }, 'open/narrow.md', 'document');
    await boss.create('start/here.md', 'came from elsewhere');
    for (const client of [editor, reader, narrow]) await client.brief();
    service.clock.advance(60_000);
    const since = service.clock.now();
    await hide(async () => {
      await stranger.update('secret/y.md', 'two');
      await stranger.claim('secret/y.md');
      await boss.rename('secret/f', 'g');
      await boss.deleteFolder('secret/g');
      await stranger.comment('secret/y.md', 'psst', { mentions: [reader.id, editor.id] });
      await boss.send([stranger.id, crowd], 'secret', { about: parseFolderLocation('secret/y.md') });
      await stranger.send([boss.id], 'secret too');
    });
    await editor.update('open/x.md', 'two');
    service.clock.advance(1000);
    await boss.move('start/here.md', 'open', true);
    await hide(() => stranger.delete('secret/y.md'));
    service.clock.advance(1000);
    await hide(() => stranger.undelete('secret/y.md'));
    await boss.create('open/f/deep.md');
    await boss.rename('open/f', 'g');
    await boss.claim('open/x.md');
    await boss.comment('open/x.md', 'Rea?', { mentions: [reader.id] });
    await boss.send([reader.id, editor.id, narrow.id], 'hello', { about: parseFolderLocation('open/x.md') });

    const answers: string[] = [];
    for (const client of [reader, editor, narrow]) {
      for (const place of [
        '',
        'open',
        'open/x.md',
        'open/narrow.md',
        'open/new.md',
        'start',
        'secret',
        'secret/y.md',
        'none',
      ])
        answers.push(await ask(client.readersPage(place)), await ask(client.readersPage(place, 1)));
      for (const to of [[stranger.id], [crowd], [reader.id, stranger.id], [boss.id], [known], ['prn_0'], ['grp_0']])
        answers.push(await ask(client.send(to, `to ${to.length}`)));
      for (const about of ['secret/y.md', 'secret', 'open/x.md', 'none']) {
        answers.push(await ask(client.send([boss.id], 'about', { about: parseFolderLocation(about) })));
        answers.push(await ask(client.messages('inbox', 1, '', about)));
      }
      answers.push(await ask(client.messages('unread')), await ask(client.messages('sent')));
      answers.push(...(await askForBrief(client)), ...(await askForBrief(client, 'open')));
      answers.push(...(await askForBrief(client, 'secret')), ...(await askForBrief(client, '', since + 500)));
      answers.push(
        ...(await askForBrief(client, '', since + 1500)),
        await ask(client.brief()),
        await ask(client.brief()),
      );
    }
    return answers;
  } finally {
    await service.close();
  }
}
