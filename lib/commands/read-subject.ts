import type { Subject } from '../domain/grant.js';
import { invalidRequest, notFound } from '../domain/refusal.js';
import { findSubjects, type FoundSubject } from '../operations/principals/find-subjects.js';
import type { WorkspaceContext } from './command.js';
import type { Fields } from './fields.js';

type Asking = Pick<WorkspaceContext, 'perform'>;

/** Candidates named in a refusal. */
const maxNamed = 10;

/** A principal or group: its id, its name, or the address that a person signs in with. `principal:` and `group:` may stand before. */
export async function readSubject(context: Asking, fields: Fields, name: string): Promise<Subject> {
  return resolve(context, name, fields.text(name), ['principal', 'group']);
}

/** The id of a principal, named as above. */
export async function readPrincipal(context: Asking, fields: Fields, name: string): Promise<string> {
  return (await resolve(context, name, fields.text(name), ['principal'])).id;
}

/** The same, where it may be left out. */
export async function readPrincipalOrNone(context: Asking, fields: Fields, name: string): Promise<string | undefined> {
  return fields.optionalText(name) === undefined ? undefined : readPrincipal(context, fields, name);
}

/** The id of a group, named as above. */
export async function readGroup(context: Asking, fields: Fields, name: string): Promise<string> {
  return (await resolve(context, name, fields.text(name), ['group'])).id;
}

/** The ids of principals and groups, with commas between them. */
export async function readSubjectIds(
  context: Asking,
  fields: Fields,
  name: string,
  types: readonly Subject['type'][] = ['principal', 'group'],
): Promise<string[] | undefined> {
  const text = fields.optionalText(name);
  if (text === undefined) return undefined;
  const ids: string[] = [];
  for (const item of text.split(',')) ids.push((await resolve(context, name, item.trim(), types)).id);
  return ids;
}

/** @throws Refusal NOT_FOUND for an unknown name; INVALID_REQUEST `bad_field` for one that several have */
async function resolve(
  { perform }: Asking,
  field: string,
  text: string,
  types: readonly Subject['type'][],
): Promise<Subject> {
  if (types.includes('principal') && /^prn_\w+$/.test(text)) return { type: 'principal', id: text };
  if (types.includes('group') && /^grp_\w+$/.test(text)) return { type: 'group', id: text };
  const [, prefix, rest = ''] = /^(principal|group):(.+)$/su.exec(text) ?? [];
  const wanted = prefix === undefined ? types : types.filter((type) => type === prefix);
  const found = await perform(findSubjects, { text: prefix === undefined ? text : rest, types: wanted });
  const [first, ...others] = found;
  if (first === undefined) throw notFound();
  if (others.length === 0) return { type: first.type, id: first.id };
  const more = found.length > maxNamed ? `, and ${found.length - maxNamed} more` : '';
  const named = found.slice(0, maxNamed).map(describe).join(', ');
  throw invalidRequest('bad_field', `${field} "${text}" may mean ${named}${more}. Name it by its id.`, { field });
}

const describe = ({ id, kind, displayName }: FoundSubject): string => `${id} (${kind} ${displayName})`;
