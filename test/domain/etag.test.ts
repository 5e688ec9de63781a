import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { formatEtag, isVersionId, preconditionHolds } from '../../lib/domain/etag.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { parsePrecondition } from '../../lib/api/requests/parse-precondition.js';

const id = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3';
const other = '0'.repeat(40);

describe('An entity-tag', () => {
  it('is the version id in quotes, forty lower-case hexadecimal digits', () => {
    assert.equal(formatEtag(id), `"${id}"`);
    assert.ok(isVersionId(id));
    for (const text of [id.toUpperCase(), id.slice(1), `${id}0`, `"${id}"`, '']) assert.ok(!isVersionId(text), text);
  });
});

describe('If-Match', () => {
  it('If-Match accepts a star for any version', () => {
    for (const header of ['*', ' * ']) assert.deepEqual(read(header), { any: true });
    assert.ok(preconditionHolds({ any: true }, id));
  });

  it('takes our own tag with or without quotes', () => {
    for (const header of [`"${id}"`, id, ` "${id}" `]) {
      assert.deepEqual(read(header), { any: false, versionIds: [id] });
    }
  });

  it('takes our own tag as proxies change it: marked weak, or with the coding they applied', () => {
    for (const header of [`W/"${id}"`, `"${id}-gzip"`, `"${id}-br"`, `W/"${id}-deflate"`]) {
      assert.deepEqual(read(header), { any: false, versionIds: [id] });
    }
    assert.deepEqual(read(`"${id}-zstd"`), { any: false, versionIds: [] });
  });

  it('takes a list, and holds when one of it is current', () => {
    const precondition = read(`"${other}", "${id}"`);
    assert.deepEqual(precondition, { any: false, versionIds: [other, id] });
    assert.ok(preconditionHolds(precondition, id));
    assert.ok(!preconditionHolds(precondition, '1'.repeat(40)));
  });

  it('passes over empty elements of a list, as RFC 9110 §5.6.1 asks', () => {
    for (const header of [`"${id}",`, `,"${id}"`, `, , "${id}" ,\t,`, `${id},,`]) {
      assert.deepEqual(read(header), { any: false, versionIds: [id] }, header);
    }
  });

  it('takes a comma within quotes for a part of the tag', () => {
    assert.deepEqual(read(`"a,${id},b", "${other}"`), { any: false, versionIds: [other] });
    assert.deepEqual(read(`W/",", "${id}"`), { any: false, versionIds: [id] });
  });

  it('accepts a well-formed foreign tag, which matches nothing', () => {
    for (const header of [
      '"xyz"',
      'W/"1"',
      '""',
      'abc',
      `"${id.toUpperCase()}"`,
      `"${id.slice(1)}"`,
      '"*"',
      `*, "x"`,
    ]) {
      const precondition = read(header);
      assert.deepEqual(precondition, { any: false, versionIds: [] }, header);
      assert.ok(!preconditionHolds(precondition, id));
    }
  });

  it('refuses anything but an entity-tag as INVALID_REQUEST with the name of the header', () => {
    for (const header of ['', ' ', ',', ' , ', '"', '"a b"', 'a b', '"a"b', '\u0000', '"a" "b"']) {
      assert.throws(
        () => read(header),
        (error) =>
          error instanceof Refusal && error.details?.reason === 'bad_field' && error.details['field'] === 'If-Match',
        JSON.stringify(header),
      );
    }
  });

  it('never takes another text for a version id, however its parts are put together', () => {
    const parts = ['"', 'W/', '-gzip', ',', ' ', '*', 'a', '\\', id, other, id.slice(1), id.toUpperCase()];
    const header = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((chosen) => chosen.join(''));
    fc.assert(
      fc.property(header, (text) => {
        try {
          const precondition = read(text);
          if (precondition.any) assert.equal(text.trim(), '*');
          else {
            for (const versionId of precondition.versionIds) {
              assert.ok(isVersionId(versionId));
              assert.match(text, new RegExp(`(?<![0-9a-zA-Z])${versionId}(?![0-9a-zA-Z])`));
            }
          }
        } catch (error) {
          assert.ok(error instanceof Refusal && error.code === 'INVALID_REQUEST');
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

const read = (header: string) => parsePrecondition(header, 'If-Match');
