import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Larger files are stored before their commit. Bytes. */
const large = 1_200_000;

/** A folder of somebody else that changes by chance, and what it holds. */
export class ChangingFolder {
  readonly path: string;
  /** SHA-256 by path. */
  readonly files = new Map<string, string>();
  readonly #random: () => number;
  #serial = 0;

  constructor(path: string, random: () => number) {
    this.path = path;
    this.#random = random;
  }

  async begin(): Promise<void> {
    await mkdir(join(this.path, 'sub'), { recursive: true });
    for (let number = 0; number < 12; number += 1) await this.#write(`sub/${number}.md`);
    await this.#write('large.bin', large);
  }

  /** Some files come, change, move or go, and a large one changes. */
  async change(): Promise<void> {
    for (let number = 0; number < 4; number += 1) {
      this.#serial += 1;
      await this.#write(`new-${this.#serial}.md`);
      await this.#write(this.#some());
    }
    const [gone, from, to] = [this.#some(), this.#some(), `sub/moved-${this.#serial}.md`];
    const digest = this.files.get(from) ?? '';
    await rename(join(this.path, from), join(this.path, to));
    this.files.delete(from);
    this.files.set(to, digest);
    if (gone !== from) {
      await rm(join(this.path, gone));
      this.files.delete(gone);
    }
    await this.#write('large.bin', large);
  }

  #some(): string {
    const small = [...this.files.keys()].filter((path) => path !== 'large.bin');
    return small[Math.floor(this.#random() * small.length)] ?? 'sub/0.md';
  }

  async #write(path: string, size = 20): Promise<void> {
    // The large file is binary: the analysis of a long text would start a thread at each change.
    const text = `${size === large ? '\u0000' : ''}${path} ${this.#random()} `.padEnd(size, 'x');
    await writeFile(join(this.path, path), text);
    this.files.set(path, createHash('sha256').update(text).digest('hex'));
  }

  /** As the mirror should be. */
  get mirrored(): Record<string, string> {
    return Object.fromEntries([...this.files].map(([path, digest]) => [`docs/${path}`, digest]));
  }
}
