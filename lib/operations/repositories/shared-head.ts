import type { GitProgram } from '../../git/program/git-program.js';
import { countObjectsSince } from '../../git/serving/client-history.js';
import { isAncestor } from '../../git/serving/pushed-line.js';
import type { Tables } from '../../sidecar/tables.js';
import type { GivenHead } from '../../sidecar/tables/audit-extent-table.js';

/** What a client that fetches says. */
export interface FetchExchange {
  readonly wants: readonly string[];
  /** Some of the commits that it has, the newest first. */
  readonly haves: readonly string[];
}

/** A head from which git goes on with a client. */
export interface SharedHead {
  readonly given: GivenHead;
  /** Objects that the head of the repository has beyond it: git sends no more. */
  readonly objects: number;
}

/** Where a client asks. */
interface Served {
  /** The bare repository's folder. */
  readonly path: string;
  readonly head: string | null;
  readonly principalId: string;
}

/** Whether a client wants the head, and everything behind it that it lacks. */
export function wantsWhole(exchange: FetchExchange | null, head: string | null): exchange is FetchExchange {
  return exchange !== null && exchange.wants.length > 0 && exchange.wants.every((oid) => oid === head);
}

/**
 * The last head that a client of the principal was given, where the client names it and git goes on from it. A head of
 * an earlier life of the repository is none: git sends everything then, whatever the client names.
 * @param signal ends git
 */
export async function findSharedHead(
  program: GitProgram,
  tables: Tables,
  { path, head, principalId }: Served,
  exchange: FetchExchange | null,
  signal?: AbortSignal,
): Promise<SharedHead | undefined> {
  if (head === null || !wantsWhole(exchange, head)) return undefined;
  const given = tables.auditExtents.lastHead(principalId, exchange.haves);
  if (given === undefined) return undefined;
  if (given.oid === head) return { given, objects: 0 };
  if (!(await isAncestor(program, path, given.oid, head))) return undefined;
  const objects = await countObjectsSince(program, { path, head }, given.oid, signal);
  return objects === undefined ? undefined : { given, objects };
}
