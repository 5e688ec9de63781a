import { Model, parentOf, within, type Doc, type Grant, type Role, type Scope } from './reference-model.js';

const taken = 'CONFLICT name_taken';
const rebase = (path: string, from: string, to: string): string =>
  within(from, path) ? to + path.slice(from.length) : path;

/** The outcome of each command: `done` or `CODE reason`, as the person gets it. */
export class WritableModel extends Model {
  #deletions = 0;
  #foldersGone: { readonly path: string; readonly deletion: number; readonly kept: string[] }[] = [];

  /** Why the path cannot take a new document or folder, as the person gets it. */
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
    this.imported(path, text);
    return 'done';
  }
  /** A new document, whose place was found free. */
  imported(path: string, text: string): void {
    const here = { at: path, deletedFrom: null, deletion: 0, comments: 0 };
    this.docs.push({ number: this.docs.length, ...here, text, versions: 1, texts: [text] });
  }
  createFolder(person: string, path: string): string {
    const obstacle = this.role(person, path) < 2 ? 'NOT_FOUND' : this.#obstacle(person, path);
    if (obstacle === undefined) this.kept.push(path);
    return obstacle ?? 'done';
  }
  readonly #isKept = (person: string, doc: Doc, path?: string): boolean =>
    this.binding(doc, path).some(({ holder }) => holder !== person);
  #change(person: string, path: string, change: (doc: Doc) => void): string {
    const doc = this.at(path);
    if (doc === undefined || this.role(person, path) < 2) return 'NOT_FOUND';
    if (this.#isKept(person, doc)) return 'CONFLICT claimed';
    change(doc);
    return 'done';
  }
  /** Also a restore, which is an update with an old text. */
  update = (person: string, path: string, text: string): string =>
    this.#change(person, path, (doc) => this.#write(doc, text));
  readonly #write = (doc: Doc, text: string): Doc =>
    Object.assign(doc, { text, versions: doc.versions + 1, texts: [...doc.texts, text] });
  readonly #hide = (doc: Doc, deletion: number): Doc => Object.assign(doc, { at: null, deletedFrom: doc.at, deletion });
  readonly #show = (doc: Doc): Doc =>
    Object.assign(doc, { at: doc.deletedFrom, deletedFrom: null, versions: doc.versions + 1 });
  delete = (person: string, path: string): string =>
    this.#change(person, path, (doc) => this.#hide(doc, ++this.#deletions));
  undelete(person: string, path: string): string {
    const mine = this.docs.filter((doc) => doc.deletedFrom === path && this.role(person, path, doc) >= 2);
    const last = mine.toSorted((a, b) => b.deletion - a.deletion)[0];
    if (last === undefined) return 'NOT_FOUND';
    const obstacle = this.#obstacle(person, path) ?? (this.#waits(path) ? taken : undefined);
    if (obstacle !== undefined) return obstacle === taken ? 'CONFLICT location_occupied' : obstacle;
    if (this.#isKept(person, last, path)) return 'CONFLICT claimed';
    this.#show(last);
    return 'done';
  }

  deleteFolder(person: string, path: string): string {
    if (this.roleIn(person, path) < 2 || !this.exists(path)) return 'NOT_FOUND';
    if (this.below(path).some((doc) => this.#isKept(person, doc))) return 'CONFLICT claimed';
    const deletion = ++this.#deletions;
    this.#foldersGone.unshift({ path, deletion, kept: this.kept.filter((at) => within(path, at)) });
    this.kept = this.kept.filter((at) => !within(path, at));
    for (const doc of this.below(path)) this.#hide(doc, deletion);
    return 'done';
  }
  /** All documents of the folder's last deletion there with a free place; the rest stays gone. */
  undeleteFolder(person: string, path: string): string {
    if (this.roleIn(person, path) < 2) return 'NOT_FOUND';
    const isBehind = (at: string): boolean =>
      this.docs.some((doc) => doc.at !== null && (doc.at === at || within(doc.at, at)));
    const of = this.#foldersGone
      .filter((gone) => gone.path === path)
      .map((gone) => ({
        gone,
        docs: this.docs.filter((doc) => doc.at === null && doc.deletion === gone.deletion),
        kept: gone.kept.filter((at) => !this.kept.includes(at) && !isBehind(at)),
      }))
      .find(({ docs, kept }) => docs.length + kept.length > 0);
    if (of === undefined) return 'NOT_FOUND';
    const hasRoom = (doc: Doc, at: string): boolean =>
      !isBehind(at) && !this.exists(at) && !this.#waits(at) && !this.#isKept(person, doc, at);
    const back = of.docs.filter((doc) => hasRoom(doc, doc.deletedFrom ?? ''));
    if (back.length + of.kept.length === 0) return 'CONFLICT location_occupied';
    for (const doc of back) this.#show(doc);
    this.kept.push(...of.kept);
    if (back.length === of.docs.length) this.#foldersGone = this.#foldersGone.filter((gone) => gone !== of.gone);
    return 'done';
  }
  /** A revert's own report of one document: the model decides only who sees what afterwards. */
  reverted(number: number, action: 'restore' | 'delete' | 'undelete', text: string): void {
    const doc = this.docs[number];
    if (doc === undefined) return;
    if (action === 'delete') this.#hide(doc, ++this.#deletions);
    else if (action === 'undelete') Object.assign(this.#show(doc), { text, texts: [...doc.texts, text] });
    else this.#write(doc, text);
  }
  /** By the operator, for good: nothing of it is anywhere. */
  erase(path: string): string {
    const doc = this.at(path);
    if (doc === undefined) return 'NOT_FOUND';
    Object.assign(doc, { at: null, deletedFrom: null, deletion: -1, text: '', texts: [] });
    return 'done';
  }

  claim(person: string, path: string): string {
    const doc = this.at(path);
    if (doc === undefined || this.role(person, path) < 2) return 'NOT_FOUND';
    if (this.#isKept(person, doc)) return 'CONFLICT claimed';
    if (!this.claims.some((one) => one.live && one.doc === doc.number && one.holder === person))
      this.claims.push({ doc: doc.number, holder: person, live: true });
    return 'done';
  }
  /**
   * Released by its holder, at the document's present place, while the holder can read it there; or broken by an
   * approver.
   */
  unclaim(person: string, path: string, holder: string, isBreak: boolean): string {
    const doc = this.at(path);
    const one = this.claims.findLast((claim) => claim.doc === doc?.number && claim.holder === holder);
    const role = this.role(person, path);
    if (one === undefined || role < 1 || (isBreak && (!one.live || role < 3))) return 'NOT_FOUND';
    one.live = false;
    return 'done';
  }
  comment(person: string, path: string): string {
    const doc = this.at(path);
    if (doc === undefined || this.role(person, path) < 1) return 'NOT_FOUND';
    doc.comments += 1;
    return 'done';
  }
  label = (person: string, path: string): string =>
    this.at(path) === undefined || this.role(person, path) < 2 ? 'NOT_FOUND' : 'done';

  relocate(person: string, isRename: boolean, from: string, to: string, acknowledged: boolean): string {
    if (this.role(person, from) < 2 || this.role(person, to) < 2) return 'NOT_FOUND';
    const doc = this.at(from);
    if (doc === undefined && !this.exists(from)) return 'NOT_FOUND';
    if (doc === undefined && to !== from && within(from, to)) return 'INVALID_REQUEST into_itself';
    const held = doc === undefined ? this.below(from) : [doc];
    if (held.some((one) => this.#isKept(person, one))) return 'CONFLICT claimed';
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
    const widens = this.#widens(after, from, to, doc) || this.#widensDeleted(after, to);
    if (widens && !acknowledged) return 'CONFLICT access_would_widen';
    this.grants = [...new Map(after.map((grant) => [JSON.stringify(grant), grant])).values()];
    for (const each of moved) each.at = rebase(each.at ?? '', from, to);
    this.kept = this.kept.map((path) => rebase(path, from, to));
    return 'done';
  }
  /** Whether any subject, also a group without members, holds more at the new place or where a grant lies in it. */
  #widens(after: readonly Grant[], from: string, to: string, doc: Doc | undefined): boolean {
    const [holdsNow, willHold] = [this.holderOf(this.grants), this.holderOf(after)];
    const paths = [...this.grants, ...after].flatMap(({ on }) =>
      typeof on === 'string' ? [rebase(on, from, to)] : [],
    );
    const places = [to, ...(doc === undefined ? paths.filter((path) => within(to, path)) : [])];
    return this.#anyone().some((who) =>
      places.some((place) => willHold(who, place, doc) > holdsNow(who, rebase(place, to, from), doc)),
    );
  }

  readonly #anyone = (): string[] => [
    ...this.people,
    ...[...this.groups].filter(([, members]) => members.size === 0).map(([group]) => group),
  ];
  /**
   * The same for deleted documents at the new place, which nothing moves: where a grant comes to lie on or above it.
   */
  #widensDeleted(after: readonly Grant[], to: string): boolean {
    const [holdsNow, willHold] = [this.holderOf(this.grants), this.holderOf(after)];
    const gone = this.docs.flatMap(({ deletedFrom }) => deletedFrom ?? []);
    const places = after
      .flatMap(({ on }) => (typeof on === 'string' && within(to, on) ? [on] : []))
      .filter((place) => gone.some((path) => within(place, path)));
    return this.#anyone().some((who) =>
      places.some((place) => willHold(who, place, undefined) > holdsNow(who, place, undefined)),
    );
  }

  grant(person: string, grant: { scope: Scope; path: string; subject: string; role: Role }, isRevoke: boolean): string {
    const { scope, path, subject, role } = grant;
    const doc = this.at(path);
    const isSame = (one: Grant, on: string | number): boolean =>
      one.on === on && one.subject === subject && one.role === role;
    if (isRevoke) {
      const shared = (docs: readonly Doc[]): Doc[] => docs.filter((each) => this.role(person, path, each) === 3);
      const live = shared(doc === undefined ? [] : [doc]);
      const meant = live.length > 0 ? live : shared(this.docs.filter(({ deletedFrom }) => deletedFrom === path));
      const scopes =
        scope === 'document' ? meant.map(({ number }) => number) : this.role(person, path) < 3 ? [] : [path];
      const left = this.grants.filter((one) => !scopes.some((on) => isSame(one, on)));
      const isDone = left.length < this.grants.length;
      this.grants = left;
      return isDone ? 'done' : 'NOT_FOUND';
    }
    if (this.role(person, path) < 3 || (scope === 'document' && doc === undefined)) return 'NOT_FOUND';
    const on = scope === 'folder' ? path : (doc?.number ?? -1);
    const same = this.grants.find((one) => isSame(one, on));
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
