import type { Model } from './reference-model.js';

/** What a repository has to hold that a person fetches. */
export interface Held {
  /** The workspace's own repository, for an approver of the root. */
  readonly isOwn: boolean;
  /** Whether it had to be made again from nothing, so that its history is another one. */
  readonly isAnew: boolean;
  /** Text by path, of the newest commit. */
  readonly files: ReadonlyMap<string, string>;
  /** Texts that it holds for certain. */
  readonly least: ReadonlySet<string>;
  /** Texts that it may hold beside them: versions that came between the last fetch and a deletion. */
  readonly most: ReadonlySet<string>;
  /** Paths that its history may name. */
  readonly paths: ReadonlySet<string>;
}

/** What one person's repository showed of a document. */
interface Shown {
  readonly texts: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

/**
 * What each person may hold by git, in the plainest way: computed from the model at every fetch, with a memory of what
 * the fetches before showed.
 */
export class HeldByGit {
  readonly #model: Model;
  /** Of each person, by the document's number. */
  readonly #shown = new Map<string, ReadonlyMap<number, Shown>>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** Whether the person reaches anything at all. Without it, the workspace is not found. */
  reaches(person: string): boolean {
    const model = this.#model;
    if (model.disabled.has(person)) return false;
    const selves = model.selves(person);
    return model.grants.some(({ subject }) => selves.includes(subject));
  }

  /** The person fetches now. */
  fetch(person: string): Held {
    const model = this.#model;
    if (model.roleIn(person, '') === 3) return this.#own();
    const before = this.#shown.get(person) ?? new Map<number, Shown>();
    const isAnew = [...before].some(([number, each]) => this.#isLost(person, number, each));
    const shown = new Map(isAnew ? [] : before);
    const files = new Map<string, string>();
    for (const doc of model.docs) {
      if (doc.at === null || model.role(person, doc.at, doc) < 1) continue;
      files.set(doc.at, doc.text);
      const paths = new Set([...(shown.get(doc.number)?.paths ?? []), doc.at]);
      shown.set(doc.number, { texts: new Set(doc.texts), paths });
    }
    this.#shown.set(person, shown);
    const all = [...shown.values()];
    const least = new Set(all.flatMap(({ texts }) => [...texts]));
    const most = new Set([...shown.keys()].flatMap((number) => [...(model.docs[number]?.texts ?? [])]));
    return { isOwn: false, isAnew, files, least, most, paths: new Set(all.flatMap(({ paths }) => [...paths])) };
  }

  /** Whether the person may not know any more what became of a document that was shown, or where it was. */
  #isLost(person: string, number: number, { paths }: Shown): boolean {
    const doc = this.#model.docs[number];
    const place = doc?.at ?? doc?.deletedFrom;
    if (doc === undefined || place === undefined || place === null) return true;
    return [place, ...paths].some((each) => this.#model.role(person, each, doc) < 1);
  }

  #own(): Held {
    const { docs, kept } = this.#model;
    const files = new Map(docs.flatMap(({ at, text }) => (at === null ? [] : [[at, text] as const])));
    for (const folder of kept) files.set(`${folder}/.keep`, '');
    const texts = new Set(docs.flatMap((doc) => doc.texts));
    return { isOwn: true, isAnew: false, files, least: texts, most: new Set([...texts, '']), paths: new Set() };
  }
}
