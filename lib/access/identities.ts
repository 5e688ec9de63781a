import type { Clock, Randomness } from '../domain/clock.js';
import { makeIdentifier } from '../domain/identifier.js';
import { conflict, invalidRequest } from '../domain/refusal.js';
import type { StoredIdentity, StoredMembership } from '../sidecar/tables/identity-table.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';
import { maxPasswordLength } from './hash-password.js';

/** Characters of a sign-in name: as many as an e-mail address may have (RFC 5321 §4.5.3.1). */
const maxNameLength = 254;

/** Characters of a password. */
export const minPasswordLength = 12;

/** A name typed with other capitals, or with other characters that look the same, is the same name. */
function fold(text: string): string {
  // Small letters may compose where capitals did not: there is one character for the small J with a caron alone.
  return text.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/**
 * A sign-in name in its compared form. Folding it again changes nothing, so all spellings of one identity count as one
 * name. It is cut before Unicode composition, whose time grows with the square of the length.
 */
export function foldSignInName(text: string): string {
  return fold(text.trim().slice(0, maxNameLength)).slice(0, maxNameLength).trim();
}

/**
 * @returns the name as it is compared
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function parseSignInName(text: string): string {
  const name = foldSignInName(text);
  if (/^[\p{L}\p{N}][^\s\p{C}]*$/u.test(name) && text.trim().length <= maxNameLength) return name;
  throw invalidRequest(
    'bad_field',
    `A sign-in name is an e-mail address or a name of 1 to ${maxNameLength} characters that begins with a letter or digit and has no spaces.`,
    { input: 'signIn' },
  );
}

/** @returns the fault of a new password, in words; undefined when it has none */
export function judgePassword(password: string, signInName: string): string | undefined {
  if (password.length > maxPasswordLength) return `The password may have at most ${maxPasswordLength} characters.`;
  const characters = Array.from(password.normalize('NFKC'));
  if (characters.length < minPasswordLength) return `The password needs at least ${minPasswordLength} characters.`;
  if (fold(password).includes(signInName) || new Set(characters).size < 5) return 'That password is too easy to guess.';
  return undefined;
}

/** The identities that can sign in, and their principals. */
export class Identities {
  readonly #tables: PeopleTables;
  readonly #clock: Clock;
  readonly #randomness: Randomness;

  constructor(tables: PeopleTables, clock: Clock, randomness: Randomness) {
    this.#tables = tables;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  find(id: string): StoredIdentity | undefined {
    return this.#tables.identities.find(id);
  }

  /** @param name in its compared form: the very text under which attempts are counted */
  findByName(name: string): StoredIdentity | undefined {
    return this.#tables.identities.findByName(name);
  }

  findOf(workspace: string, principalId: string): StoredIdentity | undefined {
    const membership = this.#tables.identities.findMembership(workspace, principalId);
    return membership === undefined ? undefined : this.find(membership.identityId);
  }

  /**
   * Where an identity is a person. A workspace that the person has still to join counts only in a browser for which
   * another provider vouched for the very name of the link: an identity's password is of whoever took the name first.
   * @param vouchedFor the verified address of the browser's sign-in; null for all other sign-ins
   */
  membershipsOf(identityId: string, vouchedFor: string | null): StoredMembership[] {
    return this.heldBy(identityId).filter(({ joiningAs }) => joiningAs === null || joiningAs === vouchedFor);
  }

  /** The same with all that the person has still to join. */
  heldBy(identityId: string): StoredMembership[] {
    return this.#tables.identities.membershipsOf(identityId);
  }

  /** The other workspaces that a person signs in to, or is to join. */
  elsewhere(identityId: string, workspace: string): string[] {
    return this.heldBy(identityId).flatMap((each) => (each.workspace === workspace ? [] : [each.workspace]));
  }

  /** Whether a person signs in to other workspaces than this one too, or is to. */
  isElsewhere(identityId: string, workspace: string): boolean {
    return this.elsewhere(identityId, workspace).length > 0;
  }

  /**
   * The identity of a person. It is the existing one, renamed if a name is given. Else it is the identity with that
   * name in another workspace, or a new one. With the identity of another workspace the person joins only when they use
   * their link.
   * @param displayName source of the sign-in name where none is given
   * @throws Refusal CONFLICT `name_taken` when another person of the workspace signs in by that name; INVALID_REQUEST
   */
  provide(workspace: string, principalId: string, displayName: string, signInName?: string): StoredIdentity {
    const { identities } = this.#tables;
    return this.#tables.within(() => {
      const name = signInName === undefined ? undefined : parseSignInName(signInName);
      const membership = identities.findMembership(workspace, principalId);
      const present = membership && this.find(membership.identityId);
      if (present !== undefined && (name === undefined || name === present.signInName)) {
        // Where the person has still to join, the new link is for the name as it is now.
        identities.setJoining(workspace, principalId, present.signInName);
        return present;
      }
      if (membership !== undefined && membership.joiningAs !== null) {
        // Another name was meant. The identity of the first one stays as it is: they never joined.
        identities.leave(workspace, principalId);
      } else if (present !== undefined && name !== undefined) {
        if (identities.findByName(name) !== undefined) throw nameTaken(name);
        identities.rename(present.id, name);
        return { ...present, signInName: name };
      }
      const known = name === undefined ? undefined : identities.findByName(name);
      if (known !== undefined && this.heldBy(known.id).some((each) => each.workspace === workspace)) {
        throw nameTaken(known.signInName);
      }
      const identity = known ?? this.#add(name ?? this.#inventName(displayName));
      identities.join({ workspace, principalId, identityId: identity.id, joiningAs: known?.signInName ?? null });
      return identity;
    });
  }

  #add(signInName: string): StoredIdentity {
    const id = makeIdentifier('idn', this.#randomness);
    const identity = { id, signInName, passwordHash: null, createdAt: this.#clock.now() };
    this.#tables.identities.insert(identity);
    return identity;
  }

  /** A free name made from a display name: `Ada Lovelace` → `ada.lovelace`. */
  #inventName(displayName: string): string {
    // Vowel signs and other marks belong to their letter. Joiners between letters are not seen, so they are left out.
    const folded = foldSignInName(displayName).replaceAll(/[\u200C\u200D]/gu, '');
    const words = folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? ['person'];
    const name = words.join('.');
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? name : `${name}.${number}`;
      if (this.#tables.identities.findByName(candidate) === undefined) return candidate;
    }
  }
}

function nameTaken(name: string): Error {
  return conflict('name_taken', `The sign-in name "${name}" is taken. Choose another name.`);
}
