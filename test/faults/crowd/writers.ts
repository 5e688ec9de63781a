import { setTimeout as delay } from 'node:timers/promises';
import { pick, type Content } from './contents.js';
import type { KnownDocument } from './ledger.js';
import { inPath, Person, requireDone, type Ask, type Equipment, type Place } from './person.js';

const noteWritten = { message: 'changed' };
/** The most milliseconds between two steps of a writer: a long history makes every erase slow. */
const mostPause = 200;

/** The request that makes a document. */
function creation(path: string, { bytes, isLarge }: Content): Ask {
  if (!isLarge) {
    const content = bytes.toString();
    return { method: 'POST', path: '/v1/documents', body: JSON.stringify({ location: path, content }) };
  }
  const headers = { 'if-none-match': '*', 'content-type': 'application/octet-stream' };
  return { method: 'PUT', path: `/v1/files/${inPath(path)}`, headers, body: bytes };
}

/** The request that gives a document another content. */
function update(path: string, etag: string, { bytes, isLarge }: Content): Ask {
  const headers = { 'if-match': `"${etag}"` };
  if (!isLarge) {
    const body = JSON.stringify({ content: bytes.toString(), ...noteWritten });
    return { method: 'PUT', path: `/v1/documents/${inPath(path)}`, headers, body };
  }
  const large = { ...headers, 'content-type': 'application/octet-stream' };
  return { method: 'PUT', path: `/v1/files/${inPath(path)}`, headers: large, body: bytes };
}

/** Somebody who makes documents and changes them, all in a folder of their own. */
abstract class DocumentPerson extends Person {
  protected readonly home: string;

  constructor(name: string, home: string, equipment: Equipment) {
    super(name, equipment);
    this.home = home;
  }

  protected create(
    place: Place,
    path: string,
    content: Content,
    then?: (made: KnownDocument) => void,
  ): Promise<boolean> {
    return this.write(place, creation(path, content), (answer) => {
      requireDone(this.name, `create ${path}`, answer);
      const id = String(answer.body['id']);
      const made = this.ledger.wrote(this.name, id, path, { etag: answer.etag, sha256: content.sha256 });
      then?.(made);
    });
  }

  protected change(place: Place, { id, path, versions }: KnownDocument, content: Content): Promise<boolean> {
    const etag = versions.at(-1)?.etag ?? '';
    return this.write(place, update(path, etag, content), (answer) => {
      requireDone(this.name, `update ${path}`, answer);
      this.ledger.wrote(this.name, id, path, { etag: answer.etag, sha256: content.sha256 });
    });
  }

  protected offer({ id, path, versions }: KnownDocument): void {
    this.ledger.offer(this.name, { id, path, sha256: versions.map(({ sha256 }) => sha256) });
  }
}

/** Most documents that one writer keeps. */
const mostKept = 12;

/** Writes small documents or large ones, restores old versions, deletes and undeletes, and gives some up. */
export class Writer extends DocumentPerson {
  readonly #size: 'small' | 'large';
  readonly #mine: KnownDocument[] = [];

  constructor(name: string, home: string, size: 'small' | 'large', equipment: Equipment) {
    super(name, home, equipment);
    this.#size = size;
  }

