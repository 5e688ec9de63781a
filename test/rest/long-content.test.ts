import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Refusal } from '../../lib/domain/refusal.js';
import { canonicalize } from '../../lib/api/requests/canonicalize.js';
import { splitBody, type SplitBody } from '../../lib/api/requests/long-content.js';

const maxRest = 64 * 1024;
const mebibyte = 1024 * 1024;

/** Characters of one to four bytes, and such as JSON escapes. */
const units = ['a', 'é', '€', '😀', '\\', '"', '\n', '\u0001', '\ufeff', '\u2028'];
const text = fc
  .tuple(fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 9000 }))
  .map(([some, times]) => some.join('').repeat(times));

describe('The content of a long JSON body', () => {
  it('equals the result of parsing the whole body, and so does its fingerprint', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('few' as const, 'all' as const), fc.boolean(), (value, escapes, isLast) => {
        const content = `"content" : ${writeJson(value, escapes)}`;
        const others = '"location":"a/\\u0062.md" , "labels":["x"], "message":"content"';
        const json = isLast ? `{${others},${content}}` : `{ ${content} ,${others} }`;
        const body = split(json);
        assert.equal(bytesOf(body).toString(), value);
        assert.deepEqual(body?.value, { ...JSON.parse(json), content: '' });
        const whole = createHash('sha256').update(canonicalize(JSON.parse(json)) ?? '');
        assert.deepEqual(body?.content.digest, whole.digest());
      }),
      { numRuns: 60 },
    );
  });

  it('is found by its name in any spelling, and only in the outermost object', () => {
    const long = 'x'.repeat(100_000);
    assert.equal(bytesOf(split(`{"c\\u006fntent":"${long}"}`)).length, long.length);
    assert.equal(split(`{"other":{"content":"${long}"}}`), undefined);
    assert.equal(split(`["content","${long}"]`), undefined);
    assert.equal(split(`{"a":"content","b":"${long}"}`), undefined);
    assert.equal(bytesOf(split(`{"a":"\\"content\\":","content":"${long}"}`)).length, long.length);
  });

  it('is base64 where the body says so, also across the ends of pieces', () => {
    const bytes = Buffer.from(Array.from({ length: 200_001 }, (_, n) => (n * 31) % 256));
    const json = JSON.stringify({ content: bytes.toString('base64'), encoding: 'base64' });
    assert.ok(bytesOf(split(json)).equals(bytes));
    const escaped = json.replaceAll('/', '\\/');
    assert.ok(bytesOf(split(escaped)).equals(bytes), 'slashes may be escaped');
    const bad = (content: string): string => refusalOf(JSON.stringify({ content, encoding: 'base64' }));
    const base64 = 'QUJD'.repeat(50_000);
    for (const content of [`${base64}A`, `${base64}A===`, `QQ==${base64}`, `${base64}!AAA`, `${base64}QQ==QQ==`]) {
      assert.equal(bad(content), 'INVALID_REQUEST bad_field', content.slice(-20));
    }
  });

  it('is refused where it is no text, or is too long', () => {
    const long = 'x'.repeat(100_000);
    assert.equal(refusalOf(`{"content":"${long}\\ud800"}`), 'INVALID_REQUEST bad_field');
    assert.equal(refusalOf(`{"content":"${long}\\udc00\\ud800${long}"}`), 'INVALID_REQUEST bad_field');
    assert.equal(refusalOf(`{"content":"${long}\\ud83d\\ude00"}`), 'none');
    assert.equal(refusalOf(`{"content":"${long}"}`, 99_999), 'INVALID_REQUEST content_too_large');
    assert.equal(refusalOf(`{"content":"${long}\\x"}`), 'SyntaxError');
    assert.equal(refusalOf(`{"content":"${long}\n"}`), 'SyntaxError');
    assert.equal(refusalOf(`{"content":"${long}"`), 'SyntaxError');
    assert.equal(
      refusalOf(Buffer.concat([Buffer.from(`{"content":"${long}`), Buffer.from([0xc3, 0x22, 0x7d])])),
      'TypeError',
    );
  });

  it('leaves a body alone that has too much beside it', () => {
    assert.equal(split(`{"content":"x","location":"${'y'.repeat(maxRest)}"}`), undefined);
  });

  it('is read in steps, however it is written', () => {
    for (const unit of ['a', '\\u0061', '\\\\', '\\ud83d\\ude00', 'é']) {
      const { rests } = finish(splitBody(Buffer.from(`{"content":"${unit.repeat(400_000)}"}`), maxRest, 8 * mebibyte));
      assert.ok(rests >= (400_000 * Buffer.byteLength(unit)) / (64 * 1024), `${unit}: ${rests}`);
    }
  });
});

const split = (json: string | Buffer, largest = 10 * mebibyte): SplitBody | undefined =>
  finish(splitBody(Buffer.from(json as string), maxRest, largest)).result;

const bytesOf = (body: SplitBody | undefined): Buffer => Buffer.concat(body?.content.pieces ?? []);

function finish<Result>(work: Generator<void, Result>): { readonly rests: number; readonly result: Result } {
  for (let rests = 0; ; rests += 1) {
    const step = work.next();
    if (step.done === true) return { rests, result: step.value };
  }
}

function refusalOf(json: string | Buffer, largest?: number): string {
  try {
    split(json, largest);
    return 'none';
  } catch (error) {
    return error instanceof Refusal ? `${error.code} ${error.details?.reason}` : (error as Error).name;
  }
}

/** The text as JSON, some of it in escapes, as clients may write it. */
function writeJson(value: string, escapes: 'few' | 'all' | 'mixed'): string {
  if (escapes === 'few') return JSON.stringify(value);
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `"${value
    .split('')
    .map((unit, index) => (escapes === 'all' || index % 3 === 0 ? escape(unit) : JSON.stringify(unit).slice(1, -1)))
    .join('')}"`;
}
