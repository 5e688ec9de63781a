/** Limits of the examined JSON. */
export interface ShapeLimits {
  /** Lists and objects in one another. */
  readonly deepest: number;
  /** Values, lists and objects themselves included. */
  readonly maxValues: number;
}

/** Bytes examined between two pauses. */
const between = 256 * 1024;
/**
 * Bytes of a text examined one by one before a search for the next quote: a search takes longer where quotes are
 * frequent.
 */
const near = 32;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const brace = 0x7b;

const opens = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const closes = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

/** What is wrong with the outline of JSON. */
export interface FaultOfShape {
  /** The end of a sentence about the input: "has more than …". */
  readonly problem: string;
  /** The member at fault, by its path: `subject.id`. */
  readonly member?: string;
}

/** An open list or object on the way to a place in JSON. */
interface Enclosure {
  /** The members so far; undefined in a list. */
  readonly members: Set<string> | undefined;
  /** The last member; the number of the item in a list. */
  at: string | number;
  /** Whether the next text names a member. */
  awaitsName: boolean;
}

/** Bytes of a name that is compared with others. No face knows a longer one. */
const maxName = 64 * 1024;
/** Characters of a path in a message. */
const maxPath = 100;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Examines the outline of JSON before it is parsed, because parsing cannot be interrupted. Text takes next to no time,
 * a million lists in lists a second. Pauses on the way. Malformed JSON may pass.
 *
 * A member that stands twice in an object is a fault too: parsers disagree on which one counts (RFC 8259 §4).
 */
export function* examineShape(
  bytes: Uint8Array,
  { deepest, maxValues }: ShapeLimits,
): Generator<void, FaultOfShape | undefined> {
  const open: Enclosure[] = [];
  let values = 1;
  let isText = false;
  let textStart = 0;
  let at = 0;
  for (let end = between; at < bytes.length; end += between) {
    const stop = Math.min(end, bytes.length);
    while (at < stop) {
      if (isText) {
        const next = skipText(bytes, at, stop);
        ({ isText, at } = next);
        const inner = open.at(-1);
        if (isText || inner?.awaitsName !== true) continue;
        if (isRepeated(inner, readName(bytes, { start: textStart, end: at - 1 }))) {
          const member = namePath(open);
          return { problem: `names the member ${member} more than once`, member };
        }
        continue;
      }
      const byte = bytes[at] ?? 0;
      at += 1;
      if (byte === quote) {
        isText = true;
        textStart = at;
      } else if (closes(byte)) open.pop();
      else if (byte === comma || opens(byte)) {
        values += 1;
        if (byte === comma) goOn(open.at(-1));
        else open.push(enclose(byte));
        if (open.length > deepest) return { problem: 'is nested too deeply' };
        if (values > maxValues) return { problem: `has more than ${maxValues} values` };
      }
    }
    yield;
  }
  return undefined;
}

/** @returns the problem alone, as `examineShape` finds it */
export function* findFaultOfShape(bytes: Uint8Array, limits: ShapeLimits): Generator<void, string | undefined> {
  return (yield* examineShape(bytes, limits))?.problem;
}

function enclose(byte: number): Enclosure {
  return byte === brace
    ? { members: new Set(), at: '', awaitsName: true }
    : { members: undefined, at: 0, awaitsName: false };
}

/** Goes on to the next item or member. */
function goOn(enclosure: Enclosure | undefined): void {
  if (enclosure === undefined) return;
  if (typeof enclosure.at === 'number') enclosure.at += 1;
  else enclosure.awaitsName = true;
}

/** Notes a member of an object. @returns whether the object has it already */
function isRepeated(enclosure: Enclosure, name: string | undefined): boolean {
  enclosure.awaitsName = false;
  enclosure.at = name ?? '';
  if (name === undefined || enclosure.members === undefined) return false;
  if (enclosure.members.has(name)) return true;
  enclosure.members.add(name);
  return false;
}

/** @returns undefined for a name that is too long, or no text */
function readName(bytes: Uint8Array, { start, end }: TextSpan): string | undefined {
  if (end - start > maxName) return undefined;
  const name = decoder.decode(bytes.subarray(start, end));
  if (!name.includes('\\')) return name;
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return undefined;
  }
}

function namePath(open: readonly Enclosure[]): string {
  return open
    .map(({ at }) => String(at).slice(0, maxPath))
    .join('.')
    .slice(0, maxPath);
}

/** Where the characters of a text lie in JSON, between its quotes: bytes from `start` to before `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the text values of a member of the outermost object. Pauses on the way. Malformed JSON may pass.
 * @returns one for each time that the member has a text as its value
 */
export function* findTextMember(bytes: Uint8Array, name: string): Generator<void, TextSpan[]> {
  const spans: TextSpan[] = [];
  let depth = 0;
  let key: TextSpan | undefined;
  for (let at = 0, pausedAt = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    at += 1;
    if (byte === quote) {
      const start = at;
      for (let isText = true; isText && at < bytes.length;) {
        ({ at, isText } = skipText(bytes, at, Math.min(at + between, bytes.length)));
        if (at - pausedAt > between) {
          pausedAt = at;
          yield;
        }
      }
      const span = { start, end: at - 1 };
      if (depth !== 1) continue;
      if (key === undefined) key = span;
      else if (isNamed(bytes, key, name)) spans.push(span);
    } else if (opens(byte)) depth += 1;
    else if (closes(byte)) depth -= 1;
    else if (byte === comma && depth === 1) key = undefined;
    if (at - pausedAt > between) {
      pausedAt = at;
      yield;
    }
  }
  return spans;
}

function isNamed(bytes: Uint8Array, { start, end }: TextSpan, name: string): boolean {
  // Six bytes can stand for one character.
  if (end - start > 6 * name.length) return false;
  try {
    return JSON.parse(`"${String.fromCharCode(...bytes.subarray(start, end))}"`) === name;
  } catch {
    return false;
  }
}

/** Goes on in a text, to its end or up to `stop`; one further where the byte there is escaped. */
function skipText(bytes: Uint8Array, start: number, stop: number): { readonly at: number; readonly isText: boolean } {
  let at = start;
  const closeBy = Math.min(start + near, stop);
  while (at < closeBy) {
    const byte = bytes[at];
    if (byte === quote) return { at: at + 1, isText: false };
    at += byte === backslash ? 2 : 1;
  }
  if (at >= stop) return { at, isText: true };
  const distance = bytes.subarray(at, stop).indexOf(quote);
  const next = distance < 0 ? stop : at + distance;
  // A byte behind an odd number of backslashes is escaped.
  let first = next;
  while (first > at && bytes[first - 1] === backslash) first -= 1;
  if ((next - first) % 2 === 1) return { at: next + 1, isText: true };
  return distance < 0 ? { at: stop, isText: true } : { at: next + 1, isText: false };
}
