import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import type { Caller } from '../../lib/domain/caller.js';
import { rootLocation } from '../../lib/domain/location.js';
import { readPolicy } from '../../lib/access/read-policy.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { checkModel, checkSelf, Evidence, type LoggedAction } from './check.js';
import { idsOf, isRepeatable, makeRandom, runStep } from '../support/faults/load.js';
import {
  applyStep,
  digestOf,
  emptyModel,
  newestOf,
  partOf,
  type Contended,
  type ContentSpec,
  type Model,
  type Outcome,
  type Step,
} from '../support/faults/model.js';
import type { Line, Orders } from './writer.js';
import { orphansGone, readLines } from './killed-writer.js';

export interface CampaignOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly actors?: number;
  readonly git?: 'auto' | 'never';
  /** Longest life of a writer after it is open, in milliseconds. */
  readonly maxLifetime?: number;
  readonly tell?: (line: string) => void;
}

/** The figures of a campaign. */
export interface Tally {
  rounds: number;
  kills: number;
  /** Of those, while the writer was catching up. */
  killsAtOpening: number;
  acknowledged: number;
  /** Requests under way at a kill, and how many of them turned out done. */
  underWay: number;
  doneUnanswered: number;
  retries: number;
  replays: number;
  documentsRead: number;
  /** Documents that left no trace, and erases that a kill interrupted before their answer. */
  erased: number;
  erasesUnderWay: number;
}

interface Asked {
  readonly actor: number;
  readonly request: string;
  readonly step: Step;
  answer: Extract<Line, { at: 'done' | 'refused' }> | undefined;
}

/** A version that must be there until its document is erased. */
interface MadeVersion {
  readonly id: string;
  readonly etag: string;
  readonly content: ContentSpec;
  readonly location: string;
}

const roundsAFolder = 8;

/**
 * One data folder with its model, over several rounds of writing, killing and comparing.
 *
 * Acknowledged requests must have had their effect. Requests under way had their whole effect or none, and the audit
 * log shows which: a request with a record must have had its effect, one without none.
 */
class Trial {
  readonly dataFolder: string;
  readonly #options: CampaignOptions;
  readonly #tally: Tally;
  readonly #model: Model = emptyModel();
  readonly #shared = new Map<string, Contended>();
  readonly #principals: string[] = [];
  #subject = '';
  #checkedSeq = 0;
  #countedErased = 0;
  /** The policy as it was changed last, by the log. */
  #policy = { seq: 0, requestsPerMinute: 1e6 };
  #asked: Asked[] = [];

  constructor(dataFolder: string, options: CampaignOptions, tally: Tally) {
    this.dataFolder = dataFolder;
    this.#options = options;
    this.#tally = tally;
  }

