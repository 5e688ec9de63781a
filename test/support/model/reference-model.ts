/**
 * Who reads what, in the plainest data: lists that are searched from end to end. It is slow, short, and written without
 * the program's code, so that the two can be compared.
 */
export type Role = 'reader' | 'editor' | 'approver';
export type Scope = 'folder' | 'document';
export interface Grant {
  readonly scope: Scope;
  /** A folder's path, or a document's number. */
  readonly on: string | number;
  readonly subject: string;
  readonly role: Role;
}
export interface Doc {
  readonly number: number;
  at: string | null;
  deletedFrom: string | null;
  deletion: number;
  text: string;
  versions: number;
  /** The text of every version. */
  texts: readonly string[];
  comments: number;
}
/** A claim: its holder keeps others from writing, as long as the holder may write. */
export interface Claim {
  readonly doc: number;
  readonly holder: string;
  live: boolean;
}
type Holder = (subject: string, path: string, doc: Doc | undefined) => number;

const rank = { reader: 1, editor: 2, approver: 3 };
export const within = (folder: string, path: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);
export const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/');

export class Model {
  readonly people: string[] = [];
  readonly disabled = new Set<string>();
  readonly groups = new Map<string, Set<string>>();
  grants: Grant[] = [];
  docs: Doc[] = [];
  /** Folders made to stay, empty or not. */
  kept: string[] = [];
  claims: Claim[] = [];

  at = (path: string): Doc | undefined => this.docs.find((doc) => doc.at === path);
  below = (folder: string): Doc[] =>
    this.docs.filter((doc) => doc.at !== null && doc.at !== folder && within(folder, doc.at));
  exists = (folder: string): boolean =>
    folder === '' || this.below(folder).length > 0 || this.kept.some((path) => within(folder, path));

  /** The subject and all its groups. */
  selves(subject: string, seen: string[] = []): string[] {
    if (seen.includes(subject)) return seen;
    const above = [...this.groups].filter(([, members]) => members.has(subject));
    return above.reduce((all, [group]) => this.selves(group, all), [...seen, subject]);
  }
  holderOf =
    (grants: readonly Grant[]): Holder =>
    (subject, path, doc) => {
      const selves = this.selves(subject);
      const reaching = grants.filter(({ on }) => (typeof on === 'string' ? within(on, path) : on === doc?.number));
      return Math.max(0, ...reaching.filter((grant) => selves.includes(grant.subject)).map(({ role }) => rank[role]));
    };
  role = (person: string, path: string, doc: Doc | undefined = this.at(path)): number =>
    this.disabled.has(person) ? 0 : this.holderOf(this.grants)(person, path, doc);

  /** By folders alone, for a question about a folder: a document of that name and its grants do not count. */
  roleIn = (person: string, folder: string): number =>
    this.disabled.has(person) ? 0 : this.holderOf(this.grants)(person, folder, undefined);

  /** Claims in force on a document: their holders may still edit it where it is, or would be. */
  binding = (doc: Doc, path: string = doc.at ?? ''): Claim[] =>
    this.claims.filter(({ doc: on, holder, live }) => live && on === doc.number && this.role(holder, path, doc) >= 2);

  read(person: string, path: string): string {
    const doc = this.at(path);
    return doc !== undefined && this.role(person, path) >= 1 ? doc.text : 'NOT_FOUND';
  }
  /** Versions and comments, as its history and its comments show them. */
  annals(person: string, path: string): string {
    const doc = this.at(path);
    return this.read(person, path) === 'NOT_FOUND' ? 'NOT_FOUND' : `${doc?.versions} ${doc?.comments}`;
  }
  claimed = (person: string): string[] =>
    this.docs
      .filter((doc) => doc.at !== null && this.role(person, doc.at) >= 1)
      .flatMap((doc) => this.binding(doc).map(() => doc.at ?? ''))
      .toSorted();
  readonly #reachable = (person: string, folder: string): string[] =>
    this.below(folder)
      .map((doc) => doc.at ?? '')
      .filter((path) => this.role(person, path) >= 1);
  sees = (person: string, folder: string): boolean =>
    this.exists(folder) &&
    (this.role(person, folder) >= 1 ||
      this.#reachable(person, folder).length > 0 ||
      this.kept.some((path) => within(folder, path) && this.role(person, path) >= 1));
  export = (person: string, folder: string): string[] | 'NOT_FOUND' =>
    this.sees(person, folder) ? this.#reachable(person, folder).toSorted() : 'NOT_FOUND';
  list(person: string, folder: string): string[] {
    const names = [...this.docs.flatMap((doc) => doc.at ?? []), ...this.kept]
      .filter((path) => path !== folder && within(folder, path))
      .map((path) => path.slice(folder === '' ? 0 : folder.length + 1).split('/')[0] ?? '');
    const pathOf = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
    return [...new Set(names)].toSorted().flatMap((name) => {
      if (this.at(pathOf(name)) !== undefined) return this.read(person, pathOf(name)) === 'NOT_FOUND' ? [] : [name];
      return this.sees(person, pathOf(name)) ? [`${name}/`] : [];
    });
  }
}
