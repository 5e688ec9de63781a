import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { makeRandom } from '../support/faults/load.js';
import { findFreePort, startProgram, type RunningProgram } from '../support/processes/run-program.js';
import { Actor } from '../support/store/actor.js';
import { operator, TestClock, TestService } from '../support/store/service.js';
import { until } from '../support/until.js';
import { MirrorLoad, type LoadTally } from './mirror-load.js';

export interface MirrorCampaignOptions {
  readonly rounds: number;
  /** Changes in a round. */
  readonly changes: number;
  readonly seed: number;
  readonly tell?: (line: string) => void;
}

export interface MirrorTally extends LoadTally {
  rounds: number;
  serverKills: number;
  consumerKills: number;
  /** Documents that were compared, over all rounds. */
  compared: number;
}

/** The consumer of the manual, as it stands there. */
export const consumer = fileURLToPath(new URL('../../../lib/docs/examples/follow-changes.mjs', import.meta.url));
/** Milliseconds for the consumer to catch up on a busy machine. */
const timeout = 60_000;

/** What a document is in a mirror: its place, its version, and a digest of its text. */
type Mirror = Readonly<Record<string, string>>;

const digest = (text: Buffer): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** One data folder with a served workspace, somebody who changes it, and a consumer who keeps a mirror of its own part. */
class MirrorTrial {
  readonly #folder: string;
  readonly #tally: MirrorTally;
  readonly #options: MirrorCampaignOptions;
  readonly #random: () => number;
  #load!: MirrorLoad;
  #key = '';
  #port = 0;
  #server: RunningProgram | undefined;
  #consumer: ChildProcess | undefined;

  private constructor(folder: string, tally: MirrorTally, options: MirrorCampaignOptions) {
    this.#folder = folder;
    this.#tally = tally;
    this.#options = options;
    this.#random = makeRandom(`mirror ${options.seed}`);
  }

  static async open(tally: MirrorTally, options: MirrorCampaignOptions): Promise<MirrorTrial> {
    const trial = new MirrorTrial(await mkdtemp(join(tmpdir(), 'cartulary-mirror-')), tally, options);
    await trial.#setUp();
    return trial;
  }

