import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { countOf, seedOf } from '../support/counts.js';
import { openRemoteServer } from '../support/http/open-remote.js';
import { playTwice, type IsolatedWorkspace } from '../support/model/isolated-pair.js';
import type { Face, Question } from '../support/model/face.js';
import { scenario } from '../support/model/scenario.js';
import { outcomeOf } from '../support/store/actor.js';
import { Client } from '../support/store/client.js';
import { mainOf, RawGit, unpack, type RawAnswer } from './raw-git.js';

const pairs = countOf('CLONE_PAIRS', { usual: 1, campaign: 150 });
const seed = seedOf(20261214);

/** What depends on nothing hidden and still differs between two requests. */
const own = new Set(['date', 'x-request-id', 'request-id', 'connection', 'keep-alive']);

describe('Content out of a key’s reach, and git', () => {
  it('has no effect on any ref, header or byte of a fetch', async function () {
    this.timeout(60_000 + pairs * 20_000);
    let served = 0;
    const openWorkspace = async (): Promise<IsolatedWorkspace> => {
      const server = await openRemoteServer();
      const faces: GitFace[] = [];
      return {
        service: server.host,
        faceOf: async (id) => {
          const git = new RawGit(server.rest.port, 'acme', await server.host.key(id, ['git']));
          const face = new GitFace(new Client(server.host.workspace, id), git);
          faces.push(face);
          return face;
        },
        close: async () => {
          served += faces.reduce((sum, face) => sum + face.served, 0);
          await server.close();
        },
      };
    };
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const [without, withHidden] = await playTwice(openWorkspace, drawn);
        for (const [index, answer] of without.entries()) {
          assert.equal(
            withHidden[index],
            answer,
            `fetch ${index} is answered differently when there is something hidden`,
          );
        }
      }),
      { numRuns: pairs, seed, endOnFailure: true },
    );
    assert.ok(served > pairs, `${served} fetches of something: too few`);
  });
});

/** Fetches after each of low's own writes: the refs, everything from the start, and what is new since the last time. */
class GitFace implements Face {
  readonly #git: RawGit;
  readonly #client: Client;
  #head: string | null = null;
  /** How many fetches of something there were. */
  served = 0;

  constructor(client: Client, git: RawGit) {
    this.#client = client;
    this.#git = git;
  }

  /** Does what changes something, and nothing else. */
  async #change(question: Question): Promise<unknown> {
    const client = this.#client;
    const { does } = question;
    if (does === 'create') return client.create(question.path, 'by low');
    if (does === 'update') return client.update(question.path, `by low ${this.served}`);
    if (does === 'delete') return client.delete(question.path);
    if (does === 'undelete') return client.undelete(question.path);
    if (does === 'rename') return client.rename(question.path, question.name, question.acknowledged);
    if (does === 'move') return client.move(question.path, question.folder, question.acknowledged);
    if (does === 'delete-folder') return client.deleteFolder(question.folder);
    if (does === 'undelete-folder') return client.undeleteFolder(question.folder);
    return undefined;
  }

  async ask(question: Question): Promise<string> {
    await outcomeOf(this.#change(question));
    const refs = await this.#git.listRefs();
    const answers: unknown[] = [received(refs)];
    const head = refs.status === 200 ? mainOf(refs) : null;
    if (head !== null && head !== this.#head) {
      this.served += 1;
      answers.push(received(await this.#git.fetch([head])));
      if (this.#head === null) answers.push(received(await this.#git.fetchOld([head])));
      else answers.push(received(await this.#git.fetch([head], [this.#head])));
    }
    if (this.#head === null) answers.push(received(await this.#git.advertise(0)));
    this.#head = head;
    return JSON.stringify(answers);
  }
}

/** All that a client gets: the status, the headers, and what git says on each channel. */
function received(answer: RawAnswer): unknown {
  const { status, headers, body } = answer;
  const named = Object.entries(headers).filter(([name]) => !own.has(name));
  if (status !== 200) return [status, named, body.toString()];
  const { lines, pack, said } = unpack(answer);
  return [named, lines, said, pack.length, createHash('sha256').update(pack).digest('hex')];
}