  protected async step(place: Place): Promise<boolean> {
    const { random } = this;
    await delay(random() * mostPause);
    const content = this.ledger.contents[this.#size](random);
    const dice = random();
    const isEnough = this.#mine.length >= mostKept;
    if (this.#mine.length === 0 || (dice < 0.35 && !isEnough)) {
      const path = `${this.home}/${this.serial}.${this.#size === 'large' ? 'bin' : 'md'}`;
      const isDone = await this.create(place, path, content, (made) => this.#mine.push(made));
      if (isDone) this.#count();
      return isDone;
    }
    const document = pick(this.#mine, random);
    if (dice < 0.55 || isEnough) {
      this.#mine.splice(this.#mine.indexOf(document), 1);
      this.offer(document);
      return true;
    }
    if (dice < 0.8) {
      const isDone = await this.change(place, document, content);
      if (isDone) this.#count();
      return isDone;
    }
    if (dice < 0.9) return this.#restore(place, document);
    return (await this.#delete(place, document)) && this.#undelete(place, document);
  }

  #count(): void {
    this.tally[this.#size === 'large' ? 'uploads' : 'writes'] += 1;
  }

  #restore(place: Place, { id, path, versions }: KnownDocument): Promise<boolean> {
    const { etag: version, sha256 } = pick(versions, this.random);
    const body = JSON.stringify({ location: path, version });
    return this.write(place, { method: 'POST', path: '/v1/restores', body }, (answer) => {
      requireDone(this.name, `restore ${path}`, answer);
      this.ledger.wrote(this.name, id, path, { etag: answer.etag, sha256 });
    });
  }

  #delete(place: Place, document: KnownDocument): Promise<boolean> {
    const { path } = document;
    const headers = { 'if-match': '*' };
    return this.write(place, { method: 'DELETE', path: `/v1/documents/${inPath(path)}`, headers }, (answer) => {
      requireDone(this.name, `delete ${path}`, answer);
      document.live = null;
      this.ledger.note(this.name, `${path} (${document.id}) is deleted`);
    });
  }

  #undelete(place: Place, { id, path, versions }: KnownDocument): Promise<boolean> {
    const sha256 = versions.at(-1)?.sha256 ?? '';
    const ask = { method: 'POST', path: '/v1/undeletes', body: JSON.stringify({ location: path }) } as const;
    return this.write(place, ask, (answer) => {
      requireDone(this.name, `undelete ${path}`, answer);
      this.ledger.wrote(this.name, id, path, { etag: answer.etag, sha256 });
    });
  }

  /** A kill between a delete and its undelete leaves a document deleted: then it is given up. */
  override async settle(place: Place): Promise<void> {
    await super.settle(place);
    for (const document of this.#mine.slice()) {
      if (document.live !== null) continue;
      this.#mine.splice(this.#mine.indexOf(document), 1);
      this.offer(document);
    }
  }
}

/** Makes folders, deletes them with what is in them, and brings them back in whole or in part. */
export class FolderKeeper extends DocumentPerson {
  /** What is left to do with the present folder. A kill leaves it for the next round. */
  #todo: ((place: Place) => Promise<boolean>)[] = [];

  protected async step(place: Place): Promise<boolean> {
    await delay(this.random() * mostPause);
    if (this.#todo.length === 0) this.#todo = this.#plan();
    return (await this.#todo.shift()?.(place)) ?? true;
  }

  #plan(): ((place: Place) => Promise<boolean>)[] {
    const { random } = this;
    const folder = `${this.home}/folder-${this.serial}`;
    const first: KnownDocument[] = [];
    const later: KnownDocument[] = [];
    const make = (name: string, into: KnownDocument[]) => (place: Place) =>
      this.create(place, `${folder}/${name}.md`, this.ledger.contents.small(random), (made) => void into.push(made));
    const asked = (verb: 'folder-deletions' | 'folder-undeletes') => (place: Place) =>
      this.write(
        place,
        { method: 'POST', path: `/v1/${verb}`, body: JSON.stringify({ location: folder }) },
        (answer) => {
          // Everything that went with it can be back, or be occupied by another.
          if (answer.status === 404 || answer.status === 409) return;
          requireDone(this.name, `${verb} ${folder}`, answer);
          this.ledger.note(this.name, `${verb} ${folder}: ${answer.text}`);
          const isOccupied = (path: string): boolean => later.some(({ live }) => live === path);
          for (const each of first) {
            if (verb === 'folder-deletions') each.live = null;
            else if (!isOccupied(each.path)) each.live = each.path;
          }
          this.tally.folders += 1;
        },
      );
    const single = (place: Place): Promise<boolean> => {
      const { id, path, versions } = pick(first, random);
      const body = JSON.stringify({ location: path });
      return this.write(place, { method: 'POST', path: '/v1/undeletes', body }, (answer) => {
        requireDone(this.name, `undelete ${path}`, answer);
        this.ledger.wrote(this.name, id, path, { etag: answer.etag, sha256: versions.at(-1)?.sha256 ?? '' });
      });
    };
    const giveUp = (): Promise<boolean> => {
      for (const each of [...first, ...later]) if (random() < 0.5) this.offer(each);
      return Promise.resolve(true);
    };
    const between = random() < 0.4 ? make('a', later) : random() < 0.5 ? single : giveUp;
    return [
      ...['a', 'b', 'c'].map((name) => make(name, first)),
      asked('folder-deletions'),
      between,
      ...(between === giveUp ? [] : [asked('folder-undeletes'), giveUp]),
    ];
  }
}
