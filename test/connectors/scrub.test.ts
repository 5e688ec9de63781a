import assert from 'node:assert/strict';
import { scrubberOf } from '../../lib/connectors/scrub.js';
import { scrubRows } from '../../lib/connectors/sync/scrub-rows.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';

describe('a secret in a text', () => {
  it('is taken out as it is, in parts, and in the forms in which programs write it', () => {
    const scrub = scrubberOf('ann:pass word/7"x');
    const forms = ['ann:pass word/7"x', 'pass word/7"x', 'pass%20word%2F7%22x', 'pass+word%2F7%22x', 'pass word/7\\"x'];
    for (const form of [...forms, Buffer.from('pass word/7"x').toString('hex')])
      assert.equal(scrub(`a ${form} b`), 'a *** b', form);
    const header = Buffer.from('ann:pass word/7"x').toString('base64');
    assert.ok(!scrub(header).includes(Buffer.from('pass word').toString('base64').slice(4)));
  });

  it('leaves every other text as it is, also one that begins like it', () => {
    for (const text of ['', 'pass', 'pass wor', 'something else'.repeat(50)])
      assert.equal(scrubberOf('pass word/7')(text), text);
    for (const secret of [null, '']) assert.equal(scrubberOf(secret)('any text'), 'any text');
  });

  it('is taken out when it is shorter than other parts may be', () => {
    assert.equal(scrubberOf('abc')('x abc y'), 'x *** y');
  });

  it('is searched for in a bounded number of parts, the longest of them', () => {
    const parts = Array.from({ length: 2000 }, (_, index) => `part${index}`.padEnd(index === 1000 ? 20 : 9, '-'));
    const secret = parts.join(':');
    const scrub = scrubberOf(secret);
    assert.equal(scrub(`x ${secret} y ${parts[1000]}`), 'x *** y ***');
    const found = parts.filter((part) => scrub(part) !== part);
    assert.ok(found.length <= 128, `${found.length} parts`);
  });

  it('is taken out of many rows step by step', () => {
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      path: `${index}`,
      sourceId: null,
      version: '1',
      reason: 'unreadable' as const,
      detail: index === 999 ? 'has the-secret in it' : null,
    }));
    const scrub = scrubberOf('the-secret');
    assert.equal(runAtOnce(scrubRows(rows, scrub)).at(-1)?.detail, 'has *** in it');
    assert.ok([...scrubRows(rows, scrub)].length >= 10);
  });
});
