import { createHash } from 'node:crypto';
import type { Remote } from './remote.js';

/** Numbers that look random, and are the same for a seed. */
export class Dice {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** 0 to `sides` - 1. */
  roll(sides: number): number {
    return this.bytes(6).readUIntBE(0, 6) % sides;
  }

  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.roll(Math.max(1, items.length))];
  }

  bytes(count: number): Buffer {
    const parts: Buffer[] = [];
    for (let made = 0; made < count; made += 64) {
      this.#count += 1;
      parts.push(createHash('sha512').update(`${this.#seed}:${this.#count}`).digest());
    }
    return Buffer.concat(parts).subarray(0, count);
  }
}

const folders = ['', 'plans/', 'plans/2026/', 'notes/', 'notes/deep/er/', 'Ünder wegs/'];
const names = ['one.md', 'two.md', 'three.txt', 'vier und fünf.md', 'image.bin', 'README'];

/** What the remote should hold. */
export type Truth = Map<string, Buffer>;

/** Changes the remote at random, and the truth with it. The changes are not published yet. */
export async function changeAtRandom(remote: Remote, truth: Truth, dice: Dice, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const path = `${dice.pick(folders) ?? ''}${dice.pick(names) ?? ''}`;
    const existing = dice.pick([...truth.keys()]);
    const choice = dice.roll(10);
    if (choice < 2 && existing !== undefined) {
      await remote.remove(existing);
      truth.delete(existing);
    } else if (choice < 4 && existing !== undefined && !truth.has(path)) {
      await remote.move(existing, path);
      truth.set(path, truth.get(existing) ?? Buffer.alloc(0));
      truth.delete(existing);
    } else {
      const content = makeContent(dice);
      await remote.put(path, content);
      truth.set(path, content);
    }
  }
}

function makeContent(dice: Dice): Buffer {
  const choice = dice.roll(8);
  if (choice === 0) return Buffer.alloc(0);
  if (choice === 1) return dice.bytes(1 + dice.roll(200_000));
  return Buffer.from(`# A note\n\n${dice.bytes(1 + dice.roll(200)).toString('hex')}\n`);
}
