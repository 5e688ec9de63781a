import { createHash } from 'node:crypto';
import { principalSourceOf } from '../limits/work-limits.js';
import type { ContentStage } from '../changes/content-stages.js';
import { isAddressOfService } from '../derived/describe-commit.js';
import type { Quarantine as QuarantineFolder } from '../derived/received-push.js';
import type { PreparedRepository } from '../derived/served-repository.js';
import { rootLocation } from '../domain/location.js';
import { conflict, invalidRequest, Refusal, storageFull } from '../domain/refusal.js';
import { fetchFirst } from '../changes/refuse-push.js';
import type { Oid } from '../git/objects/objects.js';
import { requireGit } from '../git/program/git-program.js';
import { judgeMerged } from '../git/serving/merged-branches.js';
import type { PacketReader } from '../git/serving/packet-reader.js';
import { listChanges } from '../git/serving/pushed-changes.js';
import { findLine, isAncestor } from '../git/serving/pushed-line.js';
import { boundsOf, PushUnfit, type PushLimits } from '../git/serving/push-limits.js';
import { Quarantine, type TakenIn } from '../git/serving/quarantine.js';
import { mainRef, type CommandOutcome, type PushCommand } from '../git/serving/receive-pack.js';
import { isAnswered } from '../operations/idempotently.js';
import type { Retry } from '../operations/operation.js';
import { perform, refuseUnread } from '../operations/perform.js';
import { requireReached } from '../operations/repositories/prepare-repository.js';
import { pushCommits, requireEditor, type PushCommitsInput } from '../operations/repositories/push-commits.js';
import type { Tables } from '../sidecar/tables.js';
import { explainPush } from './explain-push.js';
import type { PushAnswer } from './push-answer.js';
import { declaredCharset } from '../text/charset.js';
import { findUnfit, readPushed, type PushedLine, type UnfitChanges } from './read-pushed.js';
import type { RemoteRequest } from './remote-request.js';

/** Changes of files from which on the person sees progress. */
const manyChanges = 100;
/** Erases come one at a time, each after the last one is over. */
const maxAttempts = 5;

/** A push whose pack was taken in. */
interface Received {
  readonly prepared: PreparedRepository;
  readonly folder: QuarantineFolder;
  readonly quarantine: Quarantine;
  readonly taken: TakenIn;
}

/** One push to main: from its pack to the report. It happens whole or not at all, whatever its client does. */
export class MainPush {
  readonly #asked: RemoteRequest;
  readonly #before: Oid | null;
  readonly #after: Oid;
  readonly #limits: PushLimits;
  readonly #answer: PushAnswer;
  /** Given back at the end, in this order reversed. */
  readonly #held: (() => Promise<void> | void)[] = [];
  /** Resolves when the whole pack has come. */
  readonly #hasCome = makePromise();
  /** The refusal that the log has already. */
  #recorded: unknown;

  constructor(asked: RemoteRequest, { before, after }: PushCommand, limits: PushLimits, answer: PushAnswer) {
    this.#asked = asked;
    this.#before = before;
    this.#after = after ?? '';
    this.#limits = limits;
    this.#answer = answer;
  }