  get folder(): string {
    return this.#folder;
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async #setUp(): Promise<void> {
    const service = await Service.open({
      dataFolder: join(this.#folder, 'data'),
      git: 'auto',
      clock: systemClock,
      randomness: makeSystemRandomness(),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    const workspace = await service.addWorkspace('acme');
    await perform(workspace, operator, changePolicy, { requestsPerMinute: 1e6, burst: 1e6 });
    const people = new TestService(service, workspace, new TestClock(), null);
    const admin = await people.person('approver');
    const reader = await people.person('reader', 'north');
    const operators = new Actor(workspace, operator.principalId);
    for (const folder of ['north', 'north/inner', 'south', 'south/inner', 'outside']) {
      for (const number of [0, 1, 2]) await operators.create(`${folder}/${number}.md`, `text ${number}`);
    }
    // Nested, and the reader may come and go at each place.
    const inner = await people.group('Inner', { type: 'principal', id: reader.id });
    const outer = await people.group('Outer', { type: 'group', id: inner });
    this.#key = reader.key;
    const followers = [
      { type: 'principal', id: reader.id },
      { type: 'group', id: inner },
      { type: 'group', id: outer },
    ] as const;
    const memberships = [
      { group: inner, member: reader.id },
      { group: outer, member: inner },
      { group: outer, member: reader.id },
    ];
    const dataFolder = join(this.#folder, 'data');
    this.#load = new MirrorLoad({ key: admin.key, followers, memberships, dataFolder }, this.#random, this.#tally);
    await service.close();
    this.#port = await findFreePort();
    this.#load.url = this.#url;
    await this.#serve();
    this.#follow();
  }

  async #serve(): Promise<void> {
    const place = ['--data', join(this.#folder, 'data'), '--port', String(this.#port)];
    this.#server = await startProgram(['serve', ...place, '--json'], /^\{/);
  }

  #follow(): void {
    const environment = { ...process.env, URL: this.#url, KEY: this.#key };
    this.#consumer = spawn(process.execPath, [consumer, join(this.#folder, 'mirror')], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  async #killConsumer(): Promise<void> {
    const child = this.#consumer;
    assert.ok(child);
    assert.equal(child.exitCode, null, 'the consumer never ends by itself');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Changes, with kills in the midst of them. Then the mirror has to become equal to a listing. */
  async round(): Promise<void> {
    const { changes } = this.#options;
    const serverDies = Math.floor(this.#random() * changes);
    const consumerDies = Math.floor(this.#random() * changes);
    for (let change = 0; change < changes; change += 1) {
      const dying = change === serverDies ? this.#killServer() : undefined;
      try {
        await this.#load.step();
      } catch (error) {
        // The server's end broke it off.
        if (dying === undefined || error instanceof assert.AssertionError) throw error;
      }
      await dying;
      if (change !== consumerDies) continue;
      await this.#killConsumer();
      this.#tally.consumerKills += 1;
      this.#follow();
    }
    await this.#requireEqual();
    this.#tally.rounds += 1;
  }

  async #killServer(): Promise<void> {
    await delay(this.#random() * 20);
    await this.#server?.stop('SIGKILL');
    this.#tally.serverKills += 1;
    await this.#serve();
  }

  async #requireEqual(): Promise<void> {
    const listed = await this.#list();
    let kept: Mirror = {};
    const isEqual = async (): Promise<boolean> => {
      kept = await this.#readMirror();
      return JSON.stringify(kept) === JSON.stringify(listed);
    };
    await until('the mirror is equal to the listing', isEqual, timeout).catch(() => assert.deepEqual(kept, listed));
    this.#tally.compared += Object.keys(listed).length;
  }

  /** Everything that the reader may read, by listing it. */
  async #list(): Promise<Mirror> {
    const found: [string, string][] = [];
    const waiting = [''];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      for (const { location } of await this.#pages('folders', folder)) waiting.push(location);
      for (const { id, location, etag } of await this.#pages('documents', folder)) {
        const text = await fetch(`${this.#url}/v1/files/${location}`, this.#asReader());
        assert.equal(text.status, 200, location);
        found.push([id, `${location} ${etag} ${digest(Buffer.from(await text.arrayBuffer()))}`]);
      }
    }
    return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  async #pages(kind: string, folder: string): Promise<{ id: string; location: string; etag: string }[]> {
    const items: { id: string; location: string; etag: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const place = `${this.#url}/v1/${kind}?limit=200&location=${encodeURIComponent(folder)}${after}`;
      const answer = await fetch(place, this.#asReader());
      const page = (await answer.json()) as { items: typeof items; next_cursor: string | null };
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }

  #asReader(): RequestInit {
    return { headers: { authorization: `Bearer ${this.#key}` } };
  }

  async #readMirror(): Promise<Mirror> {
    const folder = join(this.#folder, 'mirror');
    const text = await readFile(join(folder, 'index.json'), 'utf8').catch(() => '{"documents":{}}');
    const { documents } = JSON.parse(text) as { documents: Record<string, { location: string; etag: string }> };
    const kept = Object.entries(documents).map(async ([id, { location, etag }]): Promise<[string, string]> => {
      const content = await readFile(join(folder, 'texts', id)).catch(() => Buffer.from('none'));
      return [id, `${location} ${etag} ${digest(content)}`];
    });
    return Object.fromEntries((await Promise.all(kept)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  async end(): Promise<void> {
    if (this.#consumer?.exitCode === null) await this.#killConsumer();
    await this.#server?.stop('SIGKILL');
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** @throws AssertionError of the first round in which the mirror differs; its folder stays */
export async function runMirrorCampaign(options: MirrorCampaignOptions): Promise<MirrorTally> {
  const tally: MirrorTally = { rounds: 0, changes: new Map(), serverKills: 0, consumerKills: 0, compared: 0 };
  const trial = await MirrorTrial.open(tally, options);
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      await trial.round();
      options.tell?.(`round ${round}: ${JSON.stringify({ ...tally, changes: Object.fromEntries(tally.changes) })}`);
    }
  } catch (error) {
    throw new Error(`round ${tally.rounds} of seed ${options.seed} failed; its files are in ${trial.folder}`, {
      cause: error,
    });
  } finally {
    await trial.end();
  }
  await trial.remove();
  return tally;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string' }, changes: { type: 'string' }, seed: { type: 'string' } },
  });
  const seed = Number(values.seed ?? randomInt(1_000_000));
  console.log(`Seed ${seed}. To repeat: node dist/test/feed/mirror-campaign.js --seed ${seed}`);
  const [rounds, changes] = [Number(values.rounds ?? 100), Number(values.changes ?? 100)];
  await runMirrorCampaign({ rounds, changes, seed, tell: (line) => console.log(line) });
}
