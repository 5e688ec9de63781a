import { dropTrailing } from '../../domain/drop-trailing.js';
import { deviceName, forbiddenOnWindows, twinKeyOf } from '../../domain/portable-name.js';

/** A name for Windows, macOS and Linux. */
function makePortable(segment: string): string {
  const whole = segment.replaceAll(forbiddenOnWindows, '_');
  const safe = dropTrailing(whole, '. ').padEnd(whole.length, '_');
  return deviceName.test(safe) ? `_${safe}` : safe;
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
  /** The names taken in this folder of the archive. */
  readonly taken: Set<string>;
}

/**
 * Names an archive's entries so every system can unpack them. Characters that some system refuses are replaced. Of two
 * names that differ only in case, the later gets a number. Documents come folder by folder, so only the names on the
 * present path are remembered.
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
    for (let number = 2; taken.has(twinKeyOf(name)); number += 1) name = numbered(portable, number);
    taken.add(twinKeyOf(name));
    return name;
  }
}
