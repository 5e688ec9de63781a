import { RegExpParser, type AST } from '@eslint-community/regexpp';

/**
 * Repeats of a regular expression that can share one text in more than one way. A backtracking engine tries them all
 * where the rest does not match. The decision uses the automaton of the expression's positions (Glushkov), whose paths
 * are the engine's. The criteria are those of Weber and Seidl ("On the degree of ambiguity of finite automata", 1991).
 * A repeat counts as unbounded from `manyTimes` on. A lookaround is judged separately; a back reference counts as
 * nothing.
 */

/** Counted repeats of as many rounds count as endless: their counts multiply. */
export const manyTimes = 16;

/** Code points by which classes are compared: those of all old scripts, and some of each later block. */
const samples: readonly string[] = (() => {
  const points: number[] = [];
  for (let point = 0; point < 0x600; point += 1) points.push(point);
  for (let point = 0x600; point < 0x3_0000; point += 61) if (point < 0xd800 || point > 0xdfff) points.push(point);
  for (const point of [0x200b, 0x200d, 0x2028, 0x302a, 0x4e00, 0xd800, 0xdc00, 0xfe0f, 0xfeff, 0x1f600, 0xe0041])
    points.push(point);
  return points.map((point) => String.fromCodePoint(point));
})();

type Consuming = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

/** A place in the expression for one character. */
interface Position {
  readonly raw: string;
  /** The samples that it takes. */
  readonly takes: Uint8Array;
}

interface Reached {
  readonly position: number;
  /** Whether something is still asked after it: an end, a boundary, a look ahead. */
  isGuarded: boolean;
}

interface Part {
  readonly isNullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly Reached[];
  /** Whether it asks for something without taking it. */
  readonly asks: boolean;
}

const nothing: Part = { isNullable: true, first: [], last: [], asks: false };

class Automaton {
  readonly positions: Position[] = [];
  /** For each position its followers, with the number of ways. */
  readonly follow: Map<number, number>[] = [];
  /** After these nothing is asked any more. */
  readonly free = new Set<number>();
  /** Lookarounds, to be judged by themselves. */
  readonly inner: AST.LookaroundAssertion[] = [];
  readonly #flags: string;
  readonly #known = new Map<string, Uint8Array>();

  constructor(alternatives: readonly AST.Alternative[], flags: string) {
    this.#flags = flags.replace(/[gyd]/g, '');
    const { last } = this.#readAlternatives(alternatives);
    for (const { position, isGuarded } of last) if (!isGuarded) this.free.add(position);
  }

  overlap(a: number, b: number): boolean {
    const [left, right] = [this.positions[a]?.takes, this.positions[b]?.takes];
    return left?.some((takes, index) => takes === 1 && right?.[index] === 1) === true;
  }

  #readAlternatives(alternatives: readonly AST.Alternative[]): Part {
    const parts = alternatives.map(({ elements }) =>
      elements.map((each) => this.#read(each)).reduce(this.#join, nothing),
    );
    return {
      isNullable: parts.some(({ isNullable }) => isNullable),
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      asks: parts.some(({ asks }) => asks),
    };
  }

  readonly #join = (a: Part, b: Part): Part => {
    for (const { position } of a.last) for (const next of b.first) this.#link(position, next);
    const kept = b.isNullable ? a.last.map((each) => ({ ...each, isGuarded: each.isGuarded || b.asks })) : [];
    return {
      isNullable: a.isNullable && b.isNullable,
      first: a.isNullable ? [...a.first, ...b.first] : a.first,
      last: [...kept, ...b.last],
      asks: a.isNullable && b.isNullable && (a.asks || b.asks),
    };
  };

  #link(from: number, to: number): void {
    const follow = this.follow[from];
    follow?.set(to, (follow.get(to) ?? 0) + 1);
  }

  #read(element: AST.Element): Part {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.#readAlternatives(element.alternatives);
      case 'Quantifier':
        return this.#readQuantifier(element);
      case 'Assertion':
        if (element.kind === 'lookahead' || element.kind === 'lookbehind') this.inner.push(element);
        return { ...nothing, asks: element.kind !== 'start' };
      case 'Backreference':
        return { ...nothing, asks: true };
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#readConsuming(element);
    }
  }

  #readConsuming(element: Consuming): Part {
    const position = this.positions.length;
    this.positions.push({ raw: element.raw, takes: this.#sample(element.raw) });
    this.follow.push(new Map());
    return { isNullable: false, first: [position], last: [{ position, isGuarded: false }], asks: false };
  }

  #readQuantifier({ element, min, max }: AST.Quantifier): Part {
    if (max === 0) return nothing;
    const isEndless = max >= manyTimes && max > min;
    const once = this.#read(element);
    if (isEndless) {
      for (const { position } of once.last) for (const next of once.first) this.#link(position, next);
      return { ...once, isNullable: once.isNullable || min === 0 };
    }
    // Few rounds: two show how one round can share a text with the next.
    const again = max === 1 ? nothing : this.#read(element);
    const whole = this.#join(once, { ...again, isNullable: again.isNullable || min < 2 });
    return { ...whole, isNullable: whole.isNullable || min === 0 };
  }

  #sample(raw: string): Uint8Array {
    let takes = this.#known.get(raw);
    if (takes === undefined) {
      const pattern = new RegExp(`^(?:${raw})$`, this.#flags);
      takes = Uint8Array.from(samples, (sample) => (pattern.test(sample) ? 1 : 0));
      this.#known.set(raw, takes);
    }
    return takes;
  }
}

