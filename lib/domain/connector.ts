import type { Location } from './checked-location.js';

/** The kinds of sources. `program` is an outside program that speaks the connector protocol. */
export const connectorKinds = ['git', 'folder', 'webdav', 's3', 'program'] as const;
export type ConnectorKind = (typeof connectorKinds)[number];

/**
 * What a connector does now. `active` syncs by its schedule. `paused` waits until it is resumed. `held` has found
 * a change that needs an approval first. `stopped` failed in a way that a retry cannot mend. `disconnected` is
 * over: the folder is an ordinary one again, or is deleted.
 */
export type ConnectorState = 'active' | 'paused' | 'held' | 'stopped' | 'disconnected';

/** What is wrong with a source, by who can mend it. */
export const sourceFaults = [
  'auth',
  'not_found',
  'denied_egress',
  'rate',
  'network',
  'corrupt',
  'limit',
  'internal',
] as const;
export type SourceFaultClass = (typeof sourceFaults)[number];

/** Why a file of the source is not in the mirror. */
export const skipReasons = [
  'bad_name',
  'name_twin',
  'symlink',
  'submodule',
  'special_file',
  'lfs_pointer',
  'too_large',
  'not_utf8',
  'unreadable',
  'restricted',
  'suppressed',
  'name_taken',
  'not_decodable',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** A source that is mirrored into a folder. Its id is the id of its principal, the author of the mirrored versions. */
export interface Connector {
  readonly id: string;
  readonly kind: ConnectorKind;
  /** The folder of the mirror. After a disconnection: where it was. */
  readonly location: Location;
  /** What the kind needs to know, without secrets. Checked by the kind's schema. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** One line for people: what the settings mirror. */
  readonly described: string;
  readonly hasSecret: boolean;
  readonly hasWebhook: boolean;
  readonly state: ConnectorState;
  /** Why it is held or stopped, and what to do. Null otherwise. */
  readonly stateReason: string | null;
  /** Fingerprint of the change that waits for an approval. Null unless it is held. */
  readonly held: string | null;
  /** Counts its settings and secrets. A run that began under earlier ones commits nothing. */
  readonly generation: number;
  /** Milliseconds between two runs while the source changes. */
  readonly interval: number;
  /** Milliseconds since 1970; null while it is not active. */
  readonly nextRunAt: number | null;
  readonly nextTrigger: RunTrigger;
  /** Runs that failed since the last one that did not. */
  readonly failures: number;
  /** Runs that found nothing changed since the last one that did. */
  readonly idleRuns: number;
  /** The source's own name for the state that was mirrored last, such as a commit. */
  readonly sourceVersion: string | null;
  /** When a run last found out what the source holds, and mirrored all of it. Milliseconds since 1970. */
  readonly syncedAt: number | null;
  readonly createdAt: number;
  readonly createdBy: string;
}

export type RunTrigger = 'schedule' | 'manual' | 'webhook' | 'approval';

/** `partial`: something was mirrored, and some files could not be read. They are tried again. */
export type RunOutcome = 'changed' | 'unchanged' | 'partial' | 'held' | 'failed' | 'interrupted' | 'cancelled';

/** One sync. */
export interface ConnectorRun {
  readonly number: number;
  readonly trigger: RunTrigger;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Null while it runs. */
  readonly outcome: RunOutcome | null;
  readonly fault: SourceFaultClass | null;
  /** In words, with the remedy. It holds no secret and no path of a document. */
  readonly message: string | null;
  readonly counts: RunCounts;
  /** Id of the versions that it made. */
  readonly versionId: string | null;
  readonly sourceVersion: string | null;
}

export interface RunCounts {
  /** Files listed so far. */
  readonly listed: number;
  readonly created: number;
  readonly updated: number;
  readonly moved: number;
  readonly deleted: number;
  readonly skipped: number;
  /** Bytes read from the source. */
  readonly bytes: number;
}

/** Where a mirrored document or folder comes from. */
export interface MirrorSource {
  readonly connectorId: string;
  readonly connectorName: string;
  readonly kind: ConnectorKind;
  /** Below the folder of the mirror; '' for that folder. */
  readonly path: string;
  /** Only to readers of the whole mirror: it changes with every file of the source. Otherwise null. */
  readonly version: string | null;
  /** Milliseconds since 1970. Only to them, too. */
  readonly syncedAt: number | null;
}

/** A file of the source that is not in the mirror. */
export interface SkippedFile {
  /** Below the mirror's folder, as the source writes it, made fit to be shown. */
  readonly path: string;
  readonly reason: SkipReason;
  /** What exactly, such as a size; null where the reason says it all. */
  readonly detail: string | null;
}
