/** `operator` is the built-in one that commands act as: it cannot sign in and has no keys. */
export type PrincipalKind = 'person' | 'agent' | 'connector' | 'operator';

export const operatorId = 'operator';

/** Someone who acts. Disabled when they leave, never deleted, so that records stay attributable. */
export interface Principal {
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly displayName: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly disabledAt: number | null;
}

export interface Group {
  readonly id: string;
  readonly displayName: string;
  readonly createdAt: number;
}

/** Who made a version, as everyone who can read the document sees it. */
export interface Author {
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly displayName: string;
}