/** Strongly connected parts of a graph (Tarjan's algorithm, without recursion): to each node the number of its part. */
function findParts(count: number, edgesOf: (node: number) => readonly number[]): Int32Array {
  const part = new Int32Array(count).fill(-1);
  const order = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const open: number[] = [];
  const isOpen = new Uint8Array(count);
  let visited = 0;
  let parts = 0;
  for (let root = 0; root < count; root += 1) {
    if ((order[root] ?? 0) >= 0) continue;
    const work: { node: number; edges: readonly number[]; next: number }[] = [];
    const enter = (node: number): void => {
      order[node] = low[node] = visited;
      visited += 1;
      open.push(node);
      isOpen[node] = 1;
      work.push({ node, edges: edgesOf(node), next: 0 });
    };
    enter(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const target = top.edges[top.next];
      if (target !== undefined) {
        top.next += 1;
        if ((order[target] ?? 0) < 0) enter(target);
        else if (isOpen[target] === 1) low[top.node] = Math.min(low[top.node] ?? 0, order[target] ?? 0);
        continue;
      }
      work.pop();
      const below = work.at(-1);
      if (below !== undefined) low[below.node] = Math.min(low[below.node] ?? 0, low[top.node] ?? 0);
      if (low[top.node] !== order[top.node]) continue;
      for (let node = -1; node !== top.node;) {
        node = open.pop() ?? top.node;
        isOpen[node] = 0;
        part[node] = parts;
      }
      parts += 1;
    }
  }
  return part;
}

/** The ambiguities of one automaton, a sentence each. */
function judge(automaton: Automaton): string[] {
  const { positions, follow, free } = automaton;
  const count = positions.length;
  const overlaps = positions.map((_, a) => positions.map((__, b) => automaton.overlap(a, b)));
  const raw = (position: number): string => positions[position]?.raw ?? '';
  const nextOf = (position: number): number[] => [...(follow[position]?.keys() ?? [])];
  const part = findParts(count, nextOf);
  const isLooped = (position: number): boolean => nextOf(position).some((next) => part[next] === part[position]);
  const found = new Set<string>();

  const pairs = findParts(count * count, (pair) => {
    const [a, b] = [Math.floor(pair / count), pair % count];
    return nextOf(a).flatMap((left) =>
      nextOf(b).flatMap((right) => (overlaps[left]?.[right] === true ? [left * count + right] : [])),
    );
  });
  const diagonal = new Map<number, number>();
  for (let each = 0; each < count; each += 1) diagonal.set(pairs[each * count + each] ?? -1, each);
  for (let pair = 0; pair < count * count; pair += 1) {
    const [a, b] = [Math.floor(pair / count), pair % count];
    const within = diagonal.get(pairs[pair] ?? -1);
    if (a !== b && within !== undefined)
      found.add(`a repeat can take one text in several ways, by ${raw(a)} or ${raw(b)}`);
  }
  for (let each = 0; each < count; each += 1) {
    for (const [next, ways] of follow[each] ?? []) {
      const isOnLoop = pairs[each * count + each] === pairs[next * count + next];
      if (ways > 1 && isOnLoop) found.add(`repeats of ${raw(next)} stand within each other`);
    }
  }

  for (let p = 0; p < count; p += 1) {
    for (let q = 0; q < count; q += 1) {
      if (p === q || !isLooped(p) || !isLooped(q) || free.has(q)) continue;
      if (canTrade(p, q)) found.add(`two repeats can trade what they take, ${raw(p)} and ${raw(q)}`);
    }
  }
  return [...found];

  /** Whether one text leads from p to p, from p to q and from q to q. */
  function canTrade(p: number, q: number): boolean {
    const goal = `${p} ${q} ${q}`;
    const seen = new Set([`${p} ${p} ${q}`]);
    const work: [number, number, number][] = [[p, p, q]];
    for (let top = work.pop(); top !== undefined; top = work.pop()) {
      for (const a of nextOf(top[0])) {
        if (part[a] !== part[p]) continue;
        for (const c of nextOf(top[2])) {
          if (part[c] !== part[q] || overlaps[a]?.[c] !== true) continue;
          for (const b of nextOf(top[1])) {
            if (overlaps[a]?.[b] !== true || overlaps[b]?.[c] !== true) continue;
            const key = `${a} ${b} ${c}`;
            if (key === goal) return true;
            if (seen.has(key)) continue;
            seen.add(key);
            work.push([a, b, c]);
          }
        }
      }
    }
    return false;
  }
}

/** The ambiguities of the expression, a sentence each; none where every text is taken in one way. */
export function findAmbiguity(source: string, flags: string): string[] {
  const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, mode);
  const found: string[] = [];
  const work: (readonly AST.Alternative[])[] = [pattern.alternatives];
  for (let alternatives = work.pop(); alternatives !== undefined; alternatives = work.pop()) {
    const automaton = new Automaton(alternatives, flags);
    found.push(...judge(automaton));
    for (const { alternatives: inner } of automaton.inner) work.push(inner);
  }
  return found;
}