  get #git(): 'auto' | 'never' {
    return this.#options.git ?? 'auto';
  }

  get #actors(): number {
    return this.#options.actors ?? 12;
  }

  async setUp(): Promise<void> {
    await this.#withService(async (workspace) => {
      await perform(workspace, operator, changePolicy, { requestsPerMinute: 1e6, burst: 1e6 });
      const add = async (displayName: string): Promise<string> =>
        (await perform(workspace, operator, addPrincipal, { displayName, kind: 'person' })).result.id;
      this.#subject = await add('subject');
      for (let i = 0; i < this.#actors; i++) {
        const id = await add(`actor ${i}`);
        this.#principals.push(id);
        const subject = { type: 'principal', id } as const;
        const grant = { scopeType: 'folder', location: rootLocation, subject, role: 'approver' } as const;
        await perform(workspace, operator, createGrant, grant);
        await new Actor(workspace, operator.principalId).createFolder(`a${i}`);
        this.#model.kept.push(`a${i}`);
      }
      for (const location of ['shared/one.md', 'shared/two.md', 'shared/three.md']) {
        const { id, current } = await new Actor(workspace, operator.principalId).create(location, location);
        this.#shared.set(location, { id, first: current.id, next: new Map() });
      }
    }, true);
  }

  /** Writes and kills once or, to hit the catching up, several times; then compares. */
  async round(seed: string): Promise<void> {
    const random = makeRandom(seed);
    const opened = await this.#writeAndKill(seed, random);
    const more = opened && random() < 0.45 ? 1 + Math.floor(random() * 3) : 0;
    for (let again = 0; again < more; again++) await this.#writeAndKill(`${seed} again${again}`, random, true);
    await this.compare();
  }

  async compare(): Promise<void> {
    await this.#withService(async (workspace) => {
      await finishErases(workspace);
      const evidence = new Evidence(pathsOf(this.dataFolder, 'acme').folder);
      try {
        await checkSelf(evidence, workspace);
        this.#settle(evidence);
        this.#checkShared(evidence);
        this.#tally.documentsRead += await checkModel(evidence, workspace, this.#model, (location) =>
          this.#shared.has(location),
        );
        const { requestsPerMinute } = readPolicy(workspace.journal.reader);
        assert.equal(requestsPerMinute, this.#policy.requestsPerMinute, 'the policy');
        this.#tally.erased += this.#model.erased.length - this.#countedErased;
        this.#countedErased = this.#model.erased.length;
        await this.#repeat(workspace);
        this.#checkedSeq = evidence.number('SELECT max(seq) FROM audit_record');
      } finally {
        evidence.close();
      }
    });
  }

  async #withService(work: (workspace: Workspace) => Promise<void>, isNew = false): Promise<void> {
    const faults: string[] = [];
    const service = await Service.open({
      dataFolder: this.dataFolder,
      git: this.#git,
      clock: systemClock,
      randomness: makeSystemRandomness(),
      onFault: (what, cause) => void faults.push(`${what}: ${String(cause)}`),
    });
    try {
      const workspace = isNew ? await service.addWorkspace('acme') : service.find('acme');
      assert.ok(workspace !== undefined);
      await work(workspace);
    } finally {
      await service.close();
    }
    assert.deepEqual(faults, [], 'faults that opening reported');
  }

  /** @returns whether the writer got as far as being open */
  async #writeAndKill(seed: string, random: () => number, atOpening = false): Promise<boolean> {
    const dies = !atOpening && random() < 0.3;
    const orders: Orders = {
      dataFolder: this.dataFolder,
      seed,
      git: this.#git,
      actors: this.#principals.map((principal, i) => ({
        home: `a${i}`,
        principal,
        model: partOf(this.#model, `a${i}`),
      })),
      shared: Object.fromEntries([...this.#shared].map(([location, contended]) => [location, newestOf(contended)])),
      subject: this.#subject,
      checkpointEvery: random() < 0.5 ? 20 + Math.floor(random() * 200) : 0,
      maintainEvery: random() < 0.3 ? 100 + Math.floor(random() * 300) : 0,
      dieAtChange: dies ? 1 + Math.floor(random() ** 2 * 400) : 0,
      dieAfter: random() < 0.5,
    };
    // A request under way at an earlier kill is not known yet: its actor's next one might clash with it.
    if (atOpening) Object.assign(orders, { actors: [] });
    const log = join(this.dataFolder, 'campaign.log');
    const descriptor = openSync(log, 'w');
    const life = random() ** 2 * (this.#options.maxLifetime ?? 2500);
    const openingLife = random() * 120;
    const livesFrom = random() < 0.5 ? 'open' : 'done';
    const writer = fileURLToPath(new URL('./writer.js', import.meta.url));
    const told = join(this.dataFolder, 'orders.json');
    writeFileSync(told, JSON.stringify(orders));
    const child = spawn(process.execPath, [writer, told], {
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
    });
    closeSync(descriptor);
    let said = '';
    child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
    const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
      child.on('close', (code, signal) => resolve(signal ?? code));
    });
    const watch = setInterval(() => {
      const lines = readLines(log);
      const isOpening = lines.some(({ at }) => at === 'opening');
      if (atOpening ? isOpening : lines.some(({ at }) => at === livesFrom)) {
        clearInterval(watch);
        setTimeout(() => child.kill('SIGKILL'), atOpening ? openingLife : life);
      }
    }, 3);
    const outcome = await ended;
    clearInterval(watch);
    await orphansGone(this.dataFolder);
    assert.equal(outcome, 'SIGKILL', `the writer ended by itself: ${said}`);
    const lines = readLines(log);
    const isOpen = lines.some(({ at }) => at === 'open');
    this.#tally.kills += 1;
    if (!isOpen) this.#tally.killsAtOpening += 1;
    this.#take(lines);
    return isOpen;
  }

  #take(lines: readonly Line[]): void {
    const asked = new Map<string, Asked>();
    for (const line of lines) {
      if (line.at === 'ask') asked.set(line.request, { ...line, answer: undefined });
      if (line.at === 'done' || line.at === 'refused') {
        const one = asked.get(line.request);
        if (one !== undefined) one.answer = line;
      }
      assert.notEqual(line.at, 'fault', JSON.stringify(line));
    }
    this.#asked.push(...asked.values());
  }

  /** Brings the model to the state of the acknowledgements, and of the log for unanswered requests. */
  #settle(evidence: Evidence): void {
    const records = new Map<string, LoggedAction[]>();
    for (const action of evidence.actions(this.#checkedSeq)) {
      records.set(action.request, [...(records.get(action.request) ?? []), action]);
    }
    const made: MadeVersion[] = [];
    for (const { request, step, answer } of this.#asked) {
      const record = records.get(request)?.[0];
      assert.ok((records.get(request)?.length ?? 0) <= 1, `${request} is on record twice`);
      if (answer !== undefined) assert.ok(record !== undefined, `${request} was answered and is not on record`);
      if (answer?.at === 'refused') {
        assert.equal(record?.code, answer.code);
        // Only writers of one document may get in each other's way.
        const isContended = 'location' in step && this.#shared.has(step.location);
        assert.ok(
          isContended && answer.reason === 'stale_if_match',
          `${JSON.stringify(step)}: ${answer.code} ${answer.reason}`,
        );
        continue;
      }
      if (record === undefined || record.code !== null) {
        if (answer === undefined) this.#tally.underWay += 1;
        continue;
      }
      const outcome: Outcome = answer ?? outcomeOf(step, record);
      if (answer === undefined) {
        this.#tally.underWay += 1;
        this.#tally.doneUnanswered += 1;
      } else {
        this.#tally.acknowledged += 1;
        if (step.kind !== 'read')
          assert.equal(record.version ?? undefined, outcome.etag ?? record.version ?? undefined);
      }
      if (step.kind === 'policy' && record.seq > this.#policy.seq) this.#policy = { ...step, seq: record.seq };
      if (answer === undefined && step.kind === 'erase') this.#tally.erasesUnderWay += 1;
      this.#apply(step, completed(step, outcome, evidence), made);
    }
    // Not only current versions: each acknowledged version keeps its place, unless its document was erased.
    const erased = new Set(this.#model.erased.map(({ id }) => id));
    for (const { id, etag, content, location } of made) {
      const version = evidence.version(id, etag);
      const expected = erased.has(id) ? undefined : digestOf(content);
      assert.equal(version?.sha256, expected, `version ${etag} of ${location}`);
    }
  }

  #apply(step: Step, outcome: Outcome, made: MadeVersion[]): void {
    const contended = 'location' in step ? this.#shared.get(step.location) : undefined;
    if (contended !== undefined && step.kind === 'update') {
      assert.ok(!contended.next.has(step.ifMatch), `two writes of ${step.location} replaced ${step.ifMatch}`);
      contended.next.set(step.ifMatch, { etag: outcome.etag ?? '', sha256: digestOf(step.content) });
      return;
    }
    applyStep(this.#model, step, outcome);
    if (step.kind === 'create' || step.kind === 'update') {
      const { id = '', etag = '' } = outcome;
      made.push({ id, etag, content: step.content, location: step.location });
    }
  }

  #checkShared(evidence: Evidence): void {
    const rows = new Map(evidence.documents().map((row) => [row.location, row]));
    for (const [location, contended] of this.#shared) {
      let sequence = 1;
      let at = contended.first;
      for (let next = contended.next.get(at); next !== undefined; next = contended.next.get(at)) {
        sequence += 1;
        const version = evidence.version(contended.id, next.etag);
        assert.deepEqual(version, { sha256: next.sha256, sequence }, `version ${sequence} of ${location}`);
        at = next.etag;
      }
      assert.equal(sequence, contended.next.size + 1, `the versions of ${location} form no line`);
      assert.equal(rows.get(location)?.etag, at, `the newest version of ${location}`);
    }
  }

  /** The behaviour of a client without an answer: it sends the request again, under the same key. */
  async #repeat(workspace: Workspace): Promise<void> {
    const unanswered = this.#asked.filter(({ answer, step }) => answer === undefined && isRepeatable(step));
    const evidence = new Evidence(pathsOf(this.dataFolder, 'acme').folder);
    const records = new Map(evidence.actions(this.#checkedSeq).map((action) => [action.request, action]));
    evidence.close();
    for (const { actor, request, step } of unanswered) {
      const first = records.get(request);
      const wasDone = first !== undefined && first.code === null;
      const caller: Caller = {
        principalId: this.#principals[actor] ?? '',
        kind: 'person',
        credentialId: null,
        interface: 'rest',
        requestId: `${request}_again`,
      };
      const { replayed, ...outcome } = await runStep(workspace, caller, this.#subject, step, request);
      assert.equal(replayed, wasDone, `${request}: ${JSON.stringify(step)}`);
      this.#tally.retries += 1;
      if (!wasDone) applyStep(this.#model, step, outcome);
      else {
        this.#tally.replays += 1;
        if (outcome.etag !== undefined) assert.equal(outcome.etag, first?.version, 'the first result');
      }
    }
    this.#asked = [];
  }
}

/** Interrupted erases go on at the start. The comparison takes their final state. */
async function finishErases(workspace: Workspace): Promise<void> {
  const open = workspace.journal.reader.erasures.open();
  await Promise.all(open.map(({ id }) => workspace.eraser.finished(id)));
  if (open.length > 0) await workspace.checkpointer.run();
}

/** A claim's id stands in no record: where it was not answered, it is looked up. */
function completed(step: Step, outcome: Outcome, evidence: Evidence): Outcome {
  if (step.kind !== 'claim' || outcome.made !== undefined) return outcome;
  return {
    ...outcome,
    made: evidence.documents().find(({ location }) => location === step.location)?.claims ?? undefined,
  };
}

function outcomeOf(step: Step, { version, documentId, detail }: LoggedAction): Outcome {
  const { comment, thread, id } = JSON.parse(detail ?? '{}') as Record<string, string>;
  if (step.kind === 'comment') return { comment: { id: comment ?? '', thread: thread ?? '' } };
  if (step.kind === 'person') return { made: id };
  if (step.kind === 'import') return { etag: version ?? undefined, ids: idsOf(step, version) };
  return { etag: version ?? undefined, id: documentId ?? undefined };
}

/** Runs rounds of writing, killing and comparing. @throws Error with the way to reproduce it; its folder stays then */
export async function runCampaign(options: CampaignOptions): Promise<Tally> {
  const tally: Tally = {
    rounds: 0,
    kills: 0,
    killsAtOpening: 0,
    acknowledged: 0,
    underWay: 0,
    doneUnanswered: 0,
    retries: 0,
    replays: 0,
    documentsRead: 0,
    erased: 0,
    erasesUnderWay: 0,
  };
  let trial: Trial | undefined;
  for (let round = 0; round < options.rounds; round++) {
    if (trial === undefined || round % roundsAFolder === 0) {
      if (trial !== undefined) await rm(trial.dataFolder, { recursive: true, force: true });
      trial = new Trial(await mkdtemp(join(tmpdir(), 'cartulary-kill-')), options, tally);
      await trial.setUp();
    }
    try {
      await trial.round(`${options.seed} ${round}`);
    } catch (error) {
      throw new Error(
        `Round ${round} failed; its data are in ${trial.dataFolder}. Again: ` +
          `node dist/test/faults/campaign.js --rounds ${round + 1} --seed ${options.seed}`,
        { cause: error },
      );
    }
    tally.rounds += 1;
    options.tell?.(`round ${round}: ${JSON.stringify(tally)}`);
  }
  // The last round's repeated requests have their effects too.
  await trial?.compare();
  if (trial !== undefined) await rm(trial.dataFolder, { recursive: true, force: true });
  return tally;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '300' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      'without-git': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log('Usage: node dist/test/faults/campaign.js [--rounds N] [--seed N] [--without-git]');
  } else {
    const seed = Number(values.seed);
    console.log(`seed ${seed}`);
    const git = values['without-git'] ? 'never' : 'auto';
    const tally = await runCampaign({ rounds: Number(values.rounds), seed, git, tell: (line) => console.log(line) });
    console.log(JSON.stringify(tally));
  }
}
