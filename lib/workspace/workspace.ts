import type { Reach } from '../view/reach.js';
import { KnownKeys } from '../access/known-keys.js';
import { readPolicy } from '../access/read-policy.js';
import type { WorkLimits } from '../limits/work-limits.js';
import type { Timers } from '../scheduling/timers.js';
import { knownLanguages } from '../search/languages/open-stemmer.js';
import { AuditBlocks } from '../audit/audit-blocks.js';
import { isSignatureDue, signHead, type ChainSigner } from '../audit/signed-checkpoint.js';
import type { Caller } from '../domain/caller.js';
import type { Extractor } from '../extraction/extractor.js';
import type { Clock, Randomness } from '../domain/clock.js';
import { unauthenticated } from '../domain/refusal.js';
import { DerivedRepositories } from '../derived/derived-repositories.js';
import type { DerivedFiles } from '../derived/derived-workspace.js';
import type { DiskRoom } from '../disk/disk-room.js';
import type { EndedSignIns } from '../domain/signed-in.js';
import type { Repository } from '../git/repositories/repository.js';
import { isFull } from '../sidecar/fault.js';
import type { ServicePart } from '../sidecar/service-file.js';
import type { Sidecar } from '../sidecar/sidecar.js';
import { AnswerTime } from '../journal/answer-time.js';
import type { Copies } from '../journal/copies.js';
import { Checkpointer } from '../journal/checkpoint.js';
import { Eraser, type OnEraseStep } from '../erase/eraser.js';
import { FeedTail } from '../feed/tail.js';
import { Housekeeper } from '../journal/housekeep.js';
import { Journal } from '../journal/journal.js';
import type { LineFinder } from '../lines/line-finder.js';
import type { JournalObserver } from '../journal/journal-options.js';
import { Maintainer } from '../journal/maintain.js';
import { TreeCache } from '../journal/object-cache.js';
import { ObjectReader } from '../journal/object-reader.js';
import { PassageMemory } from '../view/passage-memory.js';
import { ContentStages } from '../changes/content-stages.js';
import { openWriteContext, type WriteContext } from '../changes/write-context.js';
import { checkSoundness } from '../journal/recover.js';
import type { IndexedTexts } from '../indexing/indexed-texts.js';
import { openTexts } from '../indexing/open-texts.js';
import { catchUpSearch, IndexCatchUp, isAnotherTenth } from '../indexing/catch-up-search.js';
import { SearchKeeper, type SearchProgress } from '../indexing/search-keeper.js';
import type { ServiceJournal } from '../journal/service-journal.js';
import { Snapshots } from '../journal/snapshots.js';
import { StagedPacks } from '../journal/staged-packs.js';
import { Staging } from '../journal/staging.js';
import type { WriteTransaction } from '../journal/write-transaction.js';
import { Uploads } from '../journal/upload-guards.js';
import type { View } from '../view/view.js';
import { ChainChecks } from './chain-checks.js';
import { Connectors, type ConnectorSources } from './connector-schedule.js';
import { PresentViews } from './present-views.js';
import { Watchers } from './watchers.js';
import { Webhooks, type WebhookSender } from './webhook-schedule.js';

/** A workspace's means of asking its service. */
export interface WorkspaceOrigin {
  /** Of the program. */
  readonly release: string;
  /** The service's data about this workspace. */
  readServicePart(): ServicePart;
  /** Whether a principal of this workspace has chosen a password. */
  hasPassword(principalId: string): boolean;
  /** The number of a principal's sign-ins in this workspace. */
  countSignIns(principalId: string): EndedSignIns;
  /** Whether the browser session is in force. */
  isSignedIn(sessionId: string): boolean;
  /** The key that seals the secrets of its connectors, 32 bytes. Null without a service: none are stored then. */
  findConnectorKey(): Uint8Array | null;
  /** Changes the service's own file. Null if the workspace was opened without a service. */
  readonly journal: ServiceJournal | null;
}

