import type { Principal } from '../domain/principal.js';
import type { CredentialTable, StoredCredential } from '../sidecar/tables/credential-table.js';
import type { PrincipalTable } from '../sidecar/tables/principal-table.js';

/** Where keys and their principals are looked up. */
export interface KeyRows {
  credential(id: string): StoredCredential | undefined;
  principal(id: string): Principal | undefined;
}

/** The tables that hold them. */
interface KeyTables {
  readonly credentials: Pick<CredentialTable, 'find'>;
  readonly principals: Pick<PrincipalTable, 'find'>;
}

const maxRemembered = 1000;

/**
 * The rows of keys and principals, as long as the stamp of their tables says that none was written. What is remembered
 * is what the file says, and no decision: each request compares the secret and asks the clock. What the file lacks is
 * remembered as well, so both ways take the same steps.
 */
export class KnownKeys {
  #stamp = -1;
  readonly #credentials = new Map<string, StoredCredential | undefined>();
  readonly #principals = new Map<string, Principal | undefined>();

  /** @param stamp of the tables: see `Sidecar.keyStamp` */
  at({ credentials, principals }: KeyTables, stamp: number): KeyRows {
    if (stamp !== this.#stamp) {
      this.#credentials.clear();
      this.#principals.clear();
      this.#stamp = stamp;
    }
    return {
      credential: (id) => recall(this.#credentials, id, () => credentials.find(id)),
      principal: (id) => recall(this.#principals, id, () => principals.find(id)),
    };
  }
}

function recall<Row>(rows: Map<string, Row | undefined>, id: string, read: () => Row | undefined): Row | undefined {
  const known = rows.get(id);
  if (known !== undefined || rows.has(id)) return known;
  const row = read();
  if (rows.size >= maxRemembered) rows.clear();
  rows.set(id, row);
  return row;
}
