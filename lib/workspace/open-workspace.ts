import { existsSync } from 'node:fs';
import { makeWorkLimits, type WorkLimits } from '../limits/work-limits.js';
import type { ChainSigner } from '../audit/signed-checkpoint.js';
import { sweepArchives } from '../audit/sweep-archives.js';
import type { Copies } from '../journal/copies.js';
import type { DiskRoom } from '../disk/disk-room.js';
import type { Clock, Randomness } from '../domain/clock.js';
import { operatorId } from '../domain/principal.js';
import { conflict } from '../domain/refusal.js';
import { Extractor } from '../extraction/extractor.js';
import { nodeFileSystem } from '../git/file-system.js';
import { createRepository, inMemory, openRepository } from '../git/repositories/open-repository.js';
import { systemTimers, type Timers } from '../scheduling/timers.js';
import { removeScratch } from '../sidecar/scratch.js';
import { openSidecar, type OnUpgrade } from '../sidecar/sidecar.js';
import type { OnEraseStep } from '../erase/eraser.js';
import { endLeftSignIns } from '../journal/end-sign-ins.js';
import { pathsOf, type NewWorkspaceFiles } from '../journal/workspace-files.js';
import type { JournalObserver } from '../journal/journal-options.js';
import { requireSidecar } from '../journal/recover.js';
import { LineFinder } from '../lines/line-finder.js';
import { noSources, type ConnectorSources } from './connector-schedule.js';
import { noSender, type WebhookSender } from './webhook-schedule.js';
import { Workspace, type WorkspaceOptions, type WorkspaceOrigin } from './workspace.js';

/** Bytes of the derived repositories of a workspace. */
const usualBudget = 10 * 1024 ** 3;

export interface WorkspaceFiles extends NewWorkspaceFiles {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Limits of concurrent work. Left out: limits of its own. */
  readonly workLimits?: WorkLimits;
  /** Finds lines in texts, for all workspaces. Left out: one of its own. */
  readonly lines?: LineFinder;
  /** The disk of the data folder. Left out, it is not watched. */
  readonly disk?: DiskRoom | undefined;
  /** Where copies of the workspace are kept elsewhere. Left out: nowhere. */
  readonly copies?: Copies | undefined;
  readonly onFault: (what: string, cause: unknown) => void;
  /** Receives news of long work in the background, for the log. */
  readonly onNews?: WorkspaceOptions['onNews'];
  /** Counts groups of writes. Left out: nothing is counted. */
  readonly journalObserver?: JournalObserver | undefined;
  /** The key that signs a workspace's audit chain. */
  readonly signerOf: (name: string) => ChainSigner;
  /** A workspace's means of asking its service. Left out: none. */
  readonly originOf?: (name: string) => WorkspaceOrigin;
  /** Answers about sources of connectors. Left out: there are none. */
  readonly sources?: ConnectorSources;
  /** Makes text of files. Left out: one of its own, with the usual bounds. */
  readonly extractor?: Extractor | undefined;
  /** Ring for what is tried again. Left out: the system's. */
  readonly timers?: Timers | undefined;
  /** Sends the messages of webhooks. Left out: nothing is sent. */
  readonly sender?: WebhookSender;
  /** Opens a sidecar. Left out: as it is. Like `fs`, it lets a test's disk fail. */
  readonly openSidecar?: typeof openSidecar;
  /** Bytes that the derived repositories of a workspace may take. Left out: the usual ones. */
  readonly derivedBudget?: number | undefined;
  /** Milliseconds for which a slow reader may keep removed files open, for tests. */
  readonly readersGrace?: number | undefined;
  /** Milliseconds between two looks at what was written, for tests. */
  readonly tailInterval?: number | undefined;
  /** Called at each step of an erase, so that a test can end the process there. */
  readonly onEraseStep?: OnEraseStep;
}

/**
 * The remains of a workspace whose process ended while it was added: its files exist, and the service does not know it.
 * An unused one is as good as a new one.
 * @returns undefined where nothing of that name is there
 * @throws Refusal CONFLICT `name_taken` when it holds something
 */
export async function adoptUnborn(files: WorkspaceFiles, name: string): Promise<Workspace | undefined> {
  if (files.dataFolder === null || !existsSync(pathsOf(files.dataFolder, name).folder)) return undefined;
  const workspace = await openWorkspace(files, name);
  const { state, reader } = workspace.journal;
  const isUsed = state.head !== null || reader.principals.list().some(({ id }) => id !== operatorId);
  if (!isUsed) return workspace;
  await workspace.close();
  throw conflict('name_taken', `The data folder holds a workspace "${name}" that was not made here. Move it away.`);
}

