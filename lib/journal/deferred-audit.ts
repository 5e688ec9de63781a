import { recordTallies, type OverLimit } from '../audit/record-tallies.js';
import type { AuthenticationFault } from '../access/authenticate.js';
import type { CallerInterface } from '../domain/caller.js';
import type { Clock } from '../domain/clock.js';
import type { Credential } from '../domain/credential.js';
import type { Journal } from './journal.js';

/** The workspace whose log takes the records. */
export interface AuditedWorkspace {
  readonly name: string;
  readonly journal: Journal;
}

const oneMinute = 60_000;
/** After all minutes that can be counted. */
const endOfTime = Number.MAX_SAFE_INTEGER;
/** Sources distinguished by a workspace in a minute, written already or not; a flood from more is counted together. */
const maxSources = 1000;
const manySources = 'many';

interface Notes {
  /** Counts by interface, reason, source and minute. */
  readonly counts: Map<
    string,
    { interface: CallerInterface; reason: string; source: string; minute: number; count: number }
  >;
  /** When a key was last used, by its id. Milliseconds since 1970, whole minutes. */
  readonly uses: Map<string, number>;
}

export interface DeferredAuditOptions {
  readonly clock: Clock;
  find(workspace: string): AuditedWorkspace | undefined;
  names(): readonly string[];
  /** Called when notes could not be written; they are lost then. */
  readonly onFault: (what: string, cause: unknown) => void;
}

/**
 * Events worth a record but not a wait, nor a record each: attempts refused at the key or the rate limit, and last uses
 * of keys. They are gathered in memory. One transaction a workspace writes them once a second. They become audit
 * records when their minute is over.
 */
export class DeferredAudit {
  readonly #options: DeferredAuditOptions;
  readonly #notes = new Map<string, Notes>();
  /** Sources distinguished in the current minute, by workspace. */
  readonly #known = new Map<string, Set<string>>();
  #knownIn = -1;
  #recordedMinute = -1;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeferredAuditOptions) {
    this.#options = options;
  }

  /** Records the counts left by an earlier run, and writes every `interval` milliseconds from now on. */
  async start(interval = 1000): Promise<void> {
    this.#recordedMinute = this.#minute();
    await this.#write(endOfTime);
    this.#timer = setInterval(() => void this.flush(), interval);
    this.#timer.unref();
  }

  /**
   * Counts a refused attempt.
   * @param source the credential's id where there is one, else the client's address as `cutAddress` gives it
   */
  countRefused(
    workspace: AuditedWorkspace,
    face: CallerInterface,
    reason: AuthenticationFault | OverLimit,
    source: string,
  ): void {
    const { counts } = this.#notesOf(workspace);
    const minute = this.#minute();
    const named = this.#isToldApart(workspace.name, minute, `${face} ${reason} ${source}`) ? source : manySources;
    const key = `${face} ${reason} ${minute} ${named}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { interface: face, reason, source: named, minute, count: 1 });
    else known.count += 1;
  }

  /** Notes the use of a key, to the minute. */
  noteUse(workspace: AuditedWorkspace, credential: Credential): void {
    const at = this.#minute() * oneMinute;
    if (credential.lastUsedAt !== at) this.#notesOf(workspace).uses.set(credential.id, at);
  }

  /**
   * Writes the gathered notes; records past minutes. After the clock was set back it records everything: the minutes
   * counted before would not be past until it has caught up, which can take years.
   */
  async flush(): Promise<void> {
    const minute = this.#minute();
    const before = this.#recordedMinute;
    this.#recordedMinute = minute;
    if (minute < before) await this.#write(endOfTime);
    else await this.#write(minute > before ? minute : undefined);
  }

  /** Writes and records everything, even for the current minute. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write(endOfTime);
  }

  async #write(recordBefore: number | undefined): Promise<void> {
    const names = recordBefore === undefined ? [...this.#notes.keys()] : this.#options.names();
    for (const name of names) {
      const notes = this.#notes.get(name);
      this.#notes.delete(name);
      try {
        const journal = this.#options.find(name)?.journal;
        await journal?.write({
          run({ tables }) {
            for (const tally of notes?.counts.values() ?? []) tables.audit.addToTally(tally);
            for (const [id, at] of notes?.uses ?? []) tables.credentials.touch(id, at);
          },
        });
        if (recordBefore === undefined) continue;
        let isMore = true;
        while (isMore)
          isMore = (await journal?.write({ run: (transaction) => recordTallies(transaction, recordBefore) })) ?? false;
      } catch (error) {
        this.#options.onFault(`What was counted for ${name} could not be written`, error);
      }
    }
  }

  #isToldApart(workspace: string, minute: number, source: string): boolean {
    if (minute !== this.#knownIn) {
      this.#known.clear();
      this.#knownIn = minute;
    }
    const known = this.#known.get(workspace) ?? new Set();
    this.#known.set(workspace, known);
    if (known.has(source)) return true;
    if (known.size >= maxSources) return false;
    known.add(source);
    return true;
  }

  #minute(): number {
    return Math.floor(this.#options.clock.now() / oneMinute);
  }

  #notesOf(workspace: AuditedWorkspace): Notes {
    let notes = this.#notes.get(workspace.name);
    if (notes === undefined) {
      notes = { counts: new Map(), uses: new Map() };
      this.#notes.set(workspace.name, notes);
    }
    return notes;
  }
}
