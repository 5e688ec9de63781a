import assert from 'node:assert/strict';
import fc from 'fast-check';
import { examineShape, findFaultOfShape } from '../../lib/http/json-shape.js';

const boundless = { deepest: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };

const fragment = fc.constantFrom(
  '"',
  '\\',
  '\\\\',
  '[',
  ']',
  '{',
  '}',
  ',',
  'é',
  '\n',
  'a plain stretch of some words, ',
);
const text = fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join(''));
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('The outline of JSON', () => {
  it('is the one that parsing finds, with any content of texts', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1), (value, indent) => {
        const sent = JSON.stringify(value, null, indent);
        const { depth, marks } = measure(value);
        const maxValues = 1 + marks;
        assert.equal(faultOf(sent, { deepest: depth, maxValues }), undefined);
        if (marks > 0) assert.equal(faultOf(sent, { maxValues: marks }), `has more than ${marks} values`);
        if (depth > 0) assert.equal(faultOf(sent, { deepest: depth - 1 }), 'is nested too deeply');
      }),
    );
  });

  it('is found as well where a long text is read in pieces', () => {
    const stretch = 256 * 1024;
    for (const end of ['', '\\', '\\\\', '"', '\\"', '"\\']) {
      for (let over = -4; over <= 4; over += 1) {
        const sent = JSON.stringify([`${'x'.repeat(stretch + over - 2)}${end},[,[`, 'y']);
        assert.equal(faultOf(sent, { deepest: 1, maxValues: 3 }), undefined, `${end} ${over}`);
        assert.equal(faultOf(sent, { maxValues: 2 }), 'has more than 2 values', `${end} ${over}`);
      }
    }
    const escaped = JSON.stringify(['\\"'.repeat(stretch), 'y']);
    assert.equal(faultOf(escaped, { deepest: 1, maxValues: 3 }), undefined);
  });

  it('shows a member that stands twice in one object, at any depth and in any spelling', () => {
    const cases: [string, string | undefined][] = [
      ['{"a":1,"a":2}', 'a'],
      ['{"a":1,"\\u0061":2}', 'a'],
      ['{"b":[0,{"c":{"d":[],"é":1,"é":2}}]}', 'b.1.c.é'],
      ['{"a":{"x":1},"b":{"x":1}}', undefined],
      ['{"a":"a","b":["a","a"],"c":"b"}', undefined],
      ['[{"a":1},{"a":1}]', undefined],
      ['{"a":{},"a":{}}', 'a'],
      ['{"":1,"":2}', ''],
      ['{"__proto__":1,"__proto__":2}', '__proto__'],
      ['{"a":"\\",\\"a","b":1}', undefined],
    ];
    for (const [sent, member] of cases) assert.equal(repeatedIn(sent), member, sent);
    const far = `{"content":"${'x'.repeat(600_000)}","z":{"content":"${'y'.repeat(600_000)}","content":1}}`;
    assert.equal(repeatedIn(far), 'z.content');
  });

  it('has no repeated member in JSON that a program wrote', () => {
    fc.assert(fc.property(json, (value) => assert.equal(repeatedIn(JSON.stringify(value)), undefined)));
  });
});

function faultOf(text: string, limits: Partial<typeof boundless>): string | undefined {
  const work = findFaultOfShape(Buffer.from(text), { ...boundless, ...limits });
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** How deep a value is nested, and how many commas and brackets open in it. */
function measure(value: unknown): { readonly depth: number; readonly marks: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, marks: 0 };
  const inner = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    marks: 1 + Math.max(0, inner.length - 1) + inner.reduce((sum, { marks }) => sum + marks, 0),
  };
}

function repeatedIn(text: string): string | undefined {
  const work = examineShape(Buffer.from(text), boundless);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value?.member;
}
