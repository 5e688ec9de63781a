import fc from 'fast-check';
import { anyText } from '../texts/any-text.js';

/** As much of JSON Schema as the tools' descriptions use. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** Words with a meaning in the called workspace, by the name of their argument. They may change between two calls. */
export type Known = Readonly<Record<string, readonly string[]>>;

const hostileWords = [
  '',
  ' ',
  '/',
  '..',
  '../../etc/passwd',
  'a//b',
  'a\u0000b',
  '\ud800',
  'é'.normalize('NFD'),
  '[['.repeat(400),
  '__proto__',
  'constructor',
  '{"a":1}',
  '[]',
  'null',
  '*'.repeat(100),
  'x'.repeat(3000),
  '-1',
  '1e999',
];

/** A string that the argument's schema admits, or nearly does. */
function makeString(name: string, schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const longest = Math.min(schema.maxLength ?? 200, 200);
  const words = known[name];
  const free =
    schema.format === 'date-time'
      ? fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
      : schema.pattern?.includes('40') === true
        ? fc.constantFrom('0', 'f').map((digit) => digit.repeat(40))
        : anyText(longest).filter(({ length }) => length >= (schema.minLength ?? 0));
  if (words === undefined) return free;
  const good = fc.nat({ max: 1000 }).map((number) => words[number % words.length]);
  return fc.oneof({ weight: 8, arbitrary: good }, { weight: 1, arbitrary: free });
}

function makeValue(name: string, schema: Schema, known: Known): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'string') return makeString(name, schema, known);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000_000 });
  if (schema.type === 'array') {
    return fc.array(makeValue(name, schema.items ?? {}, known), { maxLength: Math.min(schema.maxItems ?? 4, 4) });
  }
  return makeObject(schema, known);
}

/** An object as its schema describes it, or nearly so. */
export function makeObject(
  { properties = {}, required = [] }: Schema,
  known: Known,
): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const value = makeValue(name, schema, known);
    if (required.includes(name)) return [name, value] as const;
    // Meaningful words are frequent; all other texts are rare.
    const weight = known[name] === undefined ? 10 : 1;
    const absent = fc.constant<unknown>(undefined);
    return [name, fc.oneof({ weight, arbitrary: absent }, { weight: 1, arbitrary: value })] as const;
  });
  return fc
    .record(Object.fromEntries(members))
    .map((args) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)));
}

/** Any JSON value, and words known to cause trouble. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(...hostileWords),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(-1, 0, 1e21, 2 ** 53, 0.5, -0),
);

/**
 * The arguments that a client may send to a tool: as described, with one argument spoilt, added or left out, or
 * unrelated.
 */
export function makeArguments(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const described = makeObject(schema, known);
  const names = [...Object.keys(schema.properties ?? {}), 'nonsense', '__proto__', 'toString'];
  const spoilt = fc.tuple(described, fc.constantFrom(...names), anything).map(([args, name, value]) =>
    // As JSON.parse would: `__proto__` is a member like others.
    Object.fromEntries([...Object.entries(args).filter(([other]) => other !== name), [name, value]]),
  );
  const without = fc
    .tuple(described, fc.constantFrom(...names))
    .map(([args, name]) => Object.fromEntries(Object.entries(args).filter(([other]) => other !== name)));
  return fc.oneof(
    { weight: 5, arbitrary: described },
    { weight: 4, arbitrary: spoilt },
    { weight: 1, arbitrary: without },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
}
