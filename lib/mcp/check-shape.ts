/** Nesting of a message, and values in it, beyond which it is none of the protocol: the largest tool takes some hundreds. */
const deepest = 64;
const mostValues = 20_000;
/** Bytes that are looked at between two rests. */
const between = 256 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

const opens = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const closes = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

/**
 * Looks at a message's outline before it is parsed, which nothing can interrupt: text takes next to no time, a million
 * lists in lists a second. Rests on the way. What is no JSON may pass.
 * @returns what is wrong, in words; undefined when nothing is
 */
export function* findFaultOfShape(bytes: Uint8Array): Generator<void, string | undefined> {
  let depth = 0;
  let values = 1;
  let isText = false;
  let rest = between;
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= rest) {
      rest = at + between;
      yield;
    }
    const byte = bytes[at] ?? 0;
    if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === comma) values += 1;
    else if (closes(byte)) depth -= 1;
    else if (opens(byte)) {
      depth += 1;
      values += 1;
    }
    if (depth > deepest) return 'The message is nested too deeply.';
    if (values > mostValues) return `The message has more than ${mostValues} values.`;
  }
  return undefined;
}
