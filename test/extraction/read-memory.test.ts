import assert from 'node:assert/strict';
import { readMemory } from '../../lib/extraction/read-memory.js';
import { skipBecause } from '../support/skip.js';

describe('The memory of a process', () => {
  it('is read while it lives, with the most that it has had', function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const found = readMemory(process.pid);
    assert.ok(found !== undefined && found.peak >= found.now && found.now > 1024 * 1024, JSON.stringify(found));
  });

  it('is unknown of one that has ended', () => {
    assert.equal(readMemory(2 ** 30), undefined);
  });
});
