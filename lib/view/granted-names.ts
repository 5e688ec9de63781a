import { isWithin, type Location } from '../domain/location.js';
import { twinKeyOf } from '../domain/portable-name.js';
import type { FoundDocument } from './locate.js';

/** A name in a folder by which a caller gets to what it has grants on. */
export interface GrantedName {
  readonly name: string;
  /** Live documents with a grant of the caller's own: the one of this name, and those in the folder of this name. */
  readonly documents: readonly FoundDocument[];
  /** Folders with a grant at or below the name. Some are not there yet. */
  readonly folders: readonly Location[];
}

type Growing = {
  readonly [Field in keyof GrantedName]: GrantedName[Field] extends readonly (infer Item)[]
    ? Item[]
    : GrantedName[Field];
};

/** The names directly in one folder that lead to a caller's own grants. Sought from the grants, so nothing else counts. */
export class GrantedNames {
  readonly #names = new Map<string, Growing>();
  readonly #byTwinKey = new Map<string, Growing[]>();

  constructor(folder: Location, documents: readonly FoundDocument[], folders: readonly Location[]) {
    for (const document of documents) this.#at(folder, document.location)?.documents.push(document);
    for (const location of folders) this.#at(folder, location)?.folders.push(location);
  }

  named(name: string): GrantedName | undefined {
    return this.#names.get(name);
  }

  /** Those that Windows and macOS take for this name, without the name itself. */
  twinsOf(name: string): GrantedName[] {
    return (this.#byTwinKey.get(twinKeyOf(name)) ?? []).filter((other) => other.name !== name);
  }

  #at(folder: Location, location: Location): Growing | undefined {
    if (location === folder || !isWithin(folder, location)) return undefined;
    const start = folder === '' ? 0 : folder.length + 1;
    const end = location.indexOf('/', start);
    const name = location.slice(start, end < 0 ? undefined : end);
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const made: Growing = { name, documents: [], folders: [] };
    this.#names.set(name, made);
    const key = twinKeyOf(name);
    const alike = this.#byTwinKey.get(key);
    if (alike === undefined) this.#byTwinKey.set(key, [made]);
    else alike.push(made);
    return made;
  }
}
