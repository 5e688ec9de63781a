import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { closeSync, openSync, readFileSync, readdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { fsck } from '../support/git/fixture.js';
import { makeRandom } from '../support/faults/load.js';
import { ask, serve, type RunningProgram } from '../support/processes/run-program.js';
import { Actor } from '../support/store/actor.js';
import { operator, TestClock, TestService } from '../support/store/service.js';
import { findTraces } from '../support/store/evidence.js';
import { until } from '../support/until.js';
import { Cloner, Eraser, Pusher, seedText, Writer, type Participant, type Place } from './git-actors.js';

export interface GitCampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  /** The most answers before a kill: ten writes count as one fetch, and a push as two. */
  readonly most?: number;
  readonly tell?: (line: string) => void;
  /** The folder of a small disk. The data lies there, and every other round fills it instead of killing the server. */
  readonly disk?: string;
}

/** What happened in a campaign. */
export interface GitTally {
  rounds: number;
  /** Of them: those in which the disk was full. */
  full: number;
  /** Acknowledged before a kill. */
  writes: number;
  pushes: number;
  fetches: number;
  erases: number;
  /** Pushes and fetches that a kill broke off. */
  broken: number;
  /** Under way now. */
  pushing: number;
  /** Of the pushes that were broken off: those that turned out done. */
  doneUnanswered: number;
}

/** Milliseconds, for a round in which little is answered. */
const longestLife = 25_000;
/** The same, for people who try to go on with a full disk. */
const longestFull = 5000;
/** Who clones the workspace's own repository. */
const ownCloner = 'cloner of ""';
/** Mebibytes below which a server refuses writes, where its disk is small. */
const reserves = { none: '0', some: '16' };
const folders = ['north', 'south'];

/** One data folder, with people who write, push, clone and erase until their server is killed, and what must be true. */
class GitTrial {
  readonly #folder: string;
  readonly #data: string;
  readonly #tally: GitTally;
  readonly #most: number;
  readonly #actors: Participant[] = [];
  #place: Place = { url: '', port: 0, mayBeFull: () => false };
  readonly #ballast: string;
  #admin = '';

  private constructor(folder: string, tally: GitTally, { most = 40, disk = folder }: GitCampaignOptions) {
    this.#most = most;
    this.#folder = folder;
    this.#data = join(disk, 'data');
    this.#ballast = join(disk, 'ballast');
    this.#tally = tally;
  }

  static async open(tally: GitTally, options: GitCampaignOptions): Promise<GitTrial> {
    const trial = new GitTrial(await mkdtemp(join(tmpdir(), 'cartulary-git-faults-')), tally, options);
    await trial.#setUp();
    return trial;
  }

