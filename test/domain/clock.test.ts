import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { formatTime, parseTime } from '../../lib/domain/clock.js';

const pad = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
const offset = fc.oneof(
  fc.constantFrom('', 'Z', 'z'),
  fc
    .tuple(fc.constantFrom('+', '-'), pad(25), fc.constantFrom('', ':', ':0'), fc.option(pad(61), { nil: '' }))
    .map((parts) => parts.join('')),
);
const written = fc
  .tuple(
    fc.tuple(fc.constantFrom('0000', '0099', '1969', '2024', '2026'), pad(13), pad(32)).map((parts) => parts.join('-')),
    fc.constantFrom('T', 't', ' ', '\t', '_'),
    fc.tuple(pad(24), pad(60), pad(61)).map((parts) => parts.join(':')),
    fc.constantFrom('', '.', '.5', '.123456789012'),
    offset,
  )
  .map((parts) => parts.join(''));

describe('A time', () => {
  it('is read in every form of RFC 3339, and without seconds', () => {
    assert.deepEqual(
      [
        '2026-11-21T14:00:00Z',
        '2026-11-21t14:00z',
        '2026-11-21 14:00:00.9999Z',
        '2026-11-21T14:00:00+05',
        '2026-11-21T14:00:00-0530',
        '2026-12-31T23:59:60Z',
        '2027-01-01T05:29:60.5+05:30',
        '0000-01-01T00:00Z',
      ].map(shown),
      [
        '2026-11-21T14:00:00.000Z',
        '2026-11-21T14:00:00.000Z',
        '2026-11-21T14:00:00.999Z',
        '2026-11-21T09:00:00.000Z',
        '2026-11-21T19:30:00.000Z',
        '2027-01-01T00:00:00.000Z',
        '2027-01-01T00:00:00.500Z',
        '0000-01-01T00:00:00.000Z',
      ],
    );
  });

  it('is invalid where its day, hour or offset is, or the offset is missing', () => {
    for (const text of [
      '2026-02-30T00:00Z',
      '2026-13-01T00:00Z',
      '2026-01-01T24:00Z',
      '2026-01-01T12:00:60Z',
      '2026-01-01T12:00:61Z',
      '2026-01-01T12:00+24:00',
      '2026-01-01T12:00:00',
      '2026-01-01',
      'yesterday',
      '',
    ]) {
      assert.equal(parseTime(text), undefined, text);
    }
  });

  it('is valid wherever JSON Schema accepts it, and nowhere else', () => {
    const ajv = new Ajv2020();
    (formats as unknown as (compiler: Ajv2020) => void)(ajv);
    const isTime = ajv.compile({ type: 'string', format: 'date-time' });
    let times = 0;
    fc.assert(
      fc.property(written, (text) => {
        if (isTime(text)) times += 1;
        assert.equal(parseTime(text) !== undefined, isTime(text), text);
      }),
      { numRuns: 2000, seed: 1 },
    );
    assert.ok(times > 50, `${times} of what was tried are times`);
  });
});

const shown = (text: string): string | undefined => {
  const time = parseTime(text);
  return time === undefined ? undefined : formatTime(time);
};
