import assert from 'node:assert/strict';
import { formatObjectName, parseObjectName, serviceShard, type ObjectName } from '../../lib/stored/object-names.js';

const life = '0123456789abcdef0123456789abcdef';
const oid = 'a'.repeat(40);

describe('the names of objects in a bucket', () => {
  it('are written and read alike', () => {
    const names: readonly (readonly [string, ObjectName])[] = [
      ['format.json', { kind: 'format' }],
      ['current.json', { kind: 'current' }],
      [`lives/${life}.json`, { kind: 'life', life }],
      [`acme/${life}/keys/12`, { kind: 'key', shard: 'acme', life, generation: 12 }],
      [`_service/${life}/1/sets/0-0.set`, { kind: 'set', shard: serviceShard, life, epoch: 1, first: 0, last: 0 }],
      [`acme/${life}/3/sets/7-19.set`, { kind: 'set', shard: 'acme', life, epoch: 3, first: 7, last: 19 }],
      [
        `acme/${life}/3/points/19-1700000000000.json`,
        { kind: 'point', shard: 'acme', life, epoch: 3, last: 19, at: 1_700_000_000_000 },
      ],
      [`acme/${life}/packs/pack-${oid}.pack`, { kind: 'file', shard: 'acme', life, file: `packs/pack-${oid}.pack` }],
      [`acme/${life}/blobs/${oid}`, { kind: 'file', shard: 'acme', life, file: `blobs/${oid}` }],
      [
        `acme/${life}/audit/1-50-${oid}.jsonl.gz`,
        { kind: 'file', shard: 'acme', life, file: `audit/1-50-${oid}.jsonl.gz` },
      ],
    ];
    for (const [text, object] of names) {
      assert.equal(formatObjectName(object), text);
      assert.deepEqual(parseObjectName(text), object);
    }
  });

  it('are no others', () => {
    const foreign = [
      '',
      'x',
      'Format.json',
      'acme',
      'acme/',
      'acme/keys/1',
      `lives/${life.slice(1)}.json`,
      `acme/${life}/keys/`,
      `acme/${life}/keys/0`,
      `acme/${life}/keys/01`,
      `acme/${life}/keys/1/2`,
      `ACME/${life}/keys/1`,
      `_other/${life}/keys/1`,
      `acme/${life}`,
      `acme/${life.slice(1)}/1/sets/1-2.set`,
      `acme/${life.toUpperCase()}/1/sets/1-2.set`,
      `acme/${life}/0/sets/1-2.set`,
      `acme/${life}/1/sets/2-1.set`,
      `acme/${life}/1/sets/1-2-3.set`,
      `acme/${life}/1/sets/1-2`,
      `acme/${life}/1/sets/01-2.set`,
      `acme/${life}/1/sets/1-9999999999999999.set`,
      `acme/${life}/1/sets/1-2.set/`,
      `acme/${life}/1/points/1.json`,
      `acme/${life}/1/others/1-2.set`,
      `acme/${life}/packs/../x.pack`,
      `acme/${life}/packs/x`,
      `acme/${life}/blobs/${oid}0`,
      `acme/${life}/audit/.hidden`,
      `acme/${life}/search/${oid}`,
      `/acme/${life}/blobs/${oid}`,
      'probe/0123',
    ];
    for (const text of foreign) assert.equal(parseObjectName(text), undefined, text);
  });

  it('cannot be made of what could lie elsewhere', () => {
    const wrong: readonly ObjectName[] = [
      { kind: 'key', shard: '../acme', life, generation: 1 },
      { kind: 'key', shard: 'acme', life, generation: 1.5 },
      { kind: 'file', shard: 'acme', life, file: 'blobs/../x' },
      { kind: 'file', shard: 'acme', life, file: 'toString/x' },
      { kind: 'set', shard: 'acme', life, epoch: 1, first: 2, last: 1 },
      { kind: 'file', shard: 'acme', life: 'short', file: `packs/pack-${oid}.pack` },
    ];
    for (const object of wrong) assert.throws(() => formatObjectName(object), /can be named/);
  });
});
