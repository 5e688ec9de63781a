import { Model, parentOf, within, type Doc, type Grant, type Role, type Scope } from './reference-model.js';

const taken = 'CONFLICT name_taken';
const rebase = (path: string, from: string, to: string): string =>
  within(from, path) ? to + path.slice(from.length) : path;

/** What becomes of each command: `done` or `CODE reason`, as the person is told. */
export class WritableModel extends Model {
  #deletions = 0;

  /** Why nothing new can be at the path, as the person is told. */
  #obstacle(person: string, path: string): string | undefined {
    for (let place = path; place !== ''; place = parentOf(place)) {
      if (this.at(place) !== undefined) return this.role(person, place) >= 1 ? taken : 'NOT_FOUND';
    }
    return this.exists(path) ? (this.sees(person, path) ? taken : 'NOT_FOUND') : undefined;
  }
  readonly #waits = (path: string): boolean => this.grants.some(({ on }) => typeof on === 'string' && within(path, on));

  create(person: string, path: string, text: string): string {
    if (this.role(person, path) < 2) return 'NOT_FOUND';
    const obstacle = this.#obstacle(person, path) ?? (this.#waits(path) ? taken : undefined);
    if (obstacle !== undefined) return obstacle;
    this.docs.push({ number: this.docs.length, at: path, deletedFrom: null, deletion: 0, text });
    return 'done';
  }
  createFolder(person: string, path: string): string {
    const obstacle = this.role(person, path) < 2 ? 'NOT_FOUND' : this.#obstacle(person, path);
    if (obstacle === undefined) this.kept.push(path);
    return obstacle ?? 'done';
  }
  #change(person: string, path: string, change: (doc: Doc) => void): string {
    const doc = this.at(path);
    if (doc === undefined || this.role(person, path) < 2) return 'NOT_FOUND';
    change(doc);
    return 'done';
  }
  update = (person: string, path: string, text: string): string =>
    this.#change(person, path, (doc) => (doc.text = text));
  delete = (person: string, path: string): string =>
    this.#change(person, path, (doc) =>
      Object.assign(doc, { at: null, deletedFrom: path, deletion: ++this.#deletions }),
    );
  undelete(person: string, path: string): string {
    const mine = this.docs.filter((doc) => doc.deletedFrom === path && this.role(person, path, doc) >= 2);
    const last = mine.toSorted((a, b) => b.deletion - a.deletion)[0];
    if (last === undefined) return 'NOT_FOUND';
    const obstacle = this.#obstacle(person, path) ?? (this.#waits(path) ? taken : undefined);
    if (obstacle !== undefined) return obstacle === taken ? 'CONFLICT location_occupied' : obstacle;
    Object.assign(last, { at: path, deletedFrom: null });
    return 'done';
  }

  relocate(person: string, isRename: boolean, from: string, to: string, acknowledged: boolean): string {
    if (this.role(person, from) < 2 || this.role(person, to) < 2) return 'NOT_FOUND';
    const doc = this.at(from);
    if (doc === undefined && !this.exists(from)) return 'NOT_FOUND';
    if (doc === undefined && to !== from && within(from, to)) return 'INVALID_REQUEST into_itself';
    if (doc !== undefined && this.#waits(to)) return taken;
    const obstacle = this.#obstacle(person, to);
    if (obstacle !== undefined) return obstacle;
    const moved = doc === undefined ? this.below(from) : [doc];
    const isOn = ({ on }: Grant, path: string): boolean => typeof on === 'string' && within(path, on);
    if (this.grants.some((grant) => moved.some(({ at }) => isOn(grant, rebase(at ?? '', from, to))))) return taken;
    const carries = doc === undefined && (isRename || (this.role(person, from) === 3 && this.role(person, to) === 3));
    const after = carries
      ? this.grants.map((grant) => (isOn(grant, from) ? { ...grant, on: rebase(String(grant.on), from, to) } : grant))
      : this.grants;
    if (this.#widens(after, from, to, doc) && !acknowledged) return 'CONFLICT access_would_widen';
    this.grants = [...new Map(after.map((grant) => [JSON.stringify(grant), grant])).values()];
    for (const each of moved) each.at = rebase(each.at ?? '', from, to);
    this.kept = this.kept.map((path) => rebase(path, from, to));
    return 'done';
  }
  /** Whether anybody, or a group that has nobody in it yet, holds more at the new place or where a grant lies in it. */
  #widens(after: readonly Grant[], from: string, to: string, doc: Doc | undefined): boolean {
    const [holdsNow, willHold] = [this.holderOf(this.grants), this.holderOf(after)];
    const paths = [...this.grants, ...after].flatMap(({ on }) =>
      typeof on === 'string' ? [rebase(on, from, to)] : [],
    );
    const places = [to, ...(doc === undefined ? paths.filter((path) => within(to, path)) : [])];
    const empty = [...this.groups].filter(([, members]) => members.size === 0).map(([group]) => group);
    return [...this.people, ...empty].some((who) =>
      places.some((place) => willHold(who, place, doc) > holdsNow(who, rebase(place, to, from), doc)),
    );
  }

  grant(person: string, grant: { scope: Scope; path: string; subject: string; role: Role }, isRevoke: boolean): string {
    const { scope, path, subject, role } = grant;
    const doc = this.at(path);
    if (this.role(person, path) < 3 || (scope === 'document' && doc === undefined)) return 'NOT_FOUND';
    const on = scope === 'folder' ? path : (doc?.number ?? -1);
    const same = this.grants.find((one) => one.on === on && one.subject === subject && one.role === role);
    if (isRevoke) {
      this.grants = this.grants.filter((one) => one !== same);
      return same === undefined ? 'NOT_FOUND' : 'done';
    }
    if (scope === 'folder' && this.docs.some(({ at }) => at !== null && within(at, path))) return taken;
    if (same === undefined) this.grants.push({ scope, on, subject, role });
    return 'done';
  }
  join(group: string, member: string): string {
    if (this.selves(group).includes(member)) return 'CONFLICT group_cycle';
    this.groups.get(group)?.add(member);
    return 'done';
  }
  leave = (group: string, member: string): string =>
    this.groups.get(group)?.delete(member) === true ? 'done' : 'NOT_FOUND';
}
