import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { perform } from '../../lib/operations/perform.js';
import { sendMessage, type SendMessageInput } from '../../lib/operations/messages/send-message.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';

describe('messages about an erased document', function () {
  this.timeout(60_000);
  let service: TestService;
  let ada: Client;
  let ben: Client;

  beforeEach(async () => {
    service = await openTestService({ store: 'disk' });
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    ben = await addClient({ service, workspace: service.workspace }, 'Ben', 'reader');
    for (const location of ['in/plan.md', 'in/other.md']) await ada.create(location, location);
  });
  afterEach(() => service.close());

  it('are in no file any more, with every answer and every answer kept for a retry; others stay', async () => {
    const send = (who: Client, input: SendMessageInput, key: string) =>
      perform(service.workspace, who.caller, sendMessage, input, { key, fingerprint: Buffer.alloc(32, key) });
    const about = parseLocation('in/plan.md');
    const first = { to: [ben.id], subject: 'subjectsecret', body: long('startedsecret'), about };
    const { threadId } = (await send(ada, first, 'started')).result.message;
    await send(ben, { threadId, body: long('answeredsecret') }, 'answered');
    await send(ada, { threadId, body: 'again answeredsecret' }, 'answered once more');
    await ada.send([ben.id], 'kept by itself');
    await ada.send([ben.id], 'kept of the folder', { about: parseFolderLocation('in') });
    await ada.send([ben.id], 'kept of the other', { about: parseLocation('in/other.md') });
    for (const client of [ada, ben]) {
      await client.readThread(threadId);
      await client.brief();
    }
    const secrets = ['subjectsecret', 'startedsecret', 'answeredsecret', 'startedsecretend', 'answeredsecretend'];
    const before = findTraces(folder(), secrets);
    for (const secret of secrets)
      assert.ok(
        before.some((line) => line.endsWith(secret)),
        `${secret} was there`,
      );

    const { id } = await eraseAt(service.workspace, 'in/plan.md');
    assert.equal(await outcomeOf(ben.readThread(threadId)), 'NOT_FOUND', 'gone before the erase is final');
    assert.equal(await outcomeOf(ben.send(undefined, 'late', { threadId })), 'NOT_FOUND');
    await service.workspace.eraser.finished(id);

    assert.deepEqual(findTraces(folder(), [...secrets, 'plan.md']), []);
    const kept = ['Ada: kept of the other [in/other.md]', 'Ada: kept of the folder [in]', 'Ada: kept by itself'];
    assert.deepEqual(
      await ben.mail(),
      kept.map((line) => `${line} *`),
    );
    assert.deepEqual(await ada.mail(), []);
    assert.equal(await outcomeOf(send(ada, first, 'started')), 'NOT_FOUND', 'a retry does not send it again');
    assert.deepEqual(findTraces(folder(), secrets.slice(1)), []);
  });

  it('go as well when it had been deleted, or moved since', async () => {
    await ada.send([ben.id], long('movedsecret'), { about: parseLocation('in/plan.md') });
    await ada.createFolder('elsewhere');
    await ada.move('in/plan.md', 'elsewhere', true);
    await ada.send([ben.id], long('deletedsecret'), { about: parseLocation('in/other.md') });
    await ada.delete('in/other.md');
    const secrets = ['movedsecret', 'deletedsecret', 'deletedsecretend'];
    assert.ok(findTraces(folder(), secrets).length > 0);
    await eraseAndFinish('in/other.md', true);
    assert.deepEqual(findTraces(folder(), secrets.slice(1)), []);
    await eraseAndFinish('elsewhere/plan.md');
    assert.deepEqual(findTraces(folder(), secrets), []);
    assert.deepEqual(await ben.mail(), []);
  });

  const folder = (): string => service.dataFolder ?? '';

  async function eraseAndFinish(location: string, isDeleted = false): Promise<void> {
    const { id } = await eraseAt(service.workspace, location, { isDeleted });
    await service.workspace.eraser.finished(id);
  }
});

/** Longer than a page of the file, so that its end lies in pages of its own. */
const long = (word: string): string => `${`${word} `.repeat(400)}${word}end`;