  /**
   * Takes in the rest of the request. The work on it goes on after that, and ends the answer.
   * @param others outcomes of the other commands
   * @throws Refusal, recorded, where git has to get a status: the body broke off, or nothing can be reached
   */
  async receive(reader: PacketReader, others: readonly CommandOutcome[]): Promise<void> {
    try {
      const taking = this.#takeIn(reader);
      // Once the pack has come, the answer begins: git can work on it for long, and says nothing meanwhile.
      await Promise.race([taking, this.#hasCome.promise]);
      const work = async (): Promise<CommandOutcome> => {
        const received = await taking;
        return received === undefined ? this.#outcome(null) : this.#work(received);
      };
      void this.#end(work, others);
    } catch (error) {
      if (error instanceof PushUnfit) {
        await this.#end(() => Promise.reject(error), others);
        return;
      }
      const recorded = await this.#record(error);
      if (isForStatus(recorded)) {
        await this.#releaseAll();
        throw recorded;
      }
      // What was refused before its pack was read is read now. Where it has broken off, nobody waits for the answer.
      await this.#leave(reader).catch(() => undefined);
      await this.#end(() => Promise.reject(recorded), others);
    }
  }

  /** @returns undefined where there is nothing to do: main is there already */
  async #takeIn(reader: PacketReader): Promise<Received | undefined> {
    const { workspace, caller, isHere, signal } = this.#asked;
    requireReached(workspace.view(caller), isHere);
    if (this.#isAnswered()) return this.#leave(reader, () => this.#replay());
    requireEditor(workspace.view(caller));
    await workspace.disk?.look();
    if (workspace.disk?.isLow === true) throw storageFull();
    // Before the repository is held: an erase waits for those who hold it.
    const source = principalSourceOf(workspace.name, caller);
    this.#held.push(await workspace.workLimits.pushMemory.take(source, boundsOf(this.#limits).memory));
    const present = await workspace.derived.present(caller.principalId, { signal });
    const program = await requireGit('take a push');
    const hold = workspace.derived.hold(present);
    this.#held.push(() => hold.release());
    if (this.#after === present.head) return this.#leave(reader);
    const prepared = await this.#findBase(present);
    if (prepared === null) return this.#leave(reader, () => Promise.reject(fetchFirst()));
    const folder = await workspace.derived.openQuarantine(prepared);
    this.#held.push(() => folder.drop());
    const all = AbortSignal.any([signal, hold.signal, folder.signal]);
    const quarantine = await Quarantine.open(program, folder.folder, prepared.path, this.#limits, all);
    this.#held.push(() => quarantine.close());
    const taken = await quarantine.takeIn(this.#readPack(reader, prepared, folder));
    return { prepared, folder, quarantine, taken };
  }

  /** The pack. git resolves it once it has all of it, and that may be long after the repository was prepared. */
  async *#readPack(
    reader: PacketReader,
    prepared: PreparedRepository,
    folder: QuarantineFolder,
  ): AsyncGenerator<Buffer> {
    for await (const piece of reader.following()) {
      folder.take(piece.length);
      yield piece;
    }
    await this.#renew(prepared);
    this.#hasCome.resolve();
  }

  /**
   * Looks whether something was taken away from the principal meanwhile, such as a grant. What happened out of its
   * reach changes nothing.
   * @throws Refusal CONFLICT `push_outdated` when the repository is another by now
   */
  async #renew(prepared: PreparedRepository): Promise<PreparedRepository> {
    const { workspace, caller, signal } = this.#asked;
    const { derived, journal } = workspace;
    if (derived.isCurrent(journal.reader, prepared)) return prepared;
    const next = await derived.prepare(caller.principalId, { signal });
    const isSame = next.isOwn || (next.head === prepared.head && next.life === prepared.life);
    if (next.path !== prepared.path || (!isSame && !this.#isAnswered())) throw fetchFirst();
    return next;
  }

  /** Reads what the client sends in vain: it reads the answer only after that. */
  async #leave(reader: PacketReader, then: () => Promise<void> = async () => undefined): Promise<undefined> {
    for await (const _ of reader.following()) void _;
    await then();
  }

  /**
   * The repository as the client knows it, if it pushes onto what main is, or onto what it was lately: nothing may have
   * left its place since. In the workspace's own repository it may be anything that main once was.
   */
  async #findBase(prepared: PreparedRepository): Promise<PreparedRepository | null> {
    const { path, head, isOwn } = prepared;
    const before = this.#before;
    if (before === head) return prepared;
    if (!isOwn) return this.#asked.workspace.derived.atHead(prepared, before);
    if (before === null || head === null) return null;
    return (await isAncestor(await requireGit('take a push'), path, before, head)) ? prepared : null;
  }

  async #work({ prepared: before, folder, quarantine, taken }: Received): Promise<CommandOutcome> {
    const { workspace, signal } = this.#asked;
    const { derived } = workspace;
    const { packs, gitsName } = taken;
    const line = await quarantine.finish(this.#read(quarantine, packs));
    const isKept = await quarantine.finish(this.#keepsCommits(before, quarantine, line));
    const unfit = findUnfit(line, this.#limits);
    if (unfit.size === 0 && gitsName !== undefined) throw gitsName;
    const { stage, content } = await this.#store(quarantine, line, unfit);
    try {
      signal.throwIfAborted();
      const move = { head: this.#after, onto: this.#before };
      const kept = before.isOwn ? [] : await quarantine.keepReached(move);
      quarantine.requireInTime();
      const prepared = await this.#renew(before);
      const input = { ...content, isCurrent: (tables: Tables) => derived.isCurrent(tables, prepared) };
      const announced = await derived.announce(prepared, folder, { ...move, packs: kept, isKept });
      if (announced === null) {
        if (!this.#isAnswered()) throw fetchFirst();
        await this.#replay();
        return this.#outcome(null);
      }
      let head: Oid | null = null;
      try {
        await this.#perform(input);
      } finally {
        head = await announced.settle().catch((cause: unknown) => {
          workspace.onFault('A push could not be taken over by the repository of its principal', cause);
          return null;
        });
      }
      return this.#finish(prepared, head);
    } finally {
      await stage.close();
    }
  }

  #finish({ isOwn }: PreparedRepository, head: Oid | null): CommandOutcome {
    if (isOwn || head !== this.#after) this.#tellToPull();
    return this.#outcome(null);
  }

  /** Said with --quiet as well: without it, the next push would be refused. */
  #tellToPull(): void {
    this.#answer.say('Your changes are in main, as commits of the workspace. Run now: git pull --rebase');
  }

  async #read(quarantine: Quarantine, packs: readonly string[]): Promise<PushedLine> {
    const { commits, changes: most } = this.#limits;
    const tooLarge = await quarantine.findTooLarge(packs);
    const line = await findLine(quarantine.start, this.#after, this.#before, commits);
    if (line === null) throw notForward();
    const changes = await listChanges(quarantine.start, line, most);
    return { line, changes, tooLarge };
  }

  /**
   * Whether the pushed commits can stay in the derived repository. It holds only what its principal can read, so no
   * merged branch may bring anything that main never had.
   */
  async #keepsCommits(
    { isOwn, began }: PreparedRepository,
    { start }: Quarantine,
    pushed: PushedLine,
  ): Promise<boolean> {
    if (isOwn) return true;
    const { workspace } = this.#asked;
    const isOfService = (address: string): boolean => isAddressOfService(address, workspace.name);
    const target = { head: this.#after, served: this.#before, began, isOfService, most: this.#limits.changes };
    const merged = await judgeMerged(start, pushed, target);
    if (merged === 'old') throw mergesOldHistory();
    return merged === 'nothing-new';
  }

  /** Stores the contents. An erase ends what is being stored, whatever it erases: then it is stored again. */
  async #store(
    quarantine: Quarantine,
    line: PushedLine,
    unfit: UnfitChanges,
  ): Promise<{ readonly stage: ContentStage; readonly content: Omit<PushCommitsInput, 'isCurrent'> }> {
    const { workspace, caller } = this.#asked;
    for (let left = maxAttempts; ; left -= 1) {
      const stage = workspace.stages.open({ type: 'push', id: `push-${caller.requestId}` });
      try {
        return { stage, content: await quarantine.finish(this.#makeInput(quarantine, line, unfit, stage)) };
      } catch (error) {
        await stage.close();
        if (left === 1 || !stage.signal.aborted || error !== stage.signal.reason) throw error;
      }
    }
  }

  async #makeInput(
    quarantine: Quarantine,
    pushed: PushedLine,
    unfit: UnfitChanges,
    stage: ContentStage,
  ): Promise<Omit<PushCommitsInput, 'isCurrent'>> {
    const count = [...pushed.changes.values()].reduce((sum, { length }) => sum + length, 0);
    if (unfit.size === 0 && pushed.tooLarge.size > 0) throw hasTooLarge(this.#limits, pushed.tooLarge);
    if (count >= manyChanges) {
      this.#answer.progress(`Writing ${count} changes of ${pushed.line.length} commits`);
    }
    const commits = await readPushed(quarantine, pushed, unfit, this.#limits, stage, (location) => {
      const { workspace, caller } = this.#asked;
      const declared = workspace.view(caller).document(location)?.current.mediaType;
      return declared === undefined ? undefined : declaredCharset(declared);
    }).catch((error: unknown) => {
      // Then only the unfit files are reported.
      if (error instanceof PushUnfit && unfit.size > 0) return [];
      throw error;
    });
    await stage.show();
    quarantine.requireInTime();
    return { before: this.#before, after: this.#after, commits, unfit: [...unfit.values()], stage: stage.owner.id };
  }

  async #perform(input: PushCommitsInput): Promise<void> {
    const { workspace, caller } = this.#asked;
    try {
      await perform(workspace, caller, pushCommits, input, this.#retry());
    } catch (error) {
      this.#recorded = error;
      throw error;
    }
  }

  #retry(): Retry {
    const fingerprint = createHash('sha256')
      .update(`${this.#before ?? ''} ${this.#after}`)
      .digest();
    return { key: this.#after, fingerprint };
  }

  /** Whether the same push was answered before. */
  #isAnswered(): boolean {
    const { caller, workspace } = this.#asked;
    const { reader } = workspace.journal;
    return isAnswered(reader, caller, pushCommits, this.#retry().key, workspace.answerTime.now(reader));
  }

  async #replay(): Promise<void> {
    await this.#perform({
      before: this.#before,
      after: this.#after,
      commits: [],
      unfit: [],
      stage: '',
      isCurrent: () => false,
    });
    const { workspace, caller } = this.#asked;
    if (workspace.view(caller).reach.holds('approver', rootLocation)) this.#tellToPull();
  }

  #outcome(refused: string | null): CommandOutcome {
    return { ref: mainRef, refused };
  }

  /** Ends the answer, whatever became of the work. Never throws. */
  async #end(work: () => Promise<CommandOutcome>, others: readonly CommandOutcome[]): Promise<void> {
    let unpacked: string | null = null;
    let outcome: CommandOutcome;
    try {
      outcome = await work();
    } catch (error) {
      const refusal = await this.#record(error);
      const { reason, lines } = explainPush(refusal);
      for (const each of lines) this.#answer.say(each);
      if (error instanceof PushUnfit) unpacked = reason;
      outcome = this.#outcome(reason);
    }
    await this.#releaseAll();
    this.#answer.end(unpacked, [outcome, ...others]);
  }

  /** The refusal of an error, once the log has it. */
  async #record(error: unknown): Promise<Refusal> {
    if (error instanceof Refusal && error === this.#recorded) return error;
    const { workspace, caller } = this.#asked;
    const note = { detail: { before: this.#before, after: this.#after } };
    const known = error instanceof PushUnfit ? invalidRequest('bad_field', error.message) : error;
    const refusal = await refuseUnread(workspace, caller, pushCommits.name, note, known);
    if (refusal.code === 'INTERNAL') workspace.onFault('A push failed', refusal.cause ?? refusal);
    this.#recorded = refusal;
    return refusal;
  }

  async #releaseAll(): Promise<void> {
    for (const release of this.#held.splice(0).toReversed()) {
      try {
        await release();
      } catch (cause) {
        this.#asked.workspace.onFault('What a push has left could not be removed', cause);
      }
    }
  }
}

function makePromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Told by a status: there is nothing to report about, or a client should try again by itself. */
function isForStatus({ code, details }: Refusal): boolean {
  if (code === 'NOT_FOUND' || code === 'RATE_LIMITED') return true;
  return details?.reason === 'body_too_large' || (code === 'UNAVAILABLE' && details === undefined);
}

function notForward(): Refusal {
  const message = 'A push only adds commits to main, and never replaces any. Run git pull --rebase, then push again.';
  return conflict('push_outdated', message, { isForward: false });
}

function mergesOldHistory(): Refusal {
  const message =
    'This push brings back old history of main. It may hold what was taken away when main has started over. Nothing was written. Run git fetch, then git reset --hard origin/main, and commit again what is yours. Never merge the old history.';
  return invalidRequest('bad_field', message);
}

function hasTooLarge({ file }: PushLimits, tooLarge: PushedLine['tooLarge']): PushUnfit {
  const [oid = ''] = tooLarge.keys();
  const what = `A merged branch holds a file of more than ${file} bytes. Leave it out of the commits.`;
  return new PushUnfit(`${what} Find it with: git rev-list --objects HEAD | grep ${oid}`);
}
