import type { OAuthGrant } from '../domain/oauth-grant.js';
import type { EndedSignIns } from '../domain/signed-in.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';

/** The sign-ins of a workspace's principals: passwords, sessions, unused links, and consents. */
export class SignIns {
  readonly #tables: PeopleTables;

  constructor(tables: PeopleTables) {
    this.#tables = tables;
  }

  /** Whether a principal has chosen a password. */
  hasPassword(workspace: string, principalId: string): boolean {
    const identityId = this.#identityOf(workspace, principalId);
    return identityId !== undefined && typeof this.#tables.identities.find(identityId)?.passwordHash === 'string';
  }

  /** How much `end` would end. */
  count(workspace: string, principalId: string): EndedSignIns {
    const identityId = this.#identityOf(workspace, principalId);
    if (identityId === undefined) return { sessions: 0, consents: 0 };
    const consents = this.#consentsOf(identityId, workspace, principalId);
    return { sessions: this.#tables.sessions.listOf(identityId).length, consents: consents.length };
  }

  /**
   * Ends, for good, the person's sessions and unused links, and their consents in this workspace.
   * @param at milliseconds since 1970
   * @param begunBy ends only sign-ins begun until then; all if left out
   */
  end(workspace: string, principalId: string, at: number, begunBy = Number.MAX_SAFE_INTEGER): void {
    const identityId = this.#identityOf(workspace, principalId);
    if (identityId === undefined) return;
    const { sessions, links, oauth } = this.#tables;
    this.#tables.within(() => {
      for (const { id, createdAt } of this.#consentsOf(identityId, workspace, principalId)) {
        if (createdAt <= begunBy) oauth.revokeGrant(id, at);
      }
      for (const { id, startedAt } of sessions.listOf(identityId)) {
        if (startedAt <= begunBy) sessions.delete(identityId, id);
      }
      links.deleteOf(identityId, begunBy);
    });
  }

  #identityOf(workspace: string, principalId: string): string | undefined {
    return this.#tables.identities.findMembership(workspace, principalId)?.identityId;
  }

  /** The consents in force. */
  #consentsOf(identityId: string, workspace: string, principalId: string): OAuthGrant[] {
    return this.#tables.oauth
      .listGrantsOf(identityId)
      .filter(
        (grant) => grant.workspace === workspace && grant.principalId === principalId && grant.revokedAt === null,
      );
  }
}
