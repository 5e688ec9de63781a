import assert from 'node:assert/strict';
import canonicalizePackage from 'canonicalize';
import * as fc from 'fast-check';
import { canonicalize, hashRecord, type HashedMembers } from '../../lib/audit/canonical-record.js';
import { exportChain } from '../../lib/audit/export.js';
import type { ExportedRecord } from '../../lib/audit/exported-line.js';
import { verifyChain, type ChainVerdict } from '../../lib/audit/verify-chain.js';
import { operatorId } from '../../lib/domain/principal.js';
import { codes } from '../../lib/domain/code.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { gather } from '../support/gather.js';
import { openTestService } from '../support/store/service.js';

// The package is CommonJS, but its types declare an ES module.
const independently = canonicalizePackage as unknown as (value: unknown) => string;

const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
const anyText = fc.string({ unit: 'grapheme' });
const members: fc.Arbitrary<HashedMembers> = fc.record({
  seq: fc.nat(),
  at: fc.constant('2026-01-05T09:00:00.000Z'),
  principal: fc.option(anyText),
  credential: fc.option(anyText),
  interface: fc.constantFrom('rest' as const, 'mcp' as const, 'console' as const, 'command' as const),
  action: anyText,
  outcome: fc.constantFrom('done' as const, 'refused' as const),
  code: fc.option(fc.constantFrom(...codes)),
  target: fc.option(hex),
  version: fc.option(hex),
  request_id: fc.option(anyText),
  detail: fc.option(hex),
  prev_hash: hex,
});

