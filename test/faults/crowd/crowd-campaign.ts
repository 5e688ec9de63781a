import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { makeSystemRandomness, systemClock } from '../../../lib/app/real-world.js';
import { Service } from '../../../lib/app/service.js';
import { changePolicy } from '../../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../../lib/operations/perform.js';
import { makeRandom } from '../../support/faults/load.js';
import { serve, type RunningProgram } from '../../support/processes/run-program.js';
import { Actor } from '../../support/store/actor.js';
import { operator, TestClock, TestService } from '../../support/store/service.js';
import { programsGone } from '../git-campaign.js';
import { checkFolder, explainFolder } from './check.js';
import { Contents } from './contents.js';
import { BackupKeeper, Eraser } from './eraser.js';
import { Ledger } from './ledger.js';
import { MirroringPerson } from './mirror.js';
import type { CrowdTally, Equipment, Participant, Place } from './person.js';
import { Cloner, Pusher } from './pusher.js';
import { FolderKeeper, Writer } from './writers.js';

export interface CrowdOptions {
  readonly seed: number;
  /** Erases after which it ends, with the round under way. */
  readonly erases: number;
  /** The longest life of a service in milliseconds, before it is killed. */
  readonly mostLife: number;
  /** How many of each kind of people. */
  readonly people: { readonly pushers: number; readonly writers: number; readonly erasers: number };
  /** The most milliseconds that the service's disk and its git programs take longer. */
  readonly slow: number;
  readonly tell?: (line: string) => void;
}

/** Rounds after which a data folder is left, so that a campaign meets small histories too. */
const roundsAFolder = 6;

/** A git program that does what git does, and sometimes waits before it. */
function slowGit(milliseconds: number, folder: string): string {
  const seconds = (milliseconds / 1000).toFixed(3);
  return `#!/bin/sh
if [ "$*" = --exec-path ]; then echo '${folder}'; exit; fi
case " $* " in
  *' rev-list '* | *' pack-objects '* | *' multi-pack-index '* | *' commit-graph '*)
    if [ $(($$ % 3)) -ne 0 ]; then sleep ${seconds} </dev/null >/dev/null 2>&1; fi ;;
esac
PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"
`;
}

/** One data folder, with a crowd that works until its service is killed, and what must be true. */
class CrowdTrial {
  readonly folder: string;
  readonly #data: string;
  readonly #options: CrowdOptions;
  readonly #tally: CrowdTally;
  readonly #ledger: Ledger;
  readonly #seed: string;
  readonly #people: Participant[] = [];
  #cloner: Cloner | undefined;
  #rounds = 0;

  private constructor(folder: string, seed: string, tally: CrowdTally, options: CrowdOptions) {
    this.folder = folder;
    this.#data = join(folder, 'data');
    this.#seed = seed;
    this.#tally = tally;
    this.#options = options;
    this.#ledger = new Ledger(new Contents(seed), join(folder, 'steps.log'));
  }

  static async open(seed: string, tally: CrowdTally, options: CrowdOptions): Promise<CrowdTrial> {
    const trial = new CrowdTrial(await mkdtemp(join(tmpdir(), 'cartulary-crowd-')), seed, tally, options);
    await trial.#setUp();
    return trial;
  }

  get isOld(): boolean {
    return this.#rounds >= roundsAFolder;
  }

