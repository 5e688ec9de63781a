import { dropTrailing } from '../../domain/drop-trailing.js';

/** What Windows allows in no name; control characters and backslashes are in none of ours anyway. */
const forbiddenOnWindows = /[<>:"|?*]/g;
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** A name that Windows, macOS and Linux can all unpack. */
function makePortable(segment: string): string {
  const whole = segment.replace(forbiddenOnWindows, '_');
  const safe = dropTrailing(whole, '. ').padEnd(whole.length, '_');
  return deviceName.test(safe) ? `_${safe}` : safe;
}

/** What two names look like to a file system that tells neither case nor normal forms apart. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? `${name} (${number})` : `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
}

interface Level {
  /** The segment in the workspace. */
  readonly source: string;
  /** The segment in the archive. */
  readonly name: string;
  /** Names that are taken in this folder of the archive. */
  readonly taken: Set<string>;
}

/**
 * Names an archive's entries so that they can be unpacked everywhere: what some system cannot bear is replaced, and of
 * two names that differ only in case the later one gets a number. Documents come folder by folder, so only the names
 * on the present path are remembered.
 */
export class ZipEntryNamer {
  readonly #root = new Set<string>();
  readonly #levels: Level[] = [];

  /** @param segments a document's path below the exported folder, in the order of a walk */
  nameOf(segments: readonly string[]): string {
    const folders = segments.slice(0, -1);
    let depth = 0;
    while (depth < folders.length && this.#levels[depth]?.source === folders[depth]) depth += 1;
    this.#levels.length = depth;
    for (const source of folders.slice(depth)) {
      this.#levels.push({ source, name: this.#take(source), taken: new Set() });
    }
    const name = this.#take(segments.at(-1) ?? '');
    return [...this.#levels.map((level) => level.name), name].join('/');
  }

  #take(segment: string): string {
    const taken = this.#levels.at(-1)?.taken ?? this.#root;
    const portable = makePortable(segment);
    let name = portable;
    for (let number = 2; taken.has(fold(name)); number += 1) name = numbered(portable, number);
    taken.add(fold(name));
    return name;
  }
}