  async #setUp(): Promise<void> {
    const service = await Service.open({
      dataFolder: this.#data,
      git: 'auto',
      clock: systemClock,
      randomness: makeSystemRandomness(),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    const workspace = await service.addWorkspace('acme');
    await perform(workspace, operator, changePolicy, { requestsPerMinute: 1e6, burst: 1e6 });
    const people = new TestService(service, workspace, new TestClock(), null);
    const person = async (role: 'reader' | 'editor' | 'approver', folder: string, also = ''): Promise<string> => {
      const { id } = await people.person(role, folder);
      if (also !== '') await people.grant('reader', { type: 'principal', id }, also);
      return people.key(id, ['rest', 'git']);
    };
    this.#admin = await person('approver', '');
    const operators = new Actor(workspace, operator.principalId);
    for (const folder of folders) {
      for (const number of [0, 1]) await operators.create(`${folder}/pushed-${number}/seed.md`, seedText);
    }
    const tally = this.#tally;
    for (const [number, folder] of folders.entries()) {
      const home = join(this.#folder, `clones-${number}`);
      this.#actors.push(
        new Writer(await person('editor', folder), folder, tally),
        new Pusher(await person('editor', `${folder}/pushed-0`), `${folder}/pushed-0`, `${home}-a`, tally),
        new Pusher(await person('editor', `${folder}/pushed-1`, folder), `${folder}/pushed-1`, `${home}-b`, tally),
        new Cloner(await person('reader', folder), folder, `${home}-c`, tally),
      );
    }
    this.#actors.push(new Cloner(this.#admin, '', join(this.#folder, 'clones-admin'), tally));
    const victims = await person('editor', 'victims');
    this.#actors.push(new Eraser(victims, 'victims', join(this.#folder, 'clones-victims'), this.#data, tally));
    await service.close();
  }

  async round(seed: string): Promise<void> {
    const random = makeRandom(seed);
    await this.#serve(async (server) => {
      let isOver = false;
      const end = performance.now() + longestLife;
      const working = this.#begin(seed, () => isOver);
      await this.#answered(random, end);
      // Half of the kills come while somebody pushes: it takes longest, and has most to lose.
      const waitsForPush = random() < 0.5;
      if (waitsForPush) while (this.#tally.pushing === 0 && performance.now() < end) await delay(5);
      await delay(random() * (waitsForPush ? 1500 : 300));
      isOver = true;
      await server.stop('SIGKILL');
      await Promise.all(working);
    });
    await programsGone(this.#data);
    await this.#serve(async (server) => {
      await this.#settle(this.#actors);
      await server.stop();
    });
    await this.#checkFiles();
    this.#tally.rounds += 1;
  }

  /** The disk fills while everybody works. Then it has room again, and the same server has to go on. */
  async fullRound(seed: string): Promise<void> {
    const random = makeRandom(seed);
    // Without a reserve, any write may be the first that fails. With one, the server refuses by itself.
    const reserve = this.#tally.full % 2 === 0 ? reserves.none : reserves.some;
    const others = this.#actors.filter((actor) => !(actor instanceof Eraser) && actor.name !== ownCloner);
    let isFull = false;
    await this.#serve(
      async (server) => {
        let isOver = false;
        const working = this.#begin(seed, () => isOver);
        await this.#answered(random, performance.now() + longestLife);
        isFull = true;
        fill(this.#ballast);
        await Promise.race([Promise.all(working), delay(longestFull)]);
        isOver = true;
        await Promise.all(working);
        await rm(this.#ballast);
        const ready = `${new URL(this.#place.url).origin}/v1/ready`;
        let said = '';
        await until(
          () => `the server is ready again: ${said}`,
          async () => {
            // That takes seconds, in which the server needs the processor.
            await delay(200);
            const answer = await fetch(ready);
            said = await answer.text();
            return answer.ok;
          },
        );
        isFull = false;
        await this.#settle(others);
        await server.stop();
      },
      { reserve, mayBeFull: () => isFull },
    );
    // An erase without room is tried again after a minute, or at the next start. The whole history waits for it.
    await this.#serve(async (server) => {
      await this.#settle(this.#actors.filter((actor) => !others.includes(actor)));
      await server.stop();
    });
    await this.#checkFiles();
    this.#tally.rounds += 1;
    this.#tally.full += 1;
  }

  #begin(seed: string, isOver: () => boolean): Promise<void>[] {
    return this.#actors.map((actor) => actor.work(this.#place, makeRandom(`${seed} ${actor.name}`), isOver));
  }

  /** Waits until some of the work is answered. */
  async #answered(random: () => number, end: number): Promise<void> {
    const answered = ({ writes, pushes, fetches }: GitTally): number => writes / 10 + fetches + pushes * 2;
    const enough = answered(this.#tally) + Math.floor(random() * this.#most);
    while (answered(this.#tally) < enough && performance.now() < end) await delay(5);
  }

  async #settle(actors: readonly Participant[]): Promise<void> {
    for (const actor of actors) await actor.settle(this.#place, this.#admin);
    const known = new Map(this.#actors.flatMap((actor) => [...actor.known]));
    for (const actor of actors) await actor.check(this.#place, known);
  }

  async #serve(
    work: (server: RunningProgram) => Promise<void>,
    { reserve = reserves.none, mayBeFull = () => false }: { reserve?: string; mayBeFull?: () => boolean } = {},
  ): Promise<void> {
    const server = await serve(this.#data, { environment: { CARTULARY_DISK_RESERVE: reserve } });
    this.#place = { url: `${server.url}/git/acme`, port: Number(new URL(server.url).port), mayBeFull };
    try {
      await work(server);
    } catch (error) {
      await server.stop('SIGKILL');
      throw error;
    }
  }

  /** What lies in the folder after a clean end. */
  async #checkFiles(): Promise<void> {
    const { repository, folder } = pathsOf(this.#data, 'acme');
    assert.equal(fsck(repository), '', 'the workspace’s own repository');
    const names = (await readdir(folder, { recursive: true })).filter((name) =>
      /(?:^|\/)(?:incoming|quarantine)\/./.test(name),
    );
    assert.deepEqual(names, [], 'left of a push');
    const secrets = this.#actors.flatMap((actor) => actor.erased);
    if (secrets.length > 0) assert.deepEqual(findTraces(this.#data, secrets, []), [], 'traces of what was erased');
    const verdict = await ask<{ sound: boolean }>('verify', '--data', this.#data);
    assert.ok(verdict.sound, JSON.stringify(verdict));
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  get folder(): string {
    return this.#folder;
  }
}

/** A git program that a killed server had started notices its end at its next read or write. */
export async function programsGone(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const isAlive = (): boolean =>
    readdirSync('/proc').some((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(folder);
      } catch {
        return false; // it has just ended
      }
    });
  await until('every program has ended that a killed server had started', () => !isAlive());
}

/** Writes until the disk has no room. */
function fill(file: string): void {
  const piece = Buffer.alloc(64 * 1024, 1);
  const descriptor = openSync(file, 'w');
  try {
    for (;;) writeSync(descriptor, piece);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(descriptor);
  }
}

/** @throws AssertionError of the first round that fails, with its seed; its folder stays */
export async function runGitCampaign(options: GitCampaignOptions): Promise<GitTally> {
  const tally: GitTally = {
    rounds: 0,
    full: 0,
    writes: 0,
    pushes: 0,
    fetches: 0,
    erases: 0,
    broken: 0,
    pushing: 0,
    doneUnanswered: 0,
  };
  const trial = await GitTrial.open(tally, options);
  for (let round = 0; round < options.rounds; round += 1) {
    const seed = `${options.seed} ${round}`;
    try {
      if (options.disk !== undefined && round % 2 === 0) await trial.fullRound(seed);
      else await trial.round(seed);
    } catch (error) {
      throw new Error(`round ${round} of seed ${options.seed} failed; its files are in ${trial.folder}`, {
        cause: error,
      });
    }
    options.tell?.(`round ${round}: ${JSON.stringify(tally)}`);
  }
  await trial.remove();
  return tally;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // Processes that tests share keep none alive that waits for them.
  const alive = setInterval(() => undefined, 60_000);
  const { values } = parseArgs({
    options: { rounds: { type: 'string' }, seed: { type: 'string' }, disk: { type: 'string' } },
  });
  const place = values.disk === undefined ? {} : { disk: values.disk };
  const seed = Number(values.seed ?? randomInt(1_000_000));
  console.log(`Seed ${seed}. To repeat: node dist/test/faults/git-campaign.js --seed ${seed}`);
  await runGitCampaign({ ...place, rounds: Number(values.rounds ?? 50), seed, tell: (line) => console.log(line) });
  clearInterval(alive);
}
