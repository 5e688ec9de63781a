/* Texts on which careless parsers take long. Each can have any length. */

/** Repeats a piece until there is no room for another. */
export function fill(piece: string, length: number): string {
  return piece.repeat(Math.max(0, Math.floor(length / piece.length)));
}

/** As `fill`, with a different piece each time. */
export function fillWith(make: (index: number) => string, length: number): string {
  const pieces: string[] = [];
  let used = 0;
  for (let index = 0; ; index += 1) {
    const piece = make(index);
    used += piece.length;
    if (used > length) return pieces.join('');
    pieces.push(piece);
  }
}

/** A text of about so many characters. */
export type Shape = (length: number) => string;

/** Queries, and forms. @param names with a meaning for the receiver */
export function queryShapes(names: readonly string[] = []): Readonly<Record<string, Shape>> {
  return {
    'many equal pairs': (length) => fill('a&', length),
    'many equal pairs with values': (length) => fill('a=1&', length),
    'many different names': (length) => fillWith((index) => `${index.toString(36)}=&`, length),
    'many empty pairs': (length) => fill('&', length),
    'many equals signs': (length) => fill('=', length),
    'one huge value': (length) => `a=${fill('x', length - 2)}`,
    'one huge name': (length) => fill('x', length),
    'percent-encodings': (length) => `a=${fill('%41', length - 2)}`,
    'percent-encodings of four bytes': (length) => `a=${fill('%F0%9F%98%80', length - 2)}`,
    'broken percent-encodings': (length) => `a=${fill('%', length - 2)}`,
    'half percent-encodings': (length) => `a=${fill('%C3%', length - 2)}`,
    'plus signs': (length) => `a=${fill('+', length - 2)}`,
    semicolons: (length) => `a=${fill(';', length - 2)}`,
    'deep brackets': (length) => `a${fill('[a]', length - 2)}=1`,
    'open brackets': (length) => `a${fill('[', length - 2)}=1`,
    'lists by brackets': (length) => fill('a[]=1&', length),
    'places by brackets': (length) => fillWith((index) => `a[${index}]=1&`, length),
    'question marks': (length) => fill('?', length),
    slashes: (length) => `a=${fill('/', length - 2)}`,
    'dots and slashes': (length) => `a=/${fill('../', length - 3)}`,
    'names of every object': (length) => fill('__proto__=1&constructor=1&', length),
    ...Object.fromEntries(
      names.flatMap((name): [string, Shape][] => [
        [`many times ${name}`, (length) => fill(`${name}=x&`, length)],
        [`${name} with many words`, (length) => `${name}=${fill('a+', length - name.length - 1)}`],
        [`${name} as an address`, (length) => `${name}=http://127.0.0.1/${fill('a', length - name.length - 18)}`],
        [`${name} with a long host`, (length) => `${name}=http://${fill('a.', length - name.length - 8)}`],
      ]),
    ),
  };
}

/** `Cookie` headers. @param names of cookies that the service reads */
export function cookieShapes(names: readonly string[] = []): Readonly<Record<string, Shape>> {
  return {
    'many cookies': (length) => fillWith((index) => `${index.toString(36)}=; `, length),
    'many equal cookies': (length) => fill('a=1; ', length),
    'many semicolons': (length) => fill(';', length),
    'many blanks and semicolons': (length) => fill('; ', length),
    'many blanks': (length) => `a=${fill(' ', length - 3)}b`,
    'a semicolon and many blanks': (length) => `;${fill(' ', length - 2)}b`,
    'one huge cookie': (length) => `a=${fill('x', length - 2)}`,
    'many equals signs': (length) => fill('=', length),
    quotes: (length) => `a="${fill('\\"', length - 3)}`,
    ...Object.fromEntries(
      names.flatMap((name): [string, Shape][] => [
        [`many times ${name}`, (length) => fill(`${name}=x; `, length)],
        [`one huge ${name}`, (length) => `${name}=${fill('x', length - name.length - 1)}`],
        [`${name} of many dots`, (length) => `${name}=${fill('x.', length - name.length - 1)}`],
      ]),
    ),
  };
}

/** Values of any header. */
export const headerShapes: Readonly<Record<string, Shape>> = {
  'many commas': (length) => fill(',', length),
  'many words': (length) => fill('a,', length),
  'many media types': (length) => fillWith((index) => `a/${index.toString(36)},`, length),
  'many weights': (length) => fill('a/b;q=0.1,', length),
  'many semicolons': (length) => fill('a;', length),
  'many parameters': (length) => `text/html${fillWith((index) => `;${index.toString(36)}=x`, length - 9)}`,
  'an open quote': (length) => `a/b; c="${fill('\\\\', length - 9)}`,
  'many blanks': (length) => `a${fill(' ', length - 2)}b`,
  'many tabs and commas': (length) => `a${fill('\t,', length - 2)}`,
  'a scheme and many blanks': (length) => `Basic${fill(' ', length - 6)}a`,
  'a scheme and many letters': (length) => `Basic ${fill('QUFB', length - 6)}`,
  'a bearer of many letters': (length) => `Bearer ${fill('a', length - 7)}`,
  'a long host': (length) => `http://${fill('a.', length - 8)}`,
  'an address of many colons': (length) => fill(':', length),
  'many dots': (length) => fill('a.', length),
  'letters beyond ASCII': (length) => fill('\u00fc', length),
  digits: (length) => fill('9', length),
};

/** JSON. @param names of fields with a meaning for the receiver */
export function jsonShapes(names: readonly string[] = []): Readonly<Record<string, Shape>> {
  return {
    'lists in lists': (length) => fill('[', length),
    'lists in lists that end': (length) => fill('[', length / 2) + fill(']', length / 2),
    'objects in objects': (length) => fill('{"a":', length),
    'many fields': (length) => `{${fillWith((index) => `"${index.toString(36)}":1,`, length - 8)}"z":1}`,
    'many equal fields': (length) => `{${fill('"a":1,', length - 8)}"a":1}`,
    'many values': (length) => `[${fill('0,', length - 3)}0]`,
    'one huge text': (length) => `{"a":"${fill('x', length - 8)}"}`,
    'escaped characters': (length) => `{"a":"${fill('\\u0041', length - 8)}"}`,
    backslashes: (length) => `{"a":"${fill('\\\\', length - 8)}`,
    'a huge number': (length) => `[${fill('9', length - 2)}]`,
    blanks: (length) => `${fill(' ', length - 2)}{}`,
    ...Object.fromEntries(
      names.flatMap((name): [string, Shape][] => [
        [`a huge ${name}`, (length) => `{"${name}":"${fill('x', length - name.length - 8)}"}`],
        [`many of ${name}`, (length) => `{"${name}":[${fill('"a",', length - name.length - 12)}"a"]}`],
        [
          `many addresses of ${name}`,
          (length) =>
            `{"${name}":[${fillWith((index) => `"http://127.0.0.1/${index}",`, length - name.length - 12)}"a"]}`,
        ],
        [`lists in lists of ${name}`, (length) => `{"${name}":${fill('[', length - name.length - 5)}`],
        [`an empty object in ${name}`, (length) => `{"${name}":[${fill('{},', length - name.length - 12)}{}]}`],
      ]),
    ),
  };
}
