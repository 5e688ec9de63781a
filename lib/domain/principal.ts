/** `operator` is the built-in principal of commands: it cannot sign in and has no keys. */
export type PrincipalKind = 'person' | 'agent' | 'connector' | 'operator';

export const operatorId = 'operator';

/** A person, agent, connector or operator. Disabled when they leave, never deleted, so records stay attributable. */
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

/** The author of a version, as shown to every reader of the document. */
export interface Author {
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly displayName: string;
}
