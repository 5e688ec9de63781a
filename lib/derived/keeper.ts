import { readReach } from '../view/reach.js';
import { rootLocation } from '../domain/location.js';
import { busy, goesOn, internal, invalidRequest, Refusal, storageFull } from '../domain/refusal.js';
import { GitBoundMet } from '../git/errors.js';
import type { Oid } from '../git/objects/objects.js';
import { findGit, isUsableGit, type GitProgram } from '../git/program/git-program.js';
import { isFull } from '../sidecar/fault.js';
import type { Tables } from '../sidecar/tables.js';
import { followsAuditMarker, writeAuditMarker } from './audit-marker.js';
import { hasNotNarrowed, readReachSnapshot, type ReachSnapshot } from './reach-snapshot.js';
import { Derivations } from './derivations.js';
import type { Derived } from './derive.js';
import type { DerivedFiles, DerivedWorkspace } from './derived-workspace.js';
import { findPushed } from './find-pushed.js';
import { ErasedContent } from './erased-content.js';
import { DerivedFolders } from './derived-folders.js';
import { ReadLeases, type ReadLease } from './read-leases.js';
import { brokenOff, interrupted, isPassing, madeAnew } from './interruptions.js';
import { CachedRepositories, noteHead, type CachedRepository } from './cached-repositories.js';
import { PushFolders, type PushIntent } from './pushes.js';
import type { AnnouncedPush, PushToAnnounce, Quarantine } from './received-push.js';
import type { PreparedRepository } from './served-repository.js';
import { stateHolds } from './state.js';
import { sweepDerived } from './sweep.js';
import { waitWithin } from './wait-within.js';

/** Milliseconds between two notes of the use of a repository. */
const noteEvery = 60 * 60 * 1000;
/** Milliseconds that an erase lets a repository be finished. */
const timeout = 5000;
/** Bytes that all open pushes of a workspace may have sent: the packs lie on the disk before anything checks them. */
const maxPushedBytes = 2 * 1024 * 1024 * 1024;
/** Milliseconds between two looks at all repositories. */
const sweepEvery = 10 * 60 * 1000;

/** What keeps derived repositories, once there is something to do. Its doors are described where they are public. */
export class Keeper {
  readonly #workspace: DerivedWorkspace;
  readonly #files: DerivedFiles | null;
  readonly #folders: DerivedFolders;
  readonly #pushes: PushFolders;
  readonly #derivations: Derivations;
  readonly #leases = new ReadLeases();
  readonly #cached = new CachedRepositories();
  #sweptAt = Number.NEGATIVE_INFINITY;
  readonly #erased: ErasedContent;
  /** Sent by all open pushes. */
  #pushedBytes = 0;
  #isClosed = false;