describe('The canonical form of an audit record', () => {
  it('equals the output of an independent implementation of RFC 8785, in any order of the members', () => {
    fc.assert(
      fc.property(members, fc.infiniteStream(fc.nat()), (record, order) => {
        const shuffled = Object.fromEntries(
          Object.entries(record)
            .map((entry) => [order.next().value ?? 0, entry] as const)
            .toSorted(([a], [b]) => a - b)
            .map(([, entry]) => entry),
        );
        assert.equal(canonicalize(record), independently(shuffled));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('escapes exactly the characters that RFC 8785 escapes', () => {
    const record = { ...fc.sample(members, { seed: 1, numRuns: 1 })[0], action: '"\\\b\f\n\r\t\u0001/\u007fé\u2028' };
    assert.ok(canonicalize(record as HashedMembers).includes('"\\"\\\\\\b\\f\\n\\r\\t\\u0001/\u007fé\u2028"'));
  });
});

describe('The audit chain', () => {
  let records: ExportedRecord[];

  before(async () => {
    const test = await openTestService();
    const someone = new Actor(test.workspace, operatorId);
    await someone.create('handbook/leave.md', 'text', 'key-1');
    await someone.create('handbook/leave.md', 'text', 'key-1');
    await someone.read('handbook/leave.md');
    await outcomeOf(someone.read('absent.md'));
    await outcomeOf(new Actor(test.workspace, await test.principal('Ada')).read('handbook/leave.md'));
    await someone.list('handbook');
    const source = { workspace: 'acme', tables: test.workspace.journal.reader, archives: null };
    records = (await gather(exportChain(source, true))).filter((line) => 'record' in line);
    await test.close();
  });

  it('is sound as it is written, and reports its extent', () => {
    const last = at(records.length).record;
    assert.deepEqual(verifyChain(records), { sound: true, records: records.length, head: last.hash, signed: null });
    assert.ok(verifyChain(records.map(({ record }) => ({ record }))).sound);
    assert.ok(verifyChain([]).sound);
  });

  it('numbers from one without gaps, and records refused requests as well as done ones', () => {
    assert.deepEqual(
      records.map(({ record }) => record.seq),
      records.map((_, index) => index + 1),
    );
    const told = records.map(({ record }) => `${record.action} ${record.code ?? record.outcome}`);
    assert.deepEqual(told.slice(-8), [
      'document.create done',
      'document.create done',
      'document.read done',
      'document.read NOT_FOUND',
      'principal.add done',
      'document.read NOT_FOUND',
      'folder.list done',
      'document.list done',
    ]);
  });

  it('holds no location, name or text in the clear', () => {
    const clear = JSON.stringify(records.map(({ record }) => record));
    for (const word of ['handbook', 'leave', 'absent', 'Ada', 'key-1']) assert.ok(!clear.includes(word), word);
    assert.ok(JSON.stringify(records).includes('handbook/leave.md'));
  });

  it('commits to the same text differently each time', () => {
    const targets = records
      .filter(({ text }) => text?.target === 'handbook/leave.md')
      .map(({ record }) => record.target);
    assert.ok(targets.length >= 3);
    assert.equal(new Set(targets).size, targets.length);
  });

  it('names the changed record, for each of its members', () => {
    const { record } = at(5);
    for (const [member, value] of Object.entries({
      at: '2020-01-01T00:00:00.000Z',
      principal: 'prn_somebody',
      action: 'document.delete',
      outcome: record.outcome === 'done' ? 'refused' : 'done',
      code: 'INTERNAL',
      target: '0'.repeat(64),
      version: '0'.repeat(40),
      request_id: 'req_other',
      interface: 'mcp',
    })) {
      const [seq, problem] = broken(verifyChain(replace(5, { record: { ...record, [member]: value } })));
      assert.equal(seq, 5);
      assert.match(problem, /record 5 was changed/);
    }
  });

  it('is not mended by a new hash: then the next record no longer links', () => {
    const { hash: _, ...changed } = { ...at(5).record, action: 'document.delete' };
    const forged = { record: { ...changed, hash: hashRecord(changed).toString('hex') } };
    const [seq, problem] = broken(verifyChain(replace(5, forged)));
    assert.equal(seq, 6);
    assert.match(problem, /record 6 does not link/);
  });

  it('names the missing, misplaced or doubled record', () => {
    assert.deepEqual(broken(verifyChain(records.toSpliced(4, 1)))[0], 5);
    assert.match(broken(verifyChain(records.toSpliced(4, 1)))[1], /record 5 is missing; record 6 follows/);
    assert.deepEqual(broken(verifyChain(records.slice(1)))[0], 1);
    const swapped = records.with(4, at(6)).with(5, at(5));
    assert.deepEqual(broken(verifyChain(swapped))[0], 5);
    const doubled = records.toSpliced(5, 0, at(5));
    assert.match(broken(verifyChain(doubled))[1], /record 5 stands out of order/);
  });

  it('shows a cut tail to the holder of a later head', () => {
    const { seq, hash } = at(records.length).record;
    const cut = records.slice(0, -2);
    assert.ok(verifyChain(cut).sound);
    const [missing, problem] = broken(verifyChain(cut, [{ seq, hash, witness: 'commit 1f0c' }]));
    assert.equal(missing, cut.length + 1);
    assert.match(problem, /commit 1f0c/);
    assert.ok(verifyChain(records, [{ seq, hash }]).sound);
  });

  it('shows a rewritten tail to the holder of a head in it', () => {
    const { seq, hash } = at(5).record;
    assert.deepEqual(
      broken(verifyChain(records, [{ seq, hash: hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) }]))[0],
      5,
    );
    assert.ok(verifyChain(records, [{ seq, hash }]).sound);
  });

  it('names the record with a changed text', () => {
    const seq = records.find(({ text }) => text?.target === 'handbook/leave.md')?.record.seq ?? 0;
    const { record, text } = at(seq);
    assert.ok(text !== undefined && text.target !== null);
    const changes = [{ target: 'handbook/other.md' }, { salt: '0'.repeat(32) }, { detail: '{"forged":true}' }];
    for (const change of changes) {
      const [at, problem] = broken(verifyChain(replace(seq, { record, text: { ...text, ...change } })));
      assert.equal(at, seq);
      assert.match(problem, /the text kept for its (?:target|detail)/);
    }
  });

  it('is sound still when texts are erased, wholly or in part', () => {
    const seq = records.find(({ text }) => text?.target === 'handbook/leave.md')?.record.seq ?? 0;
    const { record, text } = at(seq);
    assert.ok(text !== undefined);
    assert.ok(verifyChain(replace(seq, { record })).sound);
    assert.ok(verifyChain(replace(seq, { record, text: { ...text, target: null, detail: null } })).sound);
  });

  const broken = (verdict: ChainVerdict): readonly [number, string] => {
    assert.equal(verdict.sound, false);
    return verdict.sound ? [0, ''] : [verdict.seq, verdict.problem];
  };

  const at = (seq: number): ExportedRecord => records[seq - 1] ?? assert.fail();

  const replace = (seq: number, by: ExportedRecord): ExportedRecord[] => records.with(seq - 1, by);
});
