import type { ReadLease } from '../../derived/derived-repositories.js';
import type { PreparedRepository } from '../../derived/served-repository.js';
import { notFound, unavailable } from '../../domain/refusal.js';
import { findGit } from '../../git/program/git-program.js';
import type { ProtocolVersion } from '../../git/serving/start-service.js';
import type { Tables } from '../../sidecar/tables.js';
import type { View } from '../../view/view.js';
import { fetchExtent } from './fetch-extent.js';
import { findSharedHead, type FetchExchange, type SharedHead } from './shared-head.js';
import type { PrepareContext, WriteOperation } from '../operation.js';
import { RepositoryWatch } from './watch-repository.js';

/** A request of a git client for its repository. */
export interface RepositoryInput {
  /** Whether the address names the workspace of the caller. */
  readonly isHere: boolean;
  readonly version: ProtocolVersion;
  /** Takes what each preparation holds on to. The asker releases it when the answer has left. */
  readonly held: OpenRepository[];
  /** What a client that fetches wants and has. Null where it asks for parts, or again for what it has. */
  readonly exchange?: FetchExchange | null;
  /** Whether the client is about to push: what it pushes goes on from the refs that it last received. */
  readonly isPush?: boolean;
  /** Aborted when the client is gone. */
  readonly signal?: AbortSignal;
}

/** What was served. */
interface ServedHead {
  readonly head: string | null;
  readonly version: ProtocolVersion;
  readonly served: PreparedRepository;
  readonly shared: SharedHead | undefined;
}

/** A caller's repository, kept while it is read. */
export interface OpenRepository {
  readonly repository: PreparedRepository;
  readonly hold: ReadLease;
  readonly watch: RepositoryWatch;
  /** Of a fetch: the head from which git goes on with the client. Undefined where it sends everything. */
  readonly shared: SharedHead | undefined;
  /** Whether nothing was taken away from its principal since it was prepared. For the transaction of the record. */
  isCurrent(this: void, tables: Tables): boolean;
}

/** Milliseconds for which a fetch goes on with the repository whose refs its client has just received. */
const within = 10_000;

/**
 * Requires that the caller reaches something in the workspace of the address.
 * @throws Refusal NOT_FOUND: another workspace is answered like one without anything to read
 */
export function requireReached({ reach }: View, isHere: boolean): void {
  if (reach.isEmpty || !isHere) throw notFound();
}

/**
 * Brings the caller's repository up to date. A client that pushes is shown the head that it can know: the writes of
 * others must not overtake it between its fetch and its push (decision 0366). A fetch that goes on takes it as it was just brought, the first time: its
 * client asks for the refs that it received, and nothing later.
 * @throws Refusal NOT_FOUND, UNAVAILABLE; INVALID_REQUEST `git_missing`
 */
export async function prepareRepository(
  { workspace, caller, view }: PrepareContext,
  { isHere, held, exchange = null, isPush, signal }: RepositoryInput,
  goesOn = false,
): Promise<OpenRepository> {
  requireReached(view, isHere);
  // What an overtaken preparation held must not keep the next one waiting.
  const overtaken = held.splice(0);
  for (const { hold } of overtaken) hold.release();
  const { derived } = workspace;
  let repository: PreparedRepository;
  if (isPush === true) repository = await derived.told(caller.principalId, { signal });
  else if (goesOn && overtaken.length === 0) {
    repository = await derived.present(caller.principalId, { signal, within });
  } else repository = await derived.prepare(caller.principalId, { signal, isTold: !goesOn });
  const hold = workspace.derived.hold(repository);
  try {
    const program = goesOn && exchange !== null ? await findGit() : null;
    const shared =
      program === null
        ? undefined
        : await findSharedHead(program, workspace.journal.reader, repository, exchange, signal);
    const open = {
      repository,
      hold,
      shared,
      watch: new RepositoryWatch(workspace, caller),
      isCurrent: (tables: Tables) => workspace.derived.isCurrent(tables, repository),
    };
    held.push(open);
    return open;
  } catch (error) {
    hold.release();
    throw error;
  }
}

/**
 * An operation that prepares the caller's repository and records what is served. The repository can be narrower at the
 * transaction than it was prepared: then it is prepared again.
 * @param isFetch whether it gives content. Its client received the refs just before.
 */
export function makeRepositoryOperation(
  name: string,
  isFetch = false,
): WriteOperation<RepositoryInput, ServedHead, OpenRepository> {
  return {
    kind: 'write',
    name,
    worksWhenLow: true,
    needs: () => [],
    note: ({ version }) => ({ detail: { protocol: version } }),
    prepare: (context, input) => prepareRepository(context, input, isFetch),
    isOvertaken: ({ transaction }, _, { isCurrent }) => !isCurrent(transaction.tables),
    run({ transaction }, { version }, { repository, shared, isCurrent }) {
      if (!isCurrent(transaction.tables)) throw unavailable();
      return { head: repository.head, version, served: repository, shared };
    },
    noteResult: ({ head, version }) => ({ detail: { head, protocol: version } }),
    ...(isFetch && {
      extentOf: (context, { exchange = null }, { served, shared }) => fetchExtent(context, served, exchange, shared),
    }),
  };
}
