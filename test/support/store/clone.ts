import { createHash } from 'node:crypto';
import { parseLocation, rootLocation } from '../../../lib/domain/location.js';
import type { PushedChange, PushedCommit, PushedContent, PushResult, UnfitChange } from '../../../lib/changes/push.js';
import type { RefusedFile } from '../../../lib/domain/refused-file.js';
import { Refusal } from '../../../lib/domain/refusal.js';
import { hashObject } from '../../../lib/git/objects/objects.js';
import { perform } from '../../../lib/operations/perform.js';
import { pushCommits } from '../../../lib/operations/repositories/push-commits.js';
import type { Actor } from './actor.js';
import { inOnePiece } from './test-mirror.js';

/** What a commit of a clone does. */
export interface CloneCommit {
  /** Texts by path; null deletes. */
  readonly write?: Readonly<Record<string, string | null>>;
  /** Old paths and new ones. One that changes too is also written, under its new path. */
  readonly move?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly author?: { readonly name: string; readonly email: string };
}

/** Makes a change, once its content can be stored. */
type MakeChange = (add: (text: string) => Promise<PushedContent>) => Promise<PushedChange>;

const blobOf = (text: string): string => hashObject('blob', Buffer.from(text));

let clones = 0;

/** What somebody has of a workspace, and changes apart from it: what a git client does, without git. */
export class Clone {
  readonly actor: Actor;
  /** Texts by path, as of the last commit. */
  files = new Map<string, string>();
  #commits: (Omit<PushedCommit, 'changes'> & { readonly changes: readonly MakeChange[] })[] = [];
  /** What the server had at the last pull. */
  #served: string | null = null;
  /** Whether the server still lets it read all that it has. */
  isCurrent = true;
  readonly #name: number;
  #made = 0;

  constructor(actor: Actor) {
    this.actor = actor;
    this.#name = clones += 1;
  }

  static async of(actor: Actor): Promise<Clone> {
    const clone = new Clone(actor);
    await clone.pull();
    return clone;
  }

  /** Takes what the caller can read now, and drops its own commits. */
  async pull(): Promise<void> {
    const { workspace, caller } = this.actor;
    const found = [...workspace.view(caller).walk(rootLocation)].map(({ location, current }) => ({
      location,
      current,
    }));
    this.files = new Map();
    for (const { location, current } of found) {
      this.files.set(location, (await workspace.objects.readContent(current)).toString());
    }
    this.#commits = [];
    this.#served = this.#nextOid();
  }

  #nextOid(): string {
    this.#made += 1;
    return createHash('sha1').update(`${this.#name} ${this.#made}`).digest('hex');
  }

  /** The ids of the commits since the last pull or push. */
  get oids(): readonly string[] {
    return this.#commits.map(({ oid }) => oid);
  }

  commit({ write = {}, move = {}, message, author = { name: 'Somebody', email: 'some@body.example' } }: CloneCommit) {
    const before = this.files;
    const after = new Map(before);
    const changes: MakeChange[] = [];
    const arriving = new Set(Object.values(move));
    for (const [from, to] of Object.entries(move)) {
      const old = before.get(from) ?? '';
      const text = write[to] ?? old;
      changes.push(async (add) => ({
        type: 'move',
        from: parseLocation(from),
        to: parseLocation(to),
        before: blobOf(old),
        content: text === old ? null : await add(text),
      }));
    }
    for (const from of Object.keys(move)) after.delete(from);
    for (const [from, to] of Object.entries(move)) after.set(to, write[to] ?? before.get(from) ?? '');
    for (const [path, text] of Object.entries(write)) {
      if (arriving.has(path)) continue;
      const location = parseLocation(path);
      const old = path in move ? undefined : before.get(path);
      if (text === null) {
        after.delete(path);
        changes.push(() => Promise.resolve({ type: 'delete', location, before: blobOf(old ?? '') }));
      } else {
        after.set(path, text);
        changes.push(async (add) => {
          const content = await add(text);
          return old === undefined
            ? { type: 'create', location, content }
            : { type: 'update', location, before: blobOf(old), content };
        });
      }
    }
    this.files = after;
    this.#commits.push({ oid: this.#nextOid(), message: message ?? null, author: { ...author, at: null }, changes });
    return this;
  }

  /** Pushes the commits since the last pull or push. They stay where it is refused. */
  async push(unfit: readonly UnfitChange[] = []): Promise<PushResult> {
    const { result } = await this.tryPush(unfit);
    this.#served = this.#commits.at(-1)?.oid ?? this.#served;
    this.#commits = [];
    return result;
  }

  /** The same, and the commits stay: as when the answer was lost. */
  async tryPush(unfit: readonly UnfitChange[] = [], key?: string) {
    const { workspace, caller } = this.actor;
    const stage = workspace.stages.open({ type: 'push', id: `push ${this.#nextOid()}` });
    const add = (text: string) => stage.add(inOnePiece(text));
    try {
      const commits: PushedCommit[] = [];
      for (const { changes, ...commit } of this.#commits) {
        const made: PushedChange[] = [];
        for (const change of changes) made.push(await change(add));
        commits.push({ ...commit, changes: made });
      }
      await stage.show();
      const after = commits.at(-1)?.oid ?? '';
      const input = {
        before: this.#served,
        after,
        commits,
        unfit,
        stage: stage.owner.id,
        isCurrent: () => this.isCurrent,
      };
      const fingerprint = createHash('sha256').update(`${input.before} ${after}`).digest();
      return await perform(workspace, caller, pushCommits, input, { key: key ?? after, fingerprint });
    } finally {
      await stage.close();
    }
  }
}

/** The refused files of a push, as `path: reason`. */
export async function refusedOf(work: Promise<unknown>): Promise<readonly RefusedFile[]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal && error.details?.reason === 'push_refused') return error.details.refused;
    throw error;
  }
  throw new Error('The push was not refused.');
}
