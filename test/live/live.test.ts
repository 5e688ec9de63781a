import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Caller } from '../../lib/domain/caller.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { watchLocation } from '../../lib/operations/live/watch-location.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { until } from '../support/until.js';

/** Milliseconds. */
const tailInterval = 2;
/** Of the tail, four looks long. */
const look = 4 * tailInterval;
const usualBeat = 60_000;
/** Long enough for several looks: for events that must not come. */
const severalLooks = 60;

describe('a live stream', () => {
  let service: TestService;
  let ada: Client;
  let ben: Client;
  let rea: Client;
  const open: Follower[] = [];

  beforeEach(async () => {
    service = await openTestService({ tailInterval, workLimits: { streams: { perSource: 3, inAll: 5 } } });
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'approver', 'a');
    ben = await addClient(host, 'Ben', 'editor', 'a');
    rea = await addClient(host, 'Rea', 'reader', 'a');
    await ada.create('a/x.md', '# One\n');
  });
  afterEach(async () => {
    for (const follower of open.splice(0)) follower.leave();
    await service.close();
  });

  it('tells which part of a document changed: its text, labels, claims or comments', async () => {
    const follower = await follow(rea, 'a/x.md');
    const { current } = await ben.update('a/x.md', '# Two\n');
    assert.deepEqual(await follower.changes(2), ['version']);
    assert.equal(follower.states.at(-1)?.['version'], current.id);
    await ben.labels('add', 'a/x.md', 'draft');
    assert.deepEqual(await follower.changes(3), ['labels']);
    const { id } = await ben.claim('a/x.md');
    assert.deepEqual(await follower.changes(4), ['claims']);
    await ben.release(id);
    assert.deepEqual(await follower.changes(5), ['claims']);
    const comment = await ben.comment('a/x.md', 'Why?');
    assert.deepEqual(await follower.changes(6), ['comments']);
    await ben.editComment('a/x.md', comment.id, 'Why not?');
    assert.deepEqual(await follower.changes(7), ['comments']);
    await ben.resolve('a/x.md', comment.threadId);
    assert.deepEqual(await follower.changes(8), ['comments']);
    await ben.resolve('a/x.md', comment.threadId, false);
    assert.deepEqual(await follower.changes(9), ['comments']);
    await ben.deleteComment('a/x.md', comment.id);
    assert.deepEqual(await follower.changes(10), ['comments']);
  });

  it('tells that the role of its reader changed', async () => {
    const follower = await follow(rea, 'a/x.md');
    await service.grant('editor', { type: 'principal', id: rea.id }, 'a/x.md', 'document');
    assert.deepEqual(await follower.changes(2), ['record']);
  });

  it('a live stream reports that a claim expired', async () => {
    await ben.claim('a/x.md', undefined, 60);
    const follower = await follow(rea, 'a/x.md');
    service.clock.advance(60_000);
    assert.deepEqual(await follower.changes(2), ['claims']);
  });

  it('tells that the entries of a folder changed', async () => {
    const follower = await follow(rea, 'a');
    await ben.create('a/y.md', 'new');
    assert.deepEqual(await follower.changes(2), ['entries']);
    await ben.createFolder('a/b');
    assert.deepEqual(await follower.changes(3), ['entries']);
    await ben.claim('a/y.md');
    assert.deepEqual(await follower.changes(4), ['entries']);
    await ben.labels('add', 'a/x.md', 'draft');
    assert.deepEqual(await follower.changes(5), ['entries']);
  });

  it('gives the state that a client gets who asks for it', async () => {
    const follower = await follow(rea, 'a/x.md');
    assert.deepEqual((await state(rea, 'a/x.md')).state, follower.states[0]);
    assert.equal((await state(rea, 'a')).state.kind, 'folder');
  });

  it('says nothing about what its reader cannot reach', async () => {
    await service.grant('reader', { type: 'principal', id: rea.id }, 'shared');
    const root = await follow(rea, '');
    const shared = await follow(rea, 'a/x.md');
    const before = root.text + shared.text;
    const admin = await addClient({ service, workspace: service.workspace }, 'Root', 'approver');
    await admin.create('hidden/x.md', 'secret');
    await admin.claim('hidden/x.md');
    await admin.comment('hidden/x.md', 'secret');
    await service.grant('editor', { type: 'principal', id: ben.id }, 'hidden');
    await admin.delete('hidden/x.md');
    await new Promise((resolve) => setTimeout(resolve, severalLooks));
    assert.equal(root.text + shared.text, before);
    // The streams were awake all the time.
    await ada.comment('a/x.md', 'seen');
    assert.deepEqual(await shared.changes(2), ['comments']);
  });

  it('ends when its reader loses access, with no more than for an absent document', async () => {
    const revoked = await follow(rea, 'a/x.md');
    await service.revoke('reader', { type: 'principal', id: rea.id }, 'a');
    await revoked.ended();
    const deleted = await follow(ben, 'a/x.md');
    await ada.delete('a/x.md');
    await deleted.ended();
    const tail = ({ text }: Follower): string => text.slice(text.lastIndexOf('event:'));
    assert.equal(tail(revoked), 'event: gone\ndata: {}\n\n');
    assert.equal(tail(deleted), tail(revoked));
    assert.equal(await outcomeOf(state(rea, 'a/x.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(state(rea, 'a/none.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(ask(rea, 'none')), 'NOT_FOUND');
  });

  it('a live stream ends when its reader is disabled', async () => {
    const follower = await follow(rea, 'a/x.md');
    await perform(service.workspace, operator, setPrincipalState, { principalId: rea.id, disabled: true });
    await follower.ended();
  });

  describe('of a signed-in person', () => {
    let sessionId: string;
    let identityId: string;

    beforeEach(async () => {
      const { people } = service.service;
      const { result } = await perform(service.workspace, operator, issueLink, {
        principalId: rea.id,
        signInName: 'rea',
      });
      people.links.use(result.secret, 'hash');
      identityId = people.identities.findByName('rea')?.id ?? '';
      const session = { identityId, method: 'password', browser: 'test', address: '127.0.0.1' } as const;
      sessionId = people.sessions.begin(session).session.id;
    });

    it('a live stream of a signed-in person ends at sign-out', async () => {
      const follower = await follow(rea, 'a/x.md', { sessionId });
      service.service.people.sessions.end(identityId, sessionId);
      await follower.ended();
      assert.doesNotMatch(follower.text, /gone/);
    });

    it('ends with the session, and does not keep it from ending', async () => {
      const follower = await follow(rea, 'a/x.md', { sessionId });
      for (let hour = 0; hour < 12; hour += 1) {
        assert.equal(follower.isOver, false);
        service.clock.advance(60 * 60 * 1000);
        await new Promise((resolve) => setTimeout(resolve, 2 * look));
      }
      await follower.ended();
    });
  });

  it('leaves a record when it is opened, and another when access ended it', async () => {
    const follower = await follow(rea, 'a/x.md');
    await service.revoke('reader', { type: 'principal', id: rea.id }, 'a');
    await follower.ended();
    const { audit } = service.workspace.journal.reader;
    const records = await until('the end is recorded', () => {
      const found = audit.after(0, 1000).filter(({ action }) => action === 'location.watch');
      return found.length === 2 && found;
    });
    assert.deepEqual(
      records.map(({ seq, code }) => {
        const text = audit.textOf(seq);
        return [code, text?.target ?? null, text?.detail ?? null];
      }),
      [
        [null, 'a/x.md', '{"form":"stream"}'],
        ['NOT_FOUND', null, '{"broken_off":true}'],
      ],
    );
  });

  it('is one of few: for each person, and in all', async () => {
    const first = await follow(rea, 'a');
    await follow(rea, 'a');
    await follow(rea, 'a');
    assert.equal(await outcomeOf(ask(rea, 'a')), 'RATE_LIMITED');
    await follow(ben, 'a');
    await follow(ben, 'a');
    assert.equal(await outcomeOf(ask(ben, 'a')), 'UNAVAILABLE');
    first.leave();
    await first.ended();
    await follow(ben, 'a');
  });

  it('keeps only the newest state for a reader that does not read', async () => {
    const stream = (await ask(rea, 'a/x.md')).stream?.open();
    assert.ok(stream);
    await once(stream, 'readable');
    for (let round = 0; round < 20; round += 1) {
      await ben.update('a/x.md', `round ${round}`);
      await new Promise((resolve) => setTimeout(resolve, look));
    }
    assert.ok(stream.readableLength < 1000);
    const follower = new Follower(stream);
    open.push(follower);
    const newest = (await ada.record('a/x.md')).current.id;
    await until('the newest state has come', () => follower.states.at(-1)?.['version'] === newest);
    assert.ok(follower.states.length < 4);
  });

  it('beats at fixed times, whatever happens', async () => {
    const follower = await follow(rea, 'a/x.md', {}, 20);
    await until('three heartbeats have come', () => follower.text.split(': \n\n').length > 3);
    assert.equal(follower.states.length, 1);
  });

  it('ends when the workspace closes, also one that begins after that', async () => {
    const follower = await follow(rea, 'a/x.md');
    service.workspace.watchers.endAll();
    await follower.ended();
    await (await follow(rea, 'a/x.md')).ended();
  });

  const ask = async (client: Client, location: string, more: Partial<Caller> = {}, beat = usualBeat) => {
    const caller: Caller = { ...client.caller, interface: 'console', ...more };
    const input = { location: parseFolderLocation(location), form: 'stream', beat } as const;
    return (await perform(service.workspace, caller, watchLocation, input)).result;
  };

  const follow = async (...args: Parameters<typeof ask>): Promise<Follower> => {
    const stream = (await ask(...args)).stream?.open();
    assert.ok(stream);
    const follower = new Follower(stream);
    open.push(follower);
    await until('the first state has come', () => follower.states.length > 0 || follower.isOver);
    return follower;
  };

  const state = async (client: Client, location: string) => {
    const input = { location: parseFolderLocation(location), form: 'state' } as const;
    return (await perform(service.workspace, client.caller, watchLocation, input)).result;
  };
});

/** A reader of a live stream. */
class Follower {
  readonly #stream: Readable;
  #text = '';
  #isOver = false;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => void (this.#text += text));
    stream.on('close', () => void (this.#isOver = true));
  }

  get text(): string {
    return this.#text;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get states(): Record<string, string>[] {
    return [...this.#text.matchAll(/^event: state\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  }

  /** Waits for so many states. @returns the names of the values in which the last two differ */
  async changes(count: number): Promise<string[]> {
    const states = await until(`state ${count} has come`, () => this.states.length >= count && this.states);
    const [before = {}, now = {}] = states.slice(-2);
    return Object.keys(now).filter((name) => now[name] !== before[name]);
  }

  ended(): Promise<boolean> {
    return until('the stream has ended', () => this.#isOver);
  }

  leave(): void {
    this.#stream.destroy();
  }
}
