import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../domain/describe-error.js';
import type { Clock } from '../domain/clock.js';
import type { FollowStatus } from '../domain/follow-status.js';
import type { Readiness, RepositoryFault, RepositoryLag } from '../domain/readiness.js';
import type { DiskRoom } from '../disk/disk-room.js';
import type { Copies } from '../journal/copies.js';
import type { Workspace } from '../workspace/workspace.js';

/** The parts of the service that the answer is made of. */
export interface ReadinessParts {
  readonly dataFolder: string | null;
  readonly disk: DiskRoom | null;
  /** Left out: there are none. */
  readonly copies?: Copies | undefined;
  readonly clock: Clock;
  /** The workspaces that are open. */
  opened(): Iterable<Workspace>;
  /** The number of workspaces that could not be opened. */
  countFaulty(): number;
}

/** Milliseconds for which an answer holds: a flood of questions costs as much as one a second. */
const lastsFor = 1000;
/** Milliseconds for which commits may wait for a repository that fails: one attempt may, and the next may not. */
const behindAfter = 60_000;
/** A file that lies in every data folder in use. */
const witness = 'owner.lock';

/** Answers whether the service is ready, and looks at most once a second. */
export class ReadinessProbe {
  readonly #parts: ReadinessParts;
  #place: string | undefined;
  #last: Promise<Readiness> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Notes where the data folder is now. */
  async start(): Promise<void> {
    this.#place = await this.#findPlace();
  }

  /** Never throws. */
  read(): Promise<Readiness> {
    const now = this.#parts.clock.elapsed();
    if (this.#last === undefined || now - this.#askedAt >= lastsFor) {
      this.#askedAt = now;
      this.#last = this.#look();
    }
    return this.#last;
  }

  async #look(): Promise<Readiness> {
    const { disk, clock } = this.#parts;
    const isMoved = (await this.#findPlace()) !== this.#place;
    const room = disk === null ? 'ok' : await disk.look();
    const opened = [...this.#parts.opened()];
    const faulty = this.#parts.countFaulty();
    const areWell = opened.map(({ journal }) => journal.isWell);
    // The next answer knows more.
    for (const { journal } of opened) journal.tryAgain();
    const isBehind = findLags(opened).some(({ since }) => clock.now() - since >= behindAfter);
    const parts: Omit<Readiness, 'isReady' | 'copy'> = {
      journal: areWell.every(Boolean) ? 'ok' : 'failed',
      disk: isMoved ? 'moved' : room,
      repository: isBehind ? 'behind' : findFaults(opened).length > 0 ? 'faulty' : 'ok',
      workspaces: faulty > 0 ? 'failed' : opened.length === 0 ? 'none' : 'ok',
    };
    const copy = judgeCopy(this.#parts.copies?.status);
    // A damaged file keeps its documents from being read, and no others.
    const isReady = Object.values(parts).every((word) => word === 'ok' || word === 'faulty') && copy !== 'superseded';
    return { isReady, ...parts, copy };
  }

  /** Device and number of a file of the folder; undefined where it is not there. */
  async #findPlace(): Promise<string | undefined> {
    const { dataFolder } = this.#parts;
    if (dataFolder === null) return undefined;
    const found = await stat(join(dataFolder, witness)).catch(() => undefined);
    return found === undefined ? undefined : `${found.dev} ${found.ino}`;
  }
}

function judgeCopy(status: FollowStatus | undefined): Readiness['copy'] {
  if (status === undefined) return 'off';
  if (status.state === 'superseded') return 'superseded';
  return status.state === 'behind' || status.obstacle !== null ? 'behind' : 'ok';
}

/** Number of objects not yet in the repository; 0 where that cannot be read. */
function countPending(journal: Workspace['journal']): number {
  try {
    return journal.reader.objects.pendingTotals().objects;
  } catch {
    return 0;
  }
}

/** The commits that wait for repositories which cannot be written, for those who run the service. */
export function findLags(workspaces: Iterable<Workspace>): RepositoryLag[] {
  return [...workspaces].flatMap(({ name, checkpointer, journal }) => {
    const { failing } = checkpointer;
    if (failing === undefined) return [];
    const objects = countPending(journal);
    return [{ workspace: name, objects, since: failing.since, reason: describeError(failing.cause) }];
  });
}

/** What stands in the way of the maintenance of repositories, for those who run the service. */
export function findFaults(workspaces: Iterable<Workspace>): RepositoryFault[] {
  return [...workspaces].flatMap(({ name, maintainer }) =>
    maintainer.obstacles.map((obstacle) => ({ workspace: name, obstacle })),
  );
}