/** Says in the log that a workspace of an earlier release is brought to this one, each step, and how long it took. */
function tellUpgrade({ clock, onNews }: WorkspaceFiles, workspace: string): OnUpgrade {
  return ({ from, to, records }) => {
    const startedAt = clock.now();
    const figures = { workspace, from, to, records };
    onNews?.('The workspace is brought to the schema of this release. The service answers when that is done', figures);
    return {
      onStep: (step) => onNews?.('The workspace takes a step to the schema of this release', { workspace, step, to }),
      onEnd() {
        const milliseconds = clock.now() - startedAt;
        onNews?.('The workspace has the schema of this release', { ...figures, milliseconds });
      },
    };
  };
}

/**
 * Opens a workspace and finishes an earlier run's work.
 * @throws WorkspaceUnsound with the remedy; Error when its files cannot be read or written
 */
export async function openWorkspace(files: WorkspaceFiles, name: string): Promise<Workspace> {
  const { dataFolder, migrations, clock, randomness, onFault, onNews } = files;
  const paths = dataFolder === null ? undefined : pathsOf(dataFolder, name);
  if (paths !== undefined) {
    requireSidecar(name, paths.sidecar);
    removeScratch(paths.sidecar);
  }
  const repository =
    paths === undefined
      ? await createRepository({ path: inMemory, git: 'never' })
      : await openRepository({ path: paths.repository, git: files.git, fs: files.fs ?? nodeFileSystem });
  const workspace = await Workspace.open({
    name,
    openSidecar: () =>
      (files.openSidecar ?? openSidecar)(
        paths?.sidecar ?? ':memory:',
        migrations,
        paths !== undefined,
        tellUpgrade(files, name),
        files.copies?.areKept,
      ),
    repository,
    signer: files.signerOf(name),
    origin: files.originOf?.(name) ?? noOrigin(name),
    archives: paths?.archives ?? null,
    searchFolder: paths?.search ?? null,
    textsFolder: paths?.texts ?? null,
    clock,
    randomness,
    workLimits: files.workLimits ?? makeWorkLimits(),
    lines: files.lines ?? new LineFinder(),
    disk: files.disk ?? null,
    copies: files.copies,
    onFault,
    onNews,
    journalObserver: files.journalObserver,
    readersGrace: files.readersGrace,
    tailInterval: files.tailInterval,
    onEraseStep: files.onEraseStep,
    sources: files.sources ?? noSources,
    sender: files.sender ?? noSender,
    extractor: files.extractor ?? new Extractor(),
    timers: files.timers ?? systemTimers,
    sourcesFolder: paths?.sources ?? null,
    derivedFiles:
      paths === undefined
        ? null
        : { folder: paths.derived, sidecar: paths.sidecar, budget: files.derivedBudget ?? usualBudget },
  });
  try {
    await settle(workspace, paths?.archives, onFault);
    return workspace;
  } catch (error) {
    // The next attempt finds nothing of this one open.
    await workspace.close().catch((cause: unknown) => onFault(`What was opened of ${name} could not be closed`, cause));
    throw error;
  }
}

/** Finishes the unfinished work of an earlier process, and makes sure that there is an operator. */
async function settle(
  workspace: Workspace,
  archives: string | undefined,
  onFault: WorkspaceFiles['onFault'],
): Promise<void> {
  const { journal, origin } = workspace;
  if (origin.journal !== null) {
    await endLeftSignIns(workspace, origin.journal).catch((cause: unknown) =>
      onFault('What disabled principals are signed in by could not be ended', cause),
    );
  }
  if (archives !== undefined) {
    await sweepArchives(journal.reader, archives).catch((cause: unknown) =>
      onFault('What an interrupted archiving left could not be taken away', cause),
    );
  }
  if (journal.reader.principals.find(operatorId) !== undefined) return;
  await journal.write({
    run: ({ tables, now }) =>
      tables.principals.insert({
        id: operatorId,
        kind: 'operator',
        displayName: 'Operator',
        createdAt: now,
        disabledAt: null,
      }),
  });
}

/** For a workspace opened without a service. */
function noOrigin(name: string): WorkspaceOrigin {
  return {
    release: 'unknown',
    readServicePart: () => ({ workspace: name, createdAt: 0, keys: [] }),
    hasPassword: () => false,
    countSignIns: () => ({ sessions: 0, consents: 0 }),
    isSignedIn: () => false,
    findConnectorKey: () => null,
    journal: null,
  };
}
