import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import { importDocuments } from '../../../lib/operations/folders/import-documents.js';
import { perform } from '../../../lib/operations/perform.js';
import { eraseAt } from './erase-at.js';
import { addClient, Client } from './client.js';
import { operator, type TestService } from './service.js';
import { makeHistory } from './history.js';

/** The people of a workspace with every possible kind of change. */
export interface FullWorkspace {
  readonly ada: Client;
  readonly ben: Client;
}

const notes = '# Notes\n\nFirst words of ours.\n\n## Plans\n\nWe plan to plant trees.\n\n## Costs\n\nNone so far.\n';

/**
 * On top of `makeHistory`: restores, reverts, folders deleted, undeleted and gone for good, labels, comments with
 * passages and mentions, standing, lapsed and broken claims, messages in threads, briefs, a finished erase.
 */
export async function makeWorld(test: TestService): Promise<FullWorkspace> {
  const { workspace, clock } = test;
  const first = await makeHistory(test);
  const ada = new Client(workspace, first.caller.principalId);
  const ben = await addClient({ service: test, workspace }, 'Ben', 'editor', 'team');
  const eve = await addClient({ service: test, workspace }, 'Eve', 'reader', 'team/sub');
  const crew = await test.group('Crew', { type: 'principal', id: ben.id }, { type: 'principal', id: eve.id });
  await test.grant('reader', { type: 'group', id: crew }, 'new');
  const steps: (() => Promise<unknown>)[] = [
    () => ada.create('team/notes.md', notes),
    () => ben.update('team/notes.md', notes.replace('trees', 'oaks')),
    async () => {
      const oldest = (await ada.history('team/notes.md')).items.at(-1);
      assert.ok(oldest?.type === 'version');
      await ada.restore('team/notes.md', oldest.version.id);
    },
    () => ada.create('team/sub/one.md', 'one of many words'),
    () => ada.create('team/sub/two.md', 'two of many words'),
    () => ada.create('team/secret.md', 'what nobody may keep'),
    () => ben.update('team/secret.md', 'what nobody may keep, again'),
    () => ada.rename('team/secret.md', 'more secret.md', true),
    () => ada.labels('set', 'team/notes.md', 'plan', 'ours'),
    () => ada.labels('remove', 'team/notes.md', 'ours'),
    () => ada.labels('add', 'team/sub/one.md', 'small'),
    () => ada.createFolder('team/sub/kept'),
    () => ada.deleteFolder('team/sub'),
    () => ada.undeleteFolder('team/sub'),
    () => ada.create('gone/a.md', 'a'),
    () => ada.create('gone/b/c.md', 'c'),
    () => ada.deleteFolder('gone'),
    () => ada.create('gone/a.md', 'another at its place'),
    () => ben.create('team/mistake.md', 'made by mistake'),
    () => ben.update('team/sub/two.md', 'changed by mistake'),
    async () => {
      const { digest } = await ada.previewRevert(ben.id, 'team', clock.now() - 15);
      assert.ok((await ada.revert(ben.id, 'team', clock.now() - 15, digest)).steps.length === 2);
    },
    () =>
      perform(workspace, operator, importDocuments, {
        into: parseFolderLocation('team/brought'),
        files: ['x.md', 'y/z.txt'].map((name) => ({
          location: parseLocation(`team/brought/${name}`),
          content: { bytes: Buffer.from(`brought in: ${name}`) },
        })),
        message: null,
      }),
    async () => {
      const passage = { quote: 'plan to plant', before: 'We ', after: ' trees' };
      const asked = await ada.comment('team/notes.md', 'How many?', { passage, mentions: [ben.id] });
      await ben.comment('team/notes.md', 'Twelve.', { threadId: asked.threadId });
      const other = await ben.comment('team/notes.md', 'Never mind.');
      await ben.deleteComment('team/notes.md', other.id);
      const settled = await ben.comment('team/sub/one.md', 'Is this one?', { mentions: [ada.id, eve.id] });
      await ada.resolve('team/sub/one.md', settled.threadId);
      await ada.comment('team/more secret.md', 'Of this nothing stays.');
    },
    () => ben.claim('team/notes.md', 'plans', 3600, 'counting'),
    () => ben.claim('team/sub/one.md', undefined, 60),
    async () => {
      const { id } = await ben.claim('team/sub/two.md');
      await ada.breakClaim('team/sub/two.md', id);
    },
    async () => ada.release((await ada.claim('plan.md')).id),
    async () => {
      const asked = await ada.send([ben.id, eve.id], 'Who comes?', { about: parseLocation('team/sub/one.md') });
      await ben.send(undefined, 'I do.', { threadId: asked.threadId });
      await ada.send([crew], 'To all of you.', { about: parseFolderLocation('new') });
      await ada.send([ben.id], 'Of this nothing stays.', { about: parseLocation('team/more secret.md') });
      await ben.mark(true, asked.id);
    },
    () => ben.brief(),
    () => ada.update('team/brought/x.md', 'changed after the brief'),
    async () => {
      const { id } = await eraseAt(workspace, 'team/more secret.md');
      await workspace.eraser.finished(id);
    },
    () => ada.move('team/brought', 'new', true),
  ];
  for (const step of steps) {
    await step();
    clock.advance(7);
  }
  clock.advance(90_000);
  return { ada, ben };
}
