import { createCipheriv, createHash } from 'node:crypto';

/** Some bytes, and what failures call them. */
export interface Content {
  readonly name: string;
  readonly bytes: Buffer;
  readonly sha256: string;
  /** Whether it is larger than what lies in packs from the beginning. */
  readonly isLarge: boolean;
}

/** The word of each content that nobody else is given: one term for a search index, too. */
const ownWord = /zqown(\d{7})x/g;

/** Some recent contents of documents that are to be erased. */
const rememberedDoomed = 4;

export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function makeContent(name: string, bytes: Buffer): Content {
  return { name, bytes, sha256: digest(bytes), isLarge: bytes.length > 1024 * 1024 };
}

/** Bytes that no compression makes smaller, always the same for a name. */
function noise(name: string, length: number): Buffer {
  const key = createHash('sha256').update(name).digest();
  return createCipheriv('aes-128-ctr', key.subarray(0, 16), Buffer.alloc(16)).update(Buffer.alloc(length));
}

/**
 * What people write. Most of it comes from a small alphabet, or is what a document has that is to be erased just now: so
 * the same bytes lie in several documents, and arrive in several ways at once.
 */
export class Contents {
  readonly #small: readonly Content[];
  readonly #large: readonly Content[];
  readonly #known = new Map<string, Content>();
  readonly #doomed: Content[] = [];
  #serial = 0;

  constructor(seed: string) {
    const sizes = [1, 2, 30, 700, 3000, 20_000];
    this.#small = [
      ...sizes.map((size, at) => this.#keep(`small letter ${at}`, Buffer.from(`letter ${at}\n`.repeat(size)))),
      this.#keep('the letter of 400 kB', Buffer.from(noise(`${seed} middle`, 200_000).toString('hex'))),
    ];
    this.#large = [1_100_000, 1_800_000].map((size, at) =>
      this.#keep(`large letter ${at}`, noise(`${seed} ${at}`, size)),
    );
  }

  #keep(name: string, bytes: Buffer): Content {
    const content = makeContent(name, bytes);
    this.#known.set(content.sha256, content);
    return content;
  }

  /** What a digest stands for. */
  nameOf(sha256: string): string {
    return this.#known.get(sha256)?.name ?? `an unknown content (${sha256.slice(0, 12)})`;
  }

  /** Content that nobody else is given, with a word of its own. */
  own(random: () => number, isLarge = false): Content {
    this.#serial += 1;
    const name = `own content ${this.#serial}`;
    const word = `zqown${String(this.#serial).padStart(7, '0')}x\n`;
    const more = isLarge ? noise(name, 1_050_000) : Buffer.from('and more\n'.repeat(Math.floor(random() ** 3 * 5000)));
    return this.#keep(name, Buffer.concat([Buffer.from(word), more]));
  }

  small(random: () => number): Content {
    const dice = random();
    const doomed = this.#doomed.filter(({ isLarge }) => !isLarge);
    if (dice < 0.3 && doomed.length > 0) return pick(doomed, random);
    return dice < 0.75 ? pick(this.#small, random) : this.own(random);
  }

  large(random: () => number): Content {
    const dice = random();
    const doomed = this.#doomed.filter(({ isLarge }) => isLarge);
    if (dice < 0.3 && doomed.length > 0) return pick(doomed, random);
    return dice < 0.85 ? pick(this.#large, random) : this.own(random, true);
  }

  /** Notes that a document with this content is about to be erased: others write the very same now. */
  doom(sha256: string): void {
    const content = this.#known.get(sha256);
    if (content === undefined) return;
    this.#doomed.push(content);
    if (this.#doomed.length > rememberedDoomed) this.#doomed.shift();
  }

  /** The numbers of the own contents with these digests. */
  serialsOf(digests: Iterable<string>): Set<number> {
    const found = new Set<number>();
    for (const sha256 of digests) {
      const content = this.#known.get(sha256);
      if (content !== undefined) for (const serial of findSerials(content.bytes)) found.add(serial);
    }
    return found;
  }
}

/** The numbers of all own contents of which the bytes have the word. */
export function* findSerials(bytes: Buffer): Generator<number, void, undefined> {
  // One look for the word's beginning spares most files the text.
  for (let at = bytes.indexOf('zqown'); at >= 0; at = bytes.indexOf('zqown', at + 1)) {
    for (const [, digits] of bytes.toString('latin1', at, at + 13).matchAll(ownWord)) yield Number(digits);
  }
}

export function pick<Item>(items: readonly Item[], random: () => number): Item {
  const found = items[Math.floor(random() * items.length)];
  if (found === undefined) throw new Error('There is nothing to choose from.');
  return found;
}