  /** @param files null in memory */
  constructor(workspace: DerivedWorkspace, files: DerivedFiles | null) {
    this.#workspace = workspace;
    this.#files = files;
    const { clock, journal, randomness, workLimits } = workspace;
    this.#folders = new DerivedFolders(files?.folder ?? '', randomness);
    this.#erased = new ErasedContent(journal);
    this.#derivations = new Derivations(workLimits);
    this.#pushes = new PushFolders({
      folder: this.#folders.pushes,
      randomness,
      now: () => clock.now(),
      findPushed: (principalId, head) => findPushed(journal.reader, principalId, head),
      folderOf: (principalId) => this.#folders.of(principalId),
    });
  }

  async prepare(
    principalId: string,
    { signal, isTold }: { readonly signal?: AbortSignal | undefined; readonly isTold?: boolean } = {},
  ): Promise<PreparedRepository> {
    const { checkpointer, journal, repository } = this.#workspace;
    const { content, git, files } = await this.requireFiles();
    signal?.throwIfAborted();
    if (this.#isOwn(principalId)) {
      await this.#erased.gone(signal, () => this.#requireOpen());
      const basis = readReachSnapshot(journal.reader, principalId);
      await checkpointer.run();
      const head = await repository.head();
      const own = { path: content, head, began: null, isOwn: true, principalId, basis, life: 0 };
      if (isTold === true) this.#cached.of(principalId).own = own;
      return own;
    }
    const cached = this.#cached.of(principalId);
    if (cached.next === undefined) {
      const next = cached.queue.run(() => {
        cached.next = undefined;
        return this.#bring(principalId, cached, { content, git, files });
      });
      next.catch(() => undefined);
      cached.next = next;
    }
    return waitWithin(cached.next, signal);
  }

  async present(
    principalId: string,
    options: { readonly signal?: AbortSignal | undefined; readonly within?: number } = {},
  ): Promise<PreparedRepository> {
    await this.requireFiles();
    const { last, lastAt, head } = this.#cached.of(principalId);
    const isLate = this.#workspace.clock.elapsed() - lastAt > (options.within ?? Number.POSITIVE_INFINITY);
    const isThere = last !== undefined && !isLate && this.isCurrent(this.#workspace.journal.reader, last);
    return isThere ? { ...last, head } : this.prepare(principalId, options);
  }

  async told(
    principalId: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<PreparedRepository> {
    if (!this.#isOwn(principalId)) return this.present(principalId, options);
    const { own } = this.#cached.of(principalId);
    if (own !== undefined && this.isCurrent(this.#workspace.journal.reader, own)) return own;
    return this.prepare(principalId, options);
  }

  atHead(prepared: PreparedRepository, head: Oid | null): PreparedRepository | null {
    const cached = this.#cached.of(prepared.principalId);
    const basis = head === null ? undefined : cached.heads.get(head);
    const earlier = prepared.isOwn || basis === undefined ? null : { ...prepared, basis };
    return earlier !== null && this.isCurrent(this.#workspace.journal.reader, earlier) ? earlier : null;
  }

  isCurrent(tables: Tables, { principalId, basis, isOwn, life }: PreparedRepository): boolean {
    return (isOwn || this.#cached.of(principalId).life === life) && hasNotNarrowed(tables, principalId, basis);
  }

  hold(prepared: PreparedRepository): ReadLease {
    const hold = this.#leases.add(prepared);
    const isGone = !prepared.isOwn && this.#cached.of(prepared.principalId).life !== prepared.life;
    if (this.#isClosed || isGone) this.#leases.tellToEnd((each) => each === prepared, madeAnew());
    return hold;
  }

  async openQuarantine(prepared: PreparedRepository): Promise<Quarantine> {
    const { disk, name, workLimits } = this.#workspace;
    await disk?.look();
    if (disk?.isLow === true) throw storageFull();
    const release = await workLimits.pushes.take(`${name}/${prepared.principalId}`);
    const hold = this.hold(prepared);
    let taken = 0;
    const end = (): void => {
      hold.release();
      this.#pushedBytes -= taken;
      taken = 0;
      release();
    };
    try {
      await this.#folders.make();
      const folder = await this.#pushes.open();
      const drop = async (): Promise<void> => {
        try {
          if (!this.#pushes.isAnnounced(folder)) await this.#pushes.drop(folder);
        } finally {
          end();
        }
      };
      const take = (bytes: number): void => {
        // One alone has a limit of its own.
        const isAlone = this.#pushedBytes === taken;
        if (!isAlone && this.#pushedBytes + bytes > maxPushedBytes) throw busy();
        taken += bytes;
        this.#pushedBytes += bytes;
      };
      return { folder, signal: hold.signal, take, drop };
    } catch (error) {
      end();
      throw isFull(error) ? storageFull(error) : internal(error);
    }
  }

  async announce(
    prepared: PreparedRepository,
    quarantine: Quarantine,
    push: PushToAnnounce,
  ): Promise<AnnouncedPush | null> {
    if (prepared.isOwn) return { settle: () => this.#headOfOwn() };
    const { principalId, life } = prepared;
    const cached = this.#cached.of(principalId);
    const turn = cached.queue.take();
    try {
      await waitWithin(turn.begun, quarantine.signal);
      if (cached.life !== life) {
        turn.end();
        return null;
      }
      // Where it has grown meanwhile, the pushed commits do not go on from its head.
      if (!push.isKept || cached.head !== push.onto) {
        return { settle: () => Promise.resolve(cached.head).finally(turn.end) };
      }
      const packs = push.packs.length === 0 ? null : 'objects/pack';
      const intent = { principalId, onto: push.onto, head: push.head, packs, at: this.#workspace.clock.now() };
      await this.#pushes.announce(quarantine.folder, intent);
      return { settle: () => this.#settle(cached, quarantine.folder, intent).finally(turn.end) };
    } catch (error) {
      turn.end();
      if (error instanceof Refusal) throw error;
      throw isFull(error) ? storageFull(error) : internal(error);
    }
  }

  async #settle(cached: CachedRepository, folder: string, intent: PushIntent): Promise<Oid | null> {
    try {
      if (await this.#pushes.conclude(folder, intent)) {
        cached.head = intent.head;
        if (cached.last !== undefined) noteHead(cached, cached.head, cached.last.basis);
        await this.#noteUse(intent.principalId, cached, true);
      }
    } catch (error) {
      this.#workspace.onFault('Pushed commits could not be taken over; the next fetch tries again', error);
      await this.#pushes.leave(folder, intent);
    }
    return cached.head;
  }

  async #headOfOwn(): Promise<Oid | null> {
    await this.#workspace.checkpointer.run();
    return this.#workspace.repository.head();
  }

  async forget(documentIds: readonly string[]): Promise<void> {
    if (this.#files === null || documentIds.length === 0) return;
    const ids = new Set(documentIds);
    await this.#derivations.letGo(timeout);
    await this.#folders.finishRemovals();
    await this.#pushes.sweep();
    const left = await this.#pushes.listLeft();
    for (const principalId of new Set([...(await this.#folders.list()), ...this.#cached.ids(), ...left])) {
      const cached = this.#cached.of(principalId);
      await cached.queue.run(async () => {
        await this.#pushes.concludeLeft(principalId);
        if (!(await stateHolds(this.#folders.of(principalId), ids))) return;
        await this.#destroy(principalId, cached, brokenOff());
      });
    }
    await this.#leases.end(() => false, { reason: brokenOff() });
  }

  async letGo({ within: grace, reason }: { readonly within: number; readonly reason: Error }): Promise<void> {
    if (this.#files === null) return;
    const here = this.#derivations.letGo(grace);
    await this.#leases.end(({ isOwn }) => isOwn, { reason, within: grace });
    await here;
  }

  noteSwept(erasures: readonly number[]): void {
    this.#erased.noteSwept(erasures);
  }

  keepOut<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#derivations.keepOut(timeout, work);
  }

  async sweep(): Promise<void> {
    const { clock, journal } = this.#workspace;
    if (this.#files === null || this.#isClosed || clock.elapsed() - this.#sweptAt < sweepEvery) return;
    this.#sweptAt = clock.elapsed();
    await this.#folders.finishRemovals();
    await this.#pushes.sweep();
    await sweepDerived({
      folders: this.#folders,
      budget: this.#files.budget,
      now: clock.now(),
      mayRead: (principalId) => !readReach(journal.reader, principalId).isEmpty && !this.#isOwn(principalId),
      isHeld: (principalId) => this.#leases.isHeld(principalId),
      destroy: (principalId) => {
        const cached = this.#cached.of(principalId);
        return cached.queue.run(() => this.#destroy(principalId, cached, madeAnew()));
      },
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = goesOn('The service stops. Try again soon.');
    await this.#derivations.close();
    await this.#leases
      .end(() => true, { reason })
      .catch((error: unknown) => this.#workspace.onFault('A reader of a repository did not stop', error));
    await this.#cached.done();
  }

  async #bring(
    principalId: string,
    cached: CachedRepository,
    { content, git, files }: { readonly content: string; readonly git: GitProgram; readonly files: DerivedFiles },
  ): Promise<PreparedRepository> {
    const { disk, journal, name } = this.#workspace;
    await disk?.look();
    const order = {
      workspace: name,
      principalId,
      sidecar: files.sidecar,
      content,
      folder: this.#folders.of(principalId),
      git,
      hasRoom: disk?.isLow !== true,
    };
    let basis: ReachSnapshot | undefined;
    try {
      await this.#folders.make();
      if (!cached.isMarkerChecked && !(await followsAuditMarker(order.folder, journal.reader))) {
        this.#workspace.onFault(
          'A derived repository is of a later state than the workspace; it is made again',
          undefined,
        );
        await this.#destroy(principalId, cached, madeAnew());
      }
      cached.isMarkerChecked = true;
      await this.#pushes.concludeLeft(principalId);
      const derive = (): Promise<Derived> =>
        this.#derivations.derive(order, () => {
          basis = readReachSnapshot(journal.reader, principalId);
        });
      const isFinal = (error: unknown): boolean => this.#isClosed || error instanceof Refusal || isFull(error);
      const again = (error: unknown): Promise<Derived> => {
        // git meets its bound again. What pushes brought goes with the repository.
        if (isFinal(error) || error instanceof GitBoundMet) throw error;
        this.#workspace.onFault('A derived repository could not be extended; it is tried once more', error);
        return derive();
      };
      const derived = await derive()
        .catch(again)
        .catch(async (error: unknown) => {
          if (isFinal(error) || isPassing(error)) throw error;
          this.#workspace.onFault('A derived repository could not be extended; it is made again', error);
          await this.#destroy(principalId, cached, madeAnew());
          return derive();
        });
      if (basis === undefined) throw new Error('The derived repository was not made.');
      await this.#noteDerived(principalId, cached, derived);
      const { repository: path, head, began } = derived;
      noteHead(cached, head, basis);
      cached.lastAt = this.#workspace.clock.elapsed();
      cached.last = { path, head, began, isOwn: false, principalId, basis, life: cached.life };
      return cached.last;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (isFull(error)) throw storageFull(error);
      throw isPassing(error) ? interrupted(error) : internal(error);
    }
  }

  async #noteDerived(principalId: string, cached: CachedRepository, derived: Derived): Promise<void> {
    const { head, madeAnew: why, commits } = derived;
    cached.head = head;
    if (why !== null) {
      cached.life += 1;
      cached.heads.clear();
      this.#leases.tellToEnd((each) => !each.isOwn && each.principalId === principalId, madeAnew());
    }
    if (why === 'damaged') {
      this.#workspace.onFault(`The derived repository of ${principalId} was damaged; it was made again`, undefined);
    }
    await this.#noteUse(principalId, cached, why !== null || commits > 0);
  }

  async #noteUse(principalId: string, cached: CachedRepository, isChanged: boolean): Promise<void> {
    const now = this.#workspace.clock.now();
    if (!isChanged && now - cached.notedAt < noteEvery) return;
    cached.notedAt = now;
    if (isChanged) await writeAuditMarker(this.#folders.of(principalId), this.#workspace.journal.reader);
    await this.#folders.noteUse(principalId, now);
  }

  /** Ends what reads the repository, and destroys it. In its turn. */
  async #destroy(principalId: string, cached: CachedRepository, reason: Error): Promise<void> {
    cached.life += 1;
    cached.head = null;
    cached.heads.clear();
    await this.#leases.end((each) => !each.isOwn && each.principalId === principalId, { reason });
    await this.#folders.destroy(principalId);
  }

  #isOwn(principalId: string): boolean {
    return readReach(this.#workspace.journal.reader, principalId).holds('approver', rootLocation);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw goesOn('The service stops. Try again soon.');
  }

  /** @throws Refusal INVALID_REQUEST `git_missing`; UNAVAILABLE when the service stops */
  async requireFiles(): Promise<{ readonly content: string; readonly git: GitProgram; readonly files: DerivedFiles }> {
    this.#requireOpen();
    const { place } = this.#workspace.repository;
    if (place === null || this.#files === null) {
      const message =
        'This workspace is kept in memory, so git cannot clone it. Its operator can give it a data folder.';
      throw invalidRequest('git_missing', message);
    }
    const git = place.git === 'never' ? null : await findGit();
    if (git === null || !isUsableGit(git)) {
      const message =
        'This service runs without the git program, so nothing can be cloned. Its operator can install git.';
      throw invalidRequest('git_missing', message);
    }
    return { content: place.path, git, files: this.#files };
  }
}
