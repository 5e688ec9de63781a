import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pick, type Content } from './contents.js';
import { inPath, Person, requireDone, send, type Equipment, type Place } from './person.js';

interface Run {
  readonly number: number;
  readonly outcome: string | null;
  readonly message: string | null;
}

interface Connector {
  readonly id: string;
  readonly state: string;
  readonly held_change: string | null;
  readonly last_run: Run | null;
}

const mostFiles = 14;
/** How names of files begin that are to be erased. Each has a content of its own, and keeps it. */
const toGo = 'to-go-';
const isToGo = (name: string): boolean => name.startsWith(toGo);
/** Milliseconds in which a run has to end. */
const patience = 90_000;

/** How a folder is connected. */
export interface Connection {
  readonly kind: 'folder' | 'program';
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Changes the files of a source, and has a connector mirror them. */
export class MirroringPerson extends Person {
  readonly #home: string;
  readonly #source: string;
  readonly #connection: Connection;
  readonly #files = new Map<string, Content>();
  /** Contents of documents that were given up here. */
  readonly #erased = new Set<string>();
  #id: string | undefined;
  /** Paths that the mirror holds since the last run that went through while nothing changed. */
  #mirrored = new Map<string, string>();

  constructor(name: string, home: string, source: string, connection: Connection, equipment: Equipment) {
    super(name, equipment);
    this.#home = home;
    this.#source = source;
    this.#connection = connection;
    mkdirSync(source, { recursive: true });
  }

