import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc, { type Arbitrary } from 'fast-check';
import { findChecker } from '../../lib/api/requests/check-syntax.js';
import {
  findOperation,
  listParameters,
  readDescription,
  type Description,
} from '../../lib/api/requests/description.js';
import { readConsoleDescription } from '../../lib/console/console-description.js';
import { parseParameters } from '../../lib/api/requests/parse-target.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { countOf, seedOf } from '../support/counts.js';

describe('A request whose answer is not checked', function () {
  this.timeout(120_000);

  for (const [name, description] of [
    ['REST', readDescription('openapi.yaml')],
    ['the console’s own API', readConsoleDescription()],
  ] as const) {
    it(`by ${name} is judged like one whose answer is`, async () => {
      let accepted = 0;
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(requestsOf(description), async (sent) => {
          const alone = await judge(description, sent, false);
          assert.deepEqual(alone, await judge(description, sent, true));
          if (alone.refusal === undefined) accepted += 1;
          else refused += 1;
        }),
        { numRuns: countOf('BOTH_CHECKERS', { usual: 400, campaign: 20_000 }), seed: seedOf(5) },
      );
      assert.ok(accepted > 40 && refused > 40, `${accepted} accepted, ${refused} refused`);
    });
  }
});

type Schema = Readonly<Record<string, unknown>>;

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** The outcome of a check: the query and the body with their defaults, or the refusal. */
async function judge(description: Description, sent: Sent, withAnswer: boolean) {
  const request = new IncomingMessage(new Socket());
  const query = new URLSearchParams(sent.query as Record<string, string>).toString();
  const path = sent.path.replace('{location}', 'a/b.md').replace(/\{[a-z_]+\}/g, 'some_id');
  Object.assign(request, { method: sent.method, url: query === '' ? path : `${path}?${query}` });
  Object.assign(request.headers, sent.headers);
  const value = structuredClone(sent.body);
  const checked: { query?: unknown; refusal?: unknown } = {};
  try {
    checked.query = await findChecker(description, withAnswer).check({
      request,
      response: new ServerResponse(request),
      path: sent.path,
      target: { path, query },
      parameters: parseParameters(query, () => []),
      body: value === undefined ? { form: 'none' } : { form: 'json', value },
      onBadAnswer: (error) => assert.fail(String(error)),
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    checked.refusal = { code: error.code, message: error.message, details: error.details };
  }
  return { ...checked, value };
}

/** Requests of every route with parameters, headers and bodies that are right, nearly right or wrong. */
function requestsOf(description: Description): Arbitrary<Sent> {
  const routes = Object.entries(description.document.paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete'].flatMap((method) => {
      const operation = findOperation(item, method);
      if (operation === undefined) return [];
      const parameters = listParameters(description, path, method);
      const valuesOf = (place: string): Arbitrary<Record<string, string | undefined>> =>
        fc.record(
          Object.fromEntries(
            parameters.filter((each) => each.in === place).map((each) => [nameOf(each), textOf(description, each)]),
          ),
          { requiredKeys: [] },
        );
      const unknown = fc.constantFrom({}, {}, {}, { unknown_one: '1' });
      return fc.record({
        path: fc.constant(path),
        method: fc.constant(method.toUpperCase()),
        query: fc.tuple(valuesOf('query'), unknown).map(([known, more]) => ({ ...known, ...more })),
        headers: valuesOf('header'),
        body: bodyOf(description, 'requestBody' in operation ? (operation.requestBody as Schema) : {}),
      });
    }),
  );
  return fc.oneof(...routes);
}

const nameOf = ({ name, in: place }: { readonly name: string; readonly in: string }): string =>
  place === 'header' ? name.toLowerCase() : name;

const strangeTexts = ['', '0', '1', '-1', '1.5', '200', '999999', 'true', 'x', 'a b', 'a,b', 'é', '"1"', '*', 'null'];

function textOf(description: Description, parameter: object): Arbitrary<string> {
  const { schema = {}, example } = parameter as { readonly schema?: Schema; readonly example?: unknown };
  const own = [schema, resolve(description, schema)].flatMap(({ enum: values = [], example: one, default: usual }) => [
    ...(values as readonly unknown[]),
    one,
    usual,
  ]);
  const known = [example, ...own].filter((each) => each !== undefined).map(String);
  return fc.oneof(
    fc.constantFrom(...strangeTexts),
    fc.constantFrom(...(known.length > 0 ? known : strangeTexts)),
    fc.string({ maxLength: 12 }),
  );
}

function bodyOf(description: Description, requestBody: Schema): Arbitrary<unknown> {
  const resolved = resolve(description, requestBody) as {
    readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
  const schema = resolved.content?.['application/json']?.schema;
  if (schema === undefined) return fc.constant(undefined);
  return fc.oneof(
    { weight: 8, arbitrary: valueOf(description, schema, 4) },
    { weight: 1, arbitrary: junk },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const junk = fc.constantFrom<unknown>(null, '', 'x', 0, 5, -1.5, true, [], {}, { a: 1 }, ['x'], 'x'.repeat(5000));

/** Values of a schema, with something wrong now and then. */
function valueOf(description: Description, written: Schema, depth: number): Arbitrary<unknown> {
  const schema = resolve(description, written);
  const right = rightValueOf(description, schema, depth);
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: junk });
}

function rightValueOf(description: Description, schema: Schema, depth: number): Arbitrary<unknown> {
  const { enum: values, const: only, properties, items, allOf, example } = schema;
  const choices = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
  if (depth === 0) return junk;
  if (choices !== undefined) return fc.oneof(...choices.map((each) => valueOf(description, each, depth - 1)));
  if (Array.isArray(allOf)) return fc.oneof(...allOf.map((each) => valueOf(description, each as Schema, depth - 1)));
  if (properties !== undefined) {
    const members = Object.entries(properties as Readonly<Record<string, Schema>>);
    const known = fc.record(
      Object.fromEntries(members.map(([name, each]) => [name, valueOf(description, each, depth - 1)])),
      {
        requiredKeys: ((schema['required'] ?? []) as string[]).filter((name) => members.some(([own]) => own === name)),
      },
    );
    const more = fc.constantFrom({}, {}, {}, {}, { unknown_one: 1 });
    return fc.tuple(known, more).map(([own, other]) => ({ ...own, ...other }));
  }
  if (items !== undefined) return fc.array(valueOf(description, items as Schema, depth - 1), { maxLength: 3 });
  const type = [schema['type']].flat()[0];
  if (type === 'integer' || type === 'number') return fc.constantFrom(0, 1, 5, 60, 1000, -1, 1e9);
  if (type === 'boolean') return fc.boolean();
  return example === undefined
    ? fc.constantFrom('x', 'reader', 'a/b.md', '2026-01-01T00:00:00Z')
    : fc.constant(example);
}

/** What a reference names. */
function resolve({ document }: Description, schema: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  const [kind = '', name = ''] = reference.slice('#/components/'.length).split('/');
  return (document.components[kind] as Readonly<Record<string, Schema>>)[name] ?? {};
}
