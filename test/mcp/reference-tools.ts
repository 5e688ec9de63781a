import { parentOf, within, type Doc, type Grant, type Model, type Role } from '../support/model/reference-model.js';

/**
 * The questions of agents' tools alone, in the plainest data; beside the reference model, and without the program's
 * code.
 */

export const roles: readonly Role[] = ['reader', 'editor', 'approver'];
export const nameOfRole = (rank: number): string => roles[rank - 1] ?? 'none';

/** Places of a subject's grants: folders, and the places of granted documents. */
function placesOf(model: Model, subject: string): { readonly path: string; readonly doc?: Doc }[] {
  if (model.disabled.has(subject)) return [];
  const selves = model.selves(subject);
  const held = model.grants.filter((grant: Grant) => selves.includes(grant.subject));
  return held.flatMap(({ on }) => {
    if (typeof on === 'string') return [{ path: on }];
    const doc = model.docs[on];
    return doc === undefined || doc.at === null ? [] : [{ path: doc.at, doc }];
  });
}

const reaches = (model: Model, subject: string, path: string, doc: Doc | undefined): boolean =>
  !model.disabled.has(subject) && model.holderOf(model.grants)(subject, path, doc) >= 1;

/** Whether there is a place in the reach of both. */
function share(model: Model, one: string, other: string): boolean {
  const into = (from: string, to: string): boolean =>
    placesOf(model, from).some(({ path, doc }) => reaches(model, to, path, doc));
  return into(one, other) || into(other, one);
}

/** @param wrote `sender recipient` of every delivered message */
export function mayWriteTo(model: Model, from: string, to: string, wrote: ReadonlySet<string>): boolean {
  if (model.groups.has(to)) return model.selves(from).includes(to) || share(model, from, to);
  return !model.disabled.has(to) && (share(model, from, to) || wrote.has(`${to} ${from}`));
}

/** The recipients of a message to a person or group. */
export function recipientsOf(model: Model, from: string, to: string): string[] {
  const isGroup = model.groups.has(to);
  const named = isGroup ? model.people.filter((one) => one !== from && model.selves(one).includes(to)) : [to];
  return named.filter((one) => !model.disabled.has(one));
}

/** `path role` of the topmost folders, wherever they are: granted ones, and those around granted documents. */
export function topFolders(model: Model, person: string): string[] {
  const places = placesOf(model, person);
  const inside = (path: string, others: readonly string[]): boolean =>
    others.some((other) => other !== path && within(other, path));
  const granted = places.flatMap(({ path, doc }) => (doc === undefined && path !== '' ? [path] : []));
  const around = places.flatMap(({ path, doc }) =>
    doc === undefined || parentOf(path) === '' ? [] : [parentOf(path)],
  );
  const top = [...granted, ...around.filter((path) => !granted.includes(path))].filter(
    (path) =>
      !inside(path, [...(granted.includes(path) ? granted : [...granted, ...around])]) &&
      (granted.includes(path) || model.exists(path)),
  );
  return [...new Set(top)].toSorted().map((path) => `${path} ${nameOfRole(folderRole(model, person, path))}`);
}

/** A person's role on a folder. */
export const folderRole = (model: Model, person: string, path: string): number => model.role(person, path, undefined);