  async #setUp(): Promise<void> {
    for (const name of ['bin', 'sources', 'backups', 'clones']) mkdirSync(join(this.folder, name));
    const git = join(this.folder, 'bin', 'git');
    writeFileSync(git, slowGit(this.#options.slow, join(this.folder, 'bin')));
    chmodSync(git, 0o755);
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
    const operators = new Actor(workspace, operator.principalId);
    const equip = async (name: string, role: 'approver' | 'editor', home: string): Promise<Equipment> => {
      if (home !== '') await operators.createFolder(home);
      const { id } = await people.person(role, home, name);
      const secret = await people.key(id, ['rest', 'git']);
      const random = makeRandom(`${this.#seed} ${name}`);
      return { secret, ledger: this.#ledger, tally: this.#tally, random };
    };
    await this.#invite(equip);
    await service.close();
  }

  async #invite(equip: (name: string, role: 'approver' | 'editor', home: string) => Promise<Equipment>): Promise<void> {
    const { pushers, writers, erasers } = this.#options.people;
    const places = (folder: string): string => join(this.folder, folder);
    for (let at = 0; at < pushers; at += 1) {
      const name = `pusher ${at}`;
      const home = `pushed-${at}`;
      const equipment = await equip(name, 'editor', home);
      this.#people.push(new Pusher(name, home, places(`clones/${home}`), equipment));
    }
    for (let at = 0; at < writers; at += 1) {
      for (const size of ['small', 'large'] as const) {
        const name = `writer ${size} ${at}`;
        const home = `${size}-${at}`;
        this.#people.push(new Writer(name, home, size, await equip(name, 'editor', home)));
      }
    }
    this.#people.push(new FolderKeeper('folder keeper', 'folders', await equip('folder keeper', 'editor', 'folders')));
    for (const kind of ['folder', 'program'] as const) {
      const source = places(`sources/${kind}`);
      const settings = kind === 'folder' ? { path: source } : { program: 'slow' };
      const equipment = await equip(`mirror ${kind}`, 'approver', `mirrors-${kind}`);
      const home = `mirrors-${kind}/mirror`;
      this.#people.push(new MirroringPerson(`mirror ${kind}`, home, source, { kind, settings }, equipment));
    }
    const victims = await equip('victims', 'editor', 'victims');
    for (let at = 0; at < erasers; at += 1) {
      const random = makeRandom(`${this.#seed} eraser ${at}`);
      this.#people.push(new Eraser(`eraser ${at}`, this.#data, { ...victims, random }));
    }
    const admin = await equip('admin', 'approver', '');
    this.#cloner = new Cloner('cloner', places('clones/whole'), admin);
    this.#people.push(this.#cloner, new BackupKeeper('backups', this.#data, places('backups'), admin));
  }

  /** Works and kills once, then compares. */
  async round(seed: string): Promise<void> {
    const random = makeRandom(seed);
    const life = (0.2 + 0.8 * random()) * this.#options.mostLife;
    await this.#serve(async (place, server) => {
      let isOver = false;
      const working = Promise.all(this.#people.map((person) => person.work(place, () => isOver)));
      await Promise.race([delay(life), working]);
      isOver = true;
      this.#ledger.note('everybody', `the service is killed, round ${this.#rounds}`);
      await server.stop('SIGKILL');
      await working;
    });
    await programsGone(this.#data);
    let clone: Map<string, string> | undefined;
    await this.#serve(async (place, server) => {
      this.#ledger.note('everybody', 'the service runs again');
      await Promise.all(this.#people.map((person) => person.settle(place)));
      clone = await this.#cloner?.clone(place);
      await server.stop();
    });
    await checkFolder(this.#data, this.#ledger, clone);
    this.#rounds += 1;
  }

  async #serve(work: (place: Place, server: RunningProgram) => Promise<void>): Promise<void> {
    const { slow } = this.#options;
    const wait = Math.round(slow / 4);
    const program = fileURLToPath(new URL('./slow-source.js', import.meta.url));
    const source = join(this.folder, 'sources');
    const server = await serve(this.#data, {
      isStart: true,
      environment: {
        PATH: `${join(this.folder, 'bin')}:${process.env['PATH'] ?? ''}`,
        NODE_OPTIONS: `--import=${new URL('./slow-disk.js', import.meta.url).href}`,
        SLOW_DISK: String(wait),
        CARTULARY_DISK_RESERVE: '0',
        CARTULARY_CONNECTOR_FOLDERS: source,
        CARTULARY_CONNECTOR_PROGRAMS: `slow=${process.execPath} ${program} ${join(source, 'program')} ${slow}`,
      },
    });
    try {
      await work({ url: server.url }, server);
    } catch (error) {
      await server.stop('SIGTERM');
      const { message } = error as Error;
      const lost = await explainFolder(this.#data, this.#ledger);
      throw new Error(`${message}\nIn the folder: ${lost}\nThe last steps:\n${this.#ledger.lastSteps()}`, {
        cause: error,
      });
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** @throws AssertionError of the first round that fails, with its seed; its folder stays */
export async function runCrowdCampaign(options: CrowdOptions): Promise<CrowdTally> {
  const tally: CrowdTally = {
    kills: 0,
    writes: 0,
    uploads: 0,
    pushes: 0,
    syncs: 0,
    erases: 0,
    folders: 0,
    backups: 0,
    clones: 0,
    unanswered: 0,
  };
  let trial: CrowdTrial | undefined;
  for (let round = 0; tally.erases < options.erases; round += 1) {
    const seed = `${options.seed} ${round}`;
    trial ??= await CrowdTrial.open(seed, tally, options);
    try {
      await trial.round(seed);
    } catch (error) {
      const { message } = error as Error;
      const where = `Its files are in ${trial.folder}, every step in steps.log there.`;
      throw new Error(`round ${round} of seed ${options.seed} failed. ${where}\n${message}`, { cause: error });
    }
    tally.kills += 1;
    options.tell?.(`round ${round}: ${JSON.stringify(tally)}`);
    if (!trial.isOld) continue;
    await trial.remove();
    trial = undefined;
  }
  await trial?.remove();
  return tally;
}

/** Many people, and a slow disk: for chances that seldom come. */
export const greatCrowd = {
  mostLife: 40_000,
  people: { pushers: 4, writers: 1, erasers: 4 },
  slow: 150,
} as const;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // Processes that tests share keep none alive that waits for them.
  const alive = setInterval(() => undefined, 60_000);
  const { values } = parseArgs({ options: { erases: { type: 'string' }, seed: { type: 'string' } } });
  const seed = Number(values.seed ?? randomInt(1_000_000));
  console.log(`Seed ${seed}. To repeat: node dist/test/faults/crowd/crowd-campaign.js --seed ${seed}`);
  const erases = Number(values.erases ?? 500);
  await runCrowdCampaign({ ...greatCrowd, erases, seed, tell: (line) => console.log(line) });
  clearInterval(alive);
}
