import type { SourceFaultClass } from '../../lib/domain/connector.js';
import type { Allowance, SourceKind } from '../../lib/connectors/source.js';

/** A real remote of this machine, with what the tests do to it as its owner would. */
export interface Remote {
  /** As an approver gives them. */
  readonly settings: unknown;
  readonly secret: string | null;
  /** What the operator has to allow for it. */
  readonly allowance: Partial<Allowance>;
  /** Makes or replaces a file, with the folders that it needs. */
  put(path: string, content: Buffer): Promise<void>;
  /** Deletes a file, and the folders that this leaves empty where the remote keeps none. */
  remove(path: string): Promise<void>;
  move(from: string, to: string): Promise<void>;
  /** Makes the changes since the last call visible to readers, such as by a commit. */
  publish(): Promise<void>;
  /** Goes away, as a server that dies or a drive that is taken out. It drops its open connections. */
  vanish(): Promise<void>;
  /** Ends what still runs. Called once, after each test. */
  close(): Promise<void>;
}

/** What is particular to a kind. */
export interface Traits {
  readonly kind: SourceKind<never>;
  /** Whether `probe` tells when nothing has changed. */
  readonly probes: boolean;
  /** Whether a file keeps its id under another name. */
  readonly keepsIds: boolean;
  /** Whether files can still be read as they were listed, after they have changed. */
  readonly keepsVersions: boolean;
  /** Names among the suite's odd ones that the remote cannot hold. */
  readonly cannotName?: readonly string[];
  /** Secrets that the remote refuses. Left out where it needs none. */
  readonly wrongSecrets?: readonly (string | null)[];
  /** The faults of a remote that went away. */
  readonly goneAs: readonly SourceFaultClass[];
}

/** @param folder an empty folder of this remote's own, removed after the test */
export type MakeRemote = (folder: string) => Promise<Remote>;
