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
    this.#count += 1;
    return createHash('shake256', { outputLength: count }).update(`${this.#seed}:${this.#count}`).digest();
  }
}

const folders = ['', 'plans/', 'plans/2026/', 'notes/', 'notes/deep/er/', 'Ünder wegs/'];
const names = ['one.md', 'two.md', 'three.txt', 'vier und fünf.md', 'image.bin', 'README'];

/** What the remote should hold. */
export type Truth = Map<string, Buffer>;

/** A way to change a remote and the truth. Names are there and differ. */
type Shuffle = (remote: Remote, truth: Truth, names: readonly [string, string, string]) => Promise<void>;

async function move(remote: Remote, truth: Truth, from: string, to: string): Promise<void> {
  await remote.move(from, to);
  truth.set(to, truth.get(from) ?? Buffer.alloc(0));
  truth.delete(from);
}

async function moveOver(remote: Remote, truth: Truth, from: string, to: string): Promise<void> {
  await remote.remove(to);
  await move(remote, truth, from, to);
}

const between = 'between.md';

const shuffles: readonly Shuffle[] = [
  (remote, truth, [a, b]) => moveOver(remote, truth, a, b),
  async (remote, truth, [a, b]) => {
    await move(remote, truth, a, between);
    await move(remote, truth, b, a);
    await move(remote, truth, between, b);
  },
  async (remote, truth, [a, b, c]) => {
    await moveOver(remote, truth, b, c);
    await move(remote, truth, a, b);
  },
];

/** Changes the remote at random, and the truth with it. The changes are not published yet. */
export async function changeAtRandom(remote: Remote, truth: Truth, dice: Dice, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const path = `${dice.pick(folders) ?? ''}${dice.pick(names) ?? ''}`;
    const existing = dice.pick([...truth.keys()]);
    const choice = dice.roll(12);
    const [one, two, three] = [existing, dice.pick([...truth.keys()]), dice.pick([...truth.keys()])];
    if (choice >= 10) {
      const shuffle = dice.pick(shuffles);
      const differ = new Set([one, two, three]).size === 3;
      if (differ && one !== undefined && two !== undefined && three !== undefined) {
        await shuffle?.(remote, truth, [one, two, three]);
      }
    } else if (choice < 2 && existing !== undefined) {
      await remote.remove(existing);
      truth.delete(existing);
    } else if (choice < 4 && existing !== undefined && !truth.has(path)) {
      await move(remote, truth, existing, path);
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