export interface WorkspaceOptions {
  readonly name: string;
  readonly origin: WorkspaceOrigin;
  readonly openSidecar: () => Sidecar;
  readonly repository: Repository;
  /** Signs the audit chain. */
  readonly signer: ChainSigner;
  /** The folder of the audit chain's archives. Null in memory. */
  readonly archives: string | null;
  /** The folder of the search index. Null in memory. */
  readonly searchFolder: string | null;
  /** Where texts made of files are kept; null in memory. */
  readonly textsFolder: string | null;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Limits of concurrent work, shared by all workspaces of a service. */
  readonly workLimits: WorkLimits;
  /** Finds lines in texts, for all workspaces of the service. */
  readonly lines: LineFinder;
  /** The disk of the data folder. Null in memory. */
  readonly disk: DiskRoom | null;
  readonly copies?: Copies | undefined;
  /** Receives survived faults, for the log. */
  readonly onFault: (what: string, cause: unknown) => void;
  /** Receives news of long work in the background, for the log. */
  readonly onNews?: ((what: string, figures: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Counts groups of writes. */
  readonly journalObserver?: JournalObserver | undefined;
  /** Milliseconds for which a slow reader may keep removed files open. Left out: the usual ones. */
  readonly readersGrace?: number | undefined;
  /** Milliseconds between two looks at what was written, for those who wait for changes. Left out: the usual ones. */
  readonly tailInterval?: number | undefined;
  /** Called at each step of an erase, for tests. */
  readonly onEraseStep?: OnEraseStep | undefined;
  /** Answers about sources. */
  readonly sources: ConnectorSources;
  /** The folder of the caches of sources. Null in memory. */
  readonly sourcesFolder: string | null;
  /** Sends the messages of webhooks. */
  readonly sender: WebhookSender;
  /** Makes text of files. */
  readonly extractor: Extractor;
  readonly timers: Timers;
  /** Where the repositories that principals clone lie. Null in memory. */
  readonly derivedFiles: DerivedFiles | null;
}

/** Milliseconds. An erase must be final within a minute. */
const usualGrace = 20_000;

const treeCacheBytes = 64 * 1024 * 1024;

/** One open workspace: a repository and a sidecar, changed together by its journal. */
export class Workspace {
  readonly name: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly repository: Repository;
  readonly signer: ChainSigner;
  readonly archives: string | null;
  readonly origin: WorkspaceOrigin;
  readonly workLimits: WorkLimits;
  readonly lines: LineFinder;
  readonly texts: IndexedTexts;
  readonly disk: DiskRoom | null;
  readonly copies: Copies | undefined;
  /** Milliseconds for which a slow reader may keep removed files open. */
  readonly readersGrace: number;
  readonly journal: Journal;
  /** The time by which stored answers grow old. */
  readonly answerTime: AnswerTime;
  readonly objects: ObjectReader;
  readonly checkpointer: Checkpointer;
  readonly staging: Staging;
  readonly stages: ContentStages;
  readonly uploads = new Uploads();
  readonly snapshots: Snapshots;
  readonly passages = new PassageMemory();
  readonly keys = new KnownKeys();
  readonly watchers = new Watchers();
  /** Wakes those who wait for changes. */
  readonly feedTail: FeedTail;
  readonly connectors: Connectors;
  readonly webhooks: Webhooks;
  readonly chainChecks: ChainChecks;
  readonly auditBlocks = new AuditBlocks();
  readonly maintainer: Maintainer;
  readonly search: SearchKeeper;
  readonly eraser: Eraser;
  readonly derived: DerivedRepositories;
  readonly #trees = new TreeCache(treeCacheBytes);
  readonly #packs: StagedPacks;
  readonly #housekeeper: Housekeeper;
  readonly onFault: WorkspaceOptions['onFault'];
  readonly #onNews: WorkspaceOptions['onNews'];
  readonly #views: PresentViews;
  readonly #catchUp = new IndexCatchUp({
    run: () => catchUpSearch(this, this.search, (progress) => this.#logSearchProgress(progress)),
    onFault: (cause) => this.onFault('The search index could not be built', cause),
  });

  private constructor(options: WorkspaceOptions) {
    this.name = options.name;
    this.clock = options.clock;
    this.answerTime = new AnswerTime(options.clock);
    this.randomness = options.randomness;
    this.repository = options.repository;
    this.signer = options.signer;
    this.archives = options.archives;
    this.origin = options.origin;
    this.workLimits = options.workLimits;
    this.lines = options.lines;
    this.disk = options.disk;
    this.copies = options.copies;
    // The log says once that the disk is full, not once for each write.
    const onFault: WorkspaceOptions['onFault'] = (what, cause) => {
      if (options.disk !== null && isFull(cause)) options.disk.noteFull();
      else options.onFault(what, cause);
    };
    this.onFault = onFault;
    this.connectors = new Connectors(options.sources, options.sourcesFolder, (cause) =>
      onFault('A connector could not be ended or tidied up', cause),
    );
    this.webhooks = new Webhooks(options.sender);
    this.readersGrace = options.readersGrace ?? usualGrace;
    this.snapshots = new Snapshots(this.readersGrace);
    this.journal = new Journal({
      openSidecar: options.openSidecar,
      disk: options.disk,
      refusal: options.copies && (() => options.copies?.refusal()),
      trees: this.#trees,
      loadTree: (oid) => this.objects.readTree(oid),
      clock: options.clock,
      randomness: options.randomness,
      observer: options.journalObserver,
      onObjectsAdded: (bytes) => this.checkpointer.noteAdded(bytes),
      ...(options.repository.takesDeltas ? { movingUpTo: () => this.checkpointer.movingUpTo } : {}),
      afterWrite: ({ tables, state, now }, before) => {
        if (isSignatureDue(before.chain, state.chain)) signHead(tables.auditCheckpoints, this.signer, state.chain, now);
      },
      onFault: (cause) => onFault('The journal could not commit', cause),
    });
    this.#views = new PresentViews(this.journal, options.clock);
    this.feedTail = new FeedTail(this.journal, {
      interval: options.tailInterval,
      onFault: (cause) => onFault('A listener could not be told of changes', cause),
    });
    this.objects = new ObjectReader(options.repository, () => this.journal.reader);
    this.#onNews = options.onNews;
    this.maintainer = new Maintainer({
      repository: options.repository,
      isKept: (oid) => this.staging.isKept(oid),
      clock: options.clock,
      onFault: (cause) => onFault('Packs could not be joined; it will be tried again', cause),
      onDamage: (path) =>
        onFault(`${path} in content.git of ${this.name} is damaged; \`cartulary verify\` says what it held`, undefined),
    });
    this.checkpointer = new Checkpointer({
      journal: this.journal,
      repository: options.repository,
      maintainer: this.maintainer,
      clock: options.clock,
      onMoved: (main) =>
        onFault(
          `Main of ${this.name} was moved to ${main} by somebody else; it is put back, nothing is deleted`,
          undefined,
        ),
      onFault: (cause) => onFault('A checkpoint failed and will be tried again', cause),
    });
    this.staging = new Staging({
      journal: this.journal,
      repository: options.repository,
      onFault: (cause) => onFault('An abandoned upload could not be removed', cause),
    });
    this.#packs = new StagedPacks({
      journal: this.journal,
      repository: options.repository,
      maintainer: this.maintainer,
      onFault: (cause) => onFault('Unused contents of a mirror could not be removed', cause),
    });
    this.stages = new ContentStages({ packs: this.#packs, staging: this.staging });
    this.texts = openTexts({
      folder: options.textsFolder,
      extractor: options.extractor,
      workspace: this.name,
      reader: () => this.journal.reader,
      timers: options.timers,
      readBlob: (oid) => this.objects.readBlob(oid),
      onMade: (document) => this.search.follow(this.journal.state.head ?? '', [{ type: 'upsert', document }]),
      onFault,
    });
    this.search = new SearchKeeper({
      folder: options.searchFolder,
      languages: this.#readLanguages(),
      clock: options.clock,
      texts: this.texts,
      onFault,
      onNews: options.onNews,
      onBehind: () => this.#catchUp.ask(),
    });
    this.derived = new DerivedRepositories(this, options.derivedFiles);
    this.chainChecks = new ChainChecks(this);
    this.eraser = new Eraser(this, options.onEraseStep);
    this.#housekeeper = new Housekeeper({
      journal: this.journal,
      clock: options.clock,
      answerTime: this.answerTime,
      sweepFiles: () => this.derived.sweep(),
      onFault: (cause) => onFault('What has run out could not be swept', cause),
    });
  }

  /** Read while the workspace is made. If that fails, nothing of it stays open. */
  #readLanguages(): ReturnType<typeof knownLanguages> {
    try {
      return knownLanguages(readPolicy(this.journal.reader).searchLanguages);
    } catch (error) {
      void this.journal.close();
      throw error;
    }
  }

  /**
   * Opens the files, checks that they belong together, and catches up. Before it serves anything, pending objects of an
   * earlier run go into the repository, and its unused uploads go away.
   * @throws WorkspaceUnsound with the remedy; Error when they cannot be read or written
   */
  static async open(options: WorkspaceOptions): Promise<Workspace> {
    let workspace: Workspace | undefined;
    try {
      workspace = new Workspace(options);
      await checkSoundness(workspace);
      await workspace.checkpointer.run();
      await workspace.staging.recover();
      await workspace.#packs.recover();
      await workspace.maintainer.open();
      workspace.#housekeeper.start();
      workspace.#catchUp.ask();
      workspace.eraser.wake();
    } catch (error) {
      await workspace?.eraser.close();
      workspace?.maintainer.close();
      await workspace?.checkpointer.close();
      await workspace?.journal.close();
      await options.repository.close();
      throw error;
    }
    return workspace;
  }

  /** The caller's view of the committed state. @throws Refusal UNAVAILABLE when that cannot be decided */
  view({ principalId }: Caller): View {
    return this.#views.of(principalId);
  }

  /** A caller's write context in a transaction. Rights and view are those of the state at its start. */
  openWriteContext(transaction: WriteTransaction, caller: Caller): WriteContext {
    const author = transaction.tables.principals.find(caller.principalId);
    if (author === undefined) throw unauthenticated();
    return openWriteContext(transaction, caller, author, this.reachIn(transaction, caller.principalId), {
      name: this.name,
      search: this.search,
      eraser: this.eraser,
      hasPassword: (principalId) => this.origin.hasPassword(principalId),
      countSignIns: (principalId) => this.origin.countSignIns(principalId),
    });
  }

  /** A principal's reach after the transactions before this one. */
  reachIn(transaction: WriteTransaction, principalId: string): Reach {
    return this.#views.reachIn(transaction.tables, principalId);
  }

  /** Drops all documents and their content from memory (an erase). */
  forgetContent(): void {
    this.objects.forget();
    this.#trees.clear();
    this.#views.forget();
    this.lines.forget();
  }

  /** Resolves when the search index has caught up with the history, or has failed. */
  searchCaughtUp(): Promise<void> {
    return this.#catchUp.ended;
  }

  /** The log gets the beginning, every tenth, and the end. */
  #logSearchProgress(progress: SearchProgress | null): void {
    const before = this.search.progress;
    this.search.noteProgress(progress);
    if (!isAnotherTenth(before, progress)) return;
    const figures = { workspace: this.name, ...(progress ?? before) };
    const what = progress === null ? 'Work on the search index has ended' : 'The search index is being worked on';
    this.#onNews?.(what, figures);
  }

  /** Finishes the work, moves everything into the repository, and closes the files. @param atEnd as the journal has it */
  async close(atEnd?: () => void): Promise<void> {
    this.watchers.endAll();
    this.feedTail.close();
    await this.webhooks.close();
    await this.connectors.close();
    await this.chainChecks.close();
    await this.eraser.close();
    await this.derived.close();
    this.maintainer.close();
    this.#housekeeper.close();
    this.search.startClosing();
    await this.#catchUp.close();
    await this.journal.drained();
    await this.search.close().catch((error: unknown) => this.onFault('The search index was not stored', error));
    await this.#signChain().catch(() => undefined);
    await this.checkpointer.run().catch((error: unknown) => this.onFault('The last checkpoint failed', error));
    await this.checkpointer.close();
    await this.journal.close(atEnd);
    await this.repository.close();
    this.lines.forget();
  }

  /** Signs the chain's end, so that a later truncation is noticed, and keeps the time of answers. */
  async #signChain(): Promise<void> {
    await this.journal.write({
      run: ({ tables, state, now }) => {
        signHead(tables.auditCheckpoints, this.signer, state.chain, now);
        this.answerTime.keep(tables);
      },
    });
  }
}