  protected async step(place: Place): Promise<boolean> {
    await this.#changeFiles();
    if (!(await this.#connect(place))) return false;
    const isSynced = await this.#sync(place, this.random() < 0.3);
    if (isSynced === 'gone') return false;
    const doomed = [...this.#files.keys()].find(isToGo);
    return isSynced === 'all' && doomed !== undefined ? this.#giveUp(place, doomed) : true;
  }

  async #changeFiles(): Promise<void> {
    const changes = 1 + Math.floor(this.random() * 4);
    for (let change = 0; change < changes; change += 1) {
      const names = [...this.#files.keys()];
      const isNew = names.length < 3 || (this.random() < 0.6 && names.length < mostFiles);
      const name = isNew ? `${this.#choosePrefix()}${this.serial}-${change}.md` : pick(names, this.random);
      if (isToGo(name) && !isNew) continue;
      if (!isNew && names.length > 6 && this.random() < 0.3) await this.#remove(name);
      else await this.#put(name, this.#chooseContent(name));
    }
  }

  #choosePrefix(): string {
    return this.random() < 0.4 ? toGo : '';
  }

  #chooseContent(name: string): Content {
    const { contents } = this.ledger;
    const own = contents.own(this.random);
    if (isToGo(name)) return own;
    const chosen = this.random() < 0.15 ? contents.large(this.random) : contents.small(this.random);
    // A mirror leaves out what was erased in it, under every name.
    return this.#erased.has(chosen.sha256) ? own : chosen;
  }

  async #put(name: string, content: Content): Promise<void> {
    // No run meets half of a file.
    const beside = `${this.#source}-new`;
    await writeFile(beside, content.bytes);
    await rename(beside, join(this.#source, name));
    this.#files.set(name, content);
    this.ledger.note(this.name, `the source of ${this.#home}/${name} is ${content.name}`);
  }

  async #remove(name: string): Promise<void> {
    await rm(join(this.#source, name));
    this.#files.delete(name);
    this.ledger.note(this.name, `the source of ${this.#home}/${name} is gone`);
  }

  async #connect(place: Place): Promise<boolean> {
    if (this.#id !== undefined) return true;
    const body = JSON.stringify({
      name: this.name,
      location: this.#home,
      ...this.#connection,
      interval_seconds: 86_400,
    });
    return this.write(place, { method: 'POST', path: '/v1/connectors', body }, (answer) => {
      requireDone(this.name, 'connect', answer);
      this.#id = String(answer.body['id']);
    });
  }

  async #read(place: Place): Promise<Connector | undefined> {
    const answer = await send(place, this.secret, { method: 'GET', path: `/v1/connectors/${this.#id}` });
    if (answer !== undefined) requireDone(this.name, 'read the connector', answer);
    return answer?.body as Connector | undefined;
  }

  /** Lets it run now. @returns whether the mirror is the source now, or the service is gone */
  async #sync(place: Place, changesMeanwhile: boolean): Promise<'all' | 'not all' | 'gone'> {
    // A run under way can have listed the source before. The next one begins after it.
    let before = await this.#ended(place, 0);
    if (before === undefined) return 'gone';
    // A kill can come between a run that was held and its approval. No other run begins before that.
    const isHeld = (await this.#read(place))?.state === 'held';
    if (isHeld && !(await this.#approve(place))) return 'gone';
    if (isHeld) before = await this.#ended(place, before.number);
    if (before === undefined) return 'gone';
    const asked = await send(place, this.secret, {
      method: 'POST',
      path: `/v1/connectors/${this.#id}/runs`,
      key: this.#keyOf('run', before),
    });
    if (asked === undefined) return 'gone';
    requireDone(this.name, 'sync', asked);
    if (changesMeanwhile) {
      await delay(this.random() * 300);
      await this.#changeFiles();
    }
    const run = await this.#ended(place, before.number);
    if (run === undefined) return 'gone';
    this.ledger.note(this.name, `run ${run.number} of ${this.#home}: ${run.outcome ?? ''} ${run.message ?? ''}`);
    if (run.outcome === 'held') {
      if (!(await this.#approve(place))) return 'gone';
      before = run;
      const approved = await this.#ended(place, before.number);
      if (approved === undefined) return 'gone';
      this.ledger.note(this.name, `run ${approved.number}, approved: ${approved.outcome ?? ''}`);
      if (approved.outcome !== 'changed') return 'not all';
    } else if (!['changed', 'unchanged'].includes(run.outcome ?? '')) return 'not all';
    if (changesMeanwhile) return 'not all';
    this.#note();
    return 'all';
  }

  /** Waits until a run later than a number has ended. */
  async #ended(place: Place, after: number): Promise<Run | undefined> {
    const end = performance.now() + patience;
    for (;;) {
      const connector = await this.#read(place);
      if (connector === undefined) return undefined;
      const run = connector.last_run;
      if (run !== null && run.number > after && run.outcome !== null) return run;
      assert.ok(performance.now() < end, `${this.name}: no run has ended: ${JSON.stringify(connector)}`);
      await delay(40);
    }
  }

  #keyOf(what: string, run: Run | null): string {
    return `${this.name}-${this.serial}-${what}-${run?.number ?? 0}`.replaceAll(' ', '-');
  }

  async #approve(place: Place): Promise<boolean> {
    const connector = await this.#read(place);
    if (connector === undefined) return false;
    const body = JSON.stringify({ change: connector.held_change });
    const path = `/v1/connectors/${this.#id}/approvals`;
    const answer = await send(place, this.secret, {
      method: 'POST',
      path,
      body,
      key: this.#keyOf('approval', connector.last_run),
    });
    if (answer !== undefined) requireDone(this.name, 'approve', answer);
    return answer !== undefined;
  }

  /** The mirror is the source. */
  #note(): void {
    for (const path of this.#mirrored.keys())
      if (!this.#files.has(path)) this.ledger.files.delete(`${this.#home}/${path}`);
    this.#mirrored = new Map([...this.#files].map(([path, { sha256 }]) => [path, sha256]));
    for (const [path, sha256] of this.#mirrored) this.ledger.holds(`${this.#home}/${path}`, sha256);
    this.tally.syncs += 1;
  }

  /** Removes a file, and has its document erased: now, while the source does not have it any more. */
  async #giveUp(place: Place, name: string): Promise<boolean> {
    if (!this.#files.has(name) || this.#files.size < 3) return true;
    const path = `${this.#home}/${name}`;
    const answer = await send(place, this.secret, { method: 'GET', path: `/v1/documents/${inPath(path)}` });
    if (answer === undefined) return false;
    requireDone(this.name, `read ${path}`, answer);
    const sha256 = this.ledger.files.get(path) ?? [];
    for (const each of sha256) this.#erased.add(each);
    await this.#remove(name);
    const outcome = await this.#sync(place, false);
    if (outcome === 'all') this.ledger.offer(this.name, { id: String(answer.body['id']), path, sha256 });
    return outcome !== 'gone';
  }

  override async settle(place: Place): Promise<void> {
    await super.settle(place);
    if (this.#id === undefined) return;
    for (const end = performance.now() + patience; ;) {
      const outcome = await this.#sync(place, false);
      if (outcome === 'all') return;
      this.serial += 1;
      assert.ok(outcome === 'not all' && performance.now() < end, `${this.name}: the mirror does not come about`);
    }
  }
}
