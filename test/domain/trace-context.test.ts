import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseTraceparent } from '../../lib/http/trace-context.js';
import { anyCharacter } from '../support/texts/any-text.js';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it('gives the trace and the span of the caller, of this version and of later ones', () => {
    for (const value of [
      `00-${trace}-${span}-01`,
      `00-${trace}-${span}-00`,
      `cc-${trace}-${span}-01-what comes later`,
    ]) {
      assert.deepEqual(parseTraceparent(value), { traceId: trace, spanId: span }, value);
    }
  });

  for (const [what, value] of [
    ['no text', 5],
    ['two of them', [`00-${trace}-${span}-01`, `00-${trace}-${span}-01`]],
    ['capital letters', `00-${trace.toUpperCase()}-${span}-01`],
    ['a version that is none', `ff-${trace}-${span}-01`],
    ['zeros in place of a trace', `00-${'0'.repeat(32)}-${span}-01`],
    ['zeros in place of a span', `00-${trace}-${'0'.repeat(16)}-01`],
    ['more than version 00 has', `00-${trace}-${span}-01-more`],
    ['blanks around it', ` 00-${trace}-${span}-01`],
    ['a line of its own in the log', `00-${trace}-${span}-01\n{"level":"error"}`],
    ['a length beyond all versions', `cc-${trace}-${span}-01-${'a'.repeat(300)}`],
  ] as const) {
    it(`is left out with ${what}`, () => assert.equal(parseTraceparent(value), undefined));
  }

  it('is never anything but two texts of hex digits, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{31,33}-[0-9a-f]{16}-[0-9a-f]{2}/),
        ),
        (value) => {
          const read = parseTraceparent(value);
          if (read !== undefined) assert.match(`${read.traceId}-${read.spanId}`, /^[\da-f]{32}-[\da-f]{16}$/);
        },
      ),
    );
  });
});
