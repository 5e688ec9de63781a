import assert from 'node:assert/strict';
import { Refusal } from '../../lib/domain/refusal.js';
import { requireSame } from '../support/model/canonicalize-answers.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService } from '../support/store/service.js';

const text = '# One\n\nfirst\n\n# Two\n\nsecond\n';

describe('documents out of reach', () => {
  it('have no effect on histories, diffs, annotations, claims, comments, labels, folders and reverts', async () => {
    const expected = await requireSame(tell);
    assert.ok(expected.filter((answer) => answer.includes('NOT_FOUND')).length > 30);
    assert.ok(expected.filter((answer) => answer.includes('open/x.md')).length > 10);
  });
});

/** Any answer, as text; positions by their length, since a face seals them. */
async function ask(work: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work, (name, value: unknown) =>
      name === 'next' && typeof value === 'string'
        ? `position of ${Buffer.byteLength(value)}`
        : name === 'number' || name === 'documentNumber'
          ? undefined
          : value,
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return JSON.stringify([error.code, error.message, error.details]);
  }
}

/** Plays the same scenario with or without actions out of reach of the two callers, and collects all their answers. */
async function tell(withHidden: boolean): Promise<string[]> {
  const service = await openTestService();
  try {
    const host = { service, workspace: service.workspace };
    const boss = await addClient(host, 'Boss', 'approver');
    const editor = await addClient(host, 'Ed', 'editor', 'open');
    const reader = await addClient(host, 'Rea', 'reader', 'open');
    const stranger = await addClient(host, 'Sam');
    const hide = async (actions: () => Promise<unknown>): Promise<void> => {
      if (withHidden) await actions();
    };
    await boss.create('open/x.md', text);
    await hide(async () => {
      await boss.create('secret/deep/y.md', text);
      await boss.rename('secret', 'secret-2');
      await boss.claim('secret-2/deep/y.md', 'one');
      const group = await service.group('hidden', { type: 'principal', id: stranger.id });
      await service.grant('editor', { type: 'group', id: group }, 'secret-2');
      await stranger.comment('secret-2/deep/y.md', 'psst', { mentions: [reader.id, editor.id] });
      await boss.deleteFolder('secret-2/deep');
      await boss.create('closed/old.md', 'x');
    });
    await boss.create('start/here.md', 'came from elsewhere');
    await boss.update('start/here.md', 'came from elsewhere, later');
    await hide(() => boss.create('start/other.md'));
    await boss.move('start/here.md', 'open', true);
    service.clock.advance(1000);
    const since = service.clock.now();
    await editor.update('open/x.md', text.replace('first', 'changed'));
    await boss.claim('open/x.md', 'two');
    await boss.comment('open/x.md', 'Rea?', { passage: { quote: 'second' }, mentions: [reader.id] });
    await hide(async () => {
      await boss.undeleteFolder('secret-2/deep');
      await stranger.claim('secret-2/deep/y.md', 'two');
      await stranger.comment('secret-2/deep/y.md', 'still here?', { mentions: [reader.id] });
      await boss.resolve('secret-2/deep/y.md', (await boss.comment('secret-2/deep/y.md', 'done')).threadId);
    });
    const answers: string[] = [];
    const paths = ['open/x.md', 'open/here.md', 'start/other.md', 'secret/deep/y.md', 'secret-2/deep/y.md', 'none.md'];
    for (const client of [reader, editor] as readonly Client[]) {
      for (const place of paths) {
        // Events of one millisecond stand in the order of their random ids.
        service.clock.advance(1);
        answers.push(
          await ask(client.history(place)),
          await ask(client.history(place, 1)),
          await ask(client.diff(place)),
          await ask(client.annotate(place)),
          await ask(client.record(place)),
          await ask(client.comments(place)),
          await ask(client.comments(place, 'open', 1)),
          await ask(client.claims(place)),
          await ask(client.claim(place, 'one')),
          await ask(client.comment(place, 'hello', { mentions: [stranger.id] })),
          await ask(client.comment(place, 'hello', { passage: { quote: 'second' } })),
          await ask(client.labels('add', place, 'label')),
        );
      }
      for (const folder of ['', 'open', 'secret', 'secret-2', 'secret-2/deep', 'closed', 'none']) {
        answers.push(
          await ask(client.claims(folder)),
          await ask(client.undeleteFolder(folder)),
          await ask(client.previewRevert(editor.id, folder, since)),
          await ask(client.previewRevert(boss.id, folder, 0)),
          ...(folder === 'open' ? [] : [await ask(client.deleteFolder(folder))]),
        );
      }
      answers.push(await ask(client.ownClaims()), await ask(client.addressed()));
    }
    return answers;
  } finally {
    await service.close();
  }
}
