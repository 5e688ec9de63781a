import type { OAuthGrant } from '../domain/oauth-grant.js';
import type { EndedSignIns } from '../domain/signed-in.js';
import type { StoredSession } from '../sidecar/tables/browser-session-table.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';

/** The sign-ins of a workspace's principals: passwords, sessions, unused links, and consents. */
export class SignIns {
  readonly #tables: PeopleTables;

  constructor(tables: PeopleTables) {
    this.#tables = tables;
  }

  /** Whether a principal has chosen a password. That of whoever else has the name of an unused link is none. */
  hasPassword(workspace: string, principalId: string): boolean {
    const { identities } = this.#tables;
    const membership = identities.findMembership(workspace, principalId);
    if (membership?.joiningAs !== null) return false;
    return typeof identities.find(membership.identityId)?.passwordHash === 'string';
  }

  /** The browsers that open this workspace to a principal. The one seen last comes first. */
  sessionsOf(workspace: string, principalId: string): StoredSession[] {
    const membership = this.#tables.identities.findMembership(workspace, principalId);
    if (membership === undefined) return [];
    const { identityId, joiningAs } = membership;
    const sessions = this.#tables.sessions.listOf(identityId);
    return sessions.filter(({ vouchedFor }) => joiningAs === null || joiningAs === vouchedFor);
  }

  /** Ends these. @returns how many there were */
  endSessions(workspace: string, principalId: string): number {
    const sessions = this.sessionsOf(workspace, principalId);
    for (const { identityId, id } of sessions) this.#tables.sessions.delete(identityId, id);
    return sessions.length;
  }

  /** How much `end` would end. */
  count(workspace: string, principalId: string): EndedSignIns {
    const identityId = this.#identityOf(workspace, principalId);
    if (identityId === undefined) return { sessions: 0, consents: 0 };
    const consents = this.#consentsOf(identityId, workspace, principalId);
    return { sessions: this.sessionsOf(workspace, principalId).length, consents: consents.length };
  }

  /**
   * Ends, for good, the person's sessions, and the unused links and consents of this workspace.
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
      for (const { id, startedAt } of this.sessionsOf(workspace, principalId)) {
        if (startedAt <= begunBy) sessions.delete(identityId, id);
      }
      links.deleteOf(workspace, principalId, begunBy);
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
