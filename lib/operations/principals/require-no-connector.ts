import type { Subject } from '../../domain/grant.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { Tables } from '../../sidecar/tables.js';

/**
 * What people and agents can have is not for connectors: they write in their mirrors, and have no other right.
 * @param remedy a sentence
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function requireNoConnector({ principals }: Tables, { type, id }: Subject, remedy: string): void {
  if (type !== 'principal' || principals.find(id)?.kind !== 'connector') return;
  throw invalidRequest('bad_field', `This is a connector. ${remedy}`);
}
