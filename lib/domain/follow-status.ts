/** How far a copy elsewhere has come. Times are milliseconds since 1970. */
export interface FollowStatus {
  /** The bucket and the prefix, as the operator wrote them. */
  readonly address: string;
  /** null until the bucket was reached for the first time. */
  readonly life: string | null;
  /**
   * `starting`: the first copy is being made. `behind`: changes wait for longer than usual. `superseded`: another machine
   * has taken over, and nothing is written here any more.
   */
  readonly state: 'starting' | 'following' | 'behind' | 'superseded';
  /** Why the bucket could not be written the last time; null where it could. */
  readonly obstacle: string | null;
  /** When the other machine took over. */
  readonly supersededSince: number | null;
  readonly shards: readonly FollowedShardStatus[];
}

/** The same for one file. */
export interface FollowedShardStatus {
  /** A workspace; null for the service's own file. */
  readonly workspace: string | null;
  /** Milliseconds by which the copy is behind; null before the first. */
  readonly behind: number | null;
  /** The last group that is stored. */
  readonly group: number;
  /** Pages that were changed and are not stored yet, as far as they were looked at. */
  readonly unstoredPages: number;
  /** The last moment that can be restored by its time; null before the first. */
  readonly pointAt: number | null;
  /** Bytes of page sets stored since the start. */
  readonly bytes: number;
}
