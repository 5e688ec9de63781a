import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Location } from '../../lib/domain/location.js';
import {
  InvalidEvent,
  type Event,
  type MediaTypes,
  type MovedDocument,
  type RestoredDocument,
} from '../../lib/history/event.js';
import * as codec from '../../lib/history/event-codec.js';
import { composeCommitMessage, parseCommitMessage, recoveredFromTrailer } from '../../lib/history/trailers.js';
import { countOf, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';

/** Random events for each run. */
const runs = countOf('EVENTS', { usual: 2000, campaign: 200_000 });
const seed = `events ${seedOf(20261122)}`;

describe('An event in the message of its commit', () => {
  it('is read as it was written, with any message of the writer', () => {
    requireRoundTrips(codec, runs);
  });

  it('is refused when a trailer is missing, doubled, or not of its form', () => {
    const trailers = codec.encodeEvent({
      type: 'update',
      documentId: 'doc_1',
      location: 'a.md' as Location,
      mediaType: 'text/plain',
    });
    for (const [index, [name]] of trailers.entries()) {
      const refused = (changed: typeof trailers): void =>
        assert.throws(() => codec.decodeEvent({ trailers: changed }), InvalidEvent, name);
      refused(trailers.toSpliced(index, 1));
      refused(trailers.toSpliced(index, 0, [name, 'other']));
      refused(trailers.toSpliced(index, 1, [name, '']));
    }
    const unknown = [['Operation', 'toString']] as const;
    assert.throws(() => codec.decodeEvent({ trailers: unknown }), /"toString" is not known/);
  });

  describe('with a fault put into the codec on purpose', () => {
    let folder = '';

    before(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-codec-mutants-'));
      fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    });
    after(() => {
      fs.rmSync(folder, { recursive: true });
    });

    const built = fs.readFileSync(new URL('../../lib/history/event-codec.js', import.meta.url), 'utf8');
    // The stamp is the same in all commits, and stands last.
    const events = built.slice(0, built.indexOf('encodeStamp'));
    const written = [...events.matchAll(/\[\s*(?:'(?<name>[A-Z][\w-]*)'|recoveredFromTrailer),\s*(?=\S)/g)];

    it('finds each trailer of each type of event in the encoder', () => {
      const random = new Events(seed);
      const encoded = Array.from({ length: 500 }, () => codec.encodeEvent(random.next()).map(([name]) => name)).flat();
      const found = new Set(written.map(({ groups }) => groups?.['name'] ?? recoveredFromTrailer));
      assert.deepEqual(new Set([...found, 'Operation']), new Set(encoded));
    });

    written.forEach(({ index, 0: text, groups }, number) => {
      const name = groups?.['name'] ?? recoveredFromTrailer;
      it(`is not read back when the encoder writes ${name} under another name (${number})`, async () => {
        const renamed = text.replace(/'.*'|recoveredFromTrailer/, "'Not-This'");
        const change = (source: string): string => source.slice(0, index) + renamed + source.slice(index + text.length);
        const mutant = await openMutant(number, change);
        assert.throws(() => requireRoundTrips(mutant, runs));
      });
    });

    const members = [
      'restored.map(encodeRestored)',
      'deleted.map(',
      'kept.map(',
      'restoredVersion === null',
      'documentId === null',
    ];
    members.forEach((text, number) => {
      it(`is not read back when the encoder leaves out ${text.split(/[. ]/u)[0] ?? ''}`, async () => {
        const instead = text.endsWith('null') ? 'true' : `[].${text.split('.')[1] ?? ''}`;
        const mutant = await openMutant(100 + number, (source) => source.replace(text, instead));
        assert.throws(() => requireRoundTrips(mutant, runs));
      });
    });

    async function openMutant(number: number, change: (source: string) => string): Promise<Codec> {
      const built = fileURLToPath(new URL('../../lib', import.meta.url));
      const copy = path.join(folder, String(number));
      fs.mkdirSync(copy);
      for (const room of ['domain', 'history']) {
        fs.cpSync(path.join(built, room), path.join(copy, room), { recursive: true });
      }
      const file = path.join(copy, 'history', 'event-codec.js');
      const source = fs.readFileSync(file, 'utf8');
      assert.notEqual(change(source), source);
      fs.writeFileSync(file, change(source));
      return (await import(pathToFileURL(file).href)) as Codec;
    }
  });
});

class Events {
  readonly #random: () => number;

  constructor(from: string) {
    this.#random = makeRandom(from);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #some<Item>(make: () => Item): Item[] {
    return Array.from({ length: this.#below(4) }, make);
  }

  readonly #location = (): Location => {
    const names = ['a.md', 'B', 'c d', 'Operation: delete', 'Ünï', '-', 'x: y', '漢字.txt', 'a,b', '"q"'];
    return Array.from({ length: 1 + this.#below(3) }, () => this.#pick(names)).join('/') as Location;
  };

  readonly #id = (): string => `doc_${this.#below(1e9).toString(16)}`;
  readonly #oid = (): string => this.#below(1e9).toString(16).padStart(40, '0');
  readonly #mediaType = (): string => this.#pick(['text/markdown', 'text/html; charset="utf-8"', 'image/png']);
  readonly #restored = (): RestoredDocument => ({
    documentId: this.#id(),
    mediaType: this.#mediaType(),
    location: this.#location(),
  });

  readonly #moved = (): MovedDocument => ({ documentId: this.#id(), from: this.#location(), to: this.#location() });

  #mediaTypes(): MediaTypes {
    const others = this.#some(() => [this.#location(), this.#mediaType()] as const);
    return { usual: this.#mediaType(), others: new Map(others) };
  }

  next(): Event {
    const [documentId, location, mediaType] = [this.#id(), this.#location(), this.#mediaType()];
    const relocation = { documentId: this.#pick([documentId, null]), from: location, to: this.#location() };
    const restored = this.#some(this.#restored);
    return this.#pick<() => Event>([
      () => ({ type: 'create', location, mediaType }),
      () => ({ type: 'update', documentId, location, mediaType }),
      () => ({ type: 'undelete', documentId, location, mediaType }),
      () => ({ type: 'restore', documentId, location, mediaType, restoredVersion: this.#pick([this.#oid(), null]) }),
      () => ({ type: 'delete', documentId, location }),
      () => ({ type: 'rename', ...relocation }),
      () => ({ type: 'move', ...relocation }),
      () => ({ type: 'create-folder', location }),
      () => ({ type: 'delete-folder', location }),
      () => ({ type: 'undelete-folder', location, kept: this.#some(this.#location), restored }),
      () => ({
        type: 'revert',
        location: this.#pick([location, '' as Location]),
        principalId: this.#id(),
        restored,
        deleted: this.#some(() => ({ documentId: this.#id(), location: this.#location() })),
      }),
      () => ({ type: 'import', mediaTypes: this.#mediaTypes() }),
      () => ({
        type: 'mirror',
        connectorId: this.#id(),
        location,
        sourceVersion: this.#pick([null, 'a state']),
        mediaTypes: this.#mediaTypes(),
        moved: this.#some(this.#moved),
      }),
      () => ({ type: 'push', mediaTypes: this.#mediaTypes(), moved: this.#some(this.#moved) }),
      () => ({ type: 'erase' }),
      () => ({ type: 'recover', from: this.#oid() }),
    ])();
  }

  /** A writer's message, which may look like trailers. */
  message(): string | null {
    return this.#pick([
      null,
      'Why',
      'Two\n\nparagraphs',
      'Operation: delete\nDocument: doc_forged',
      'a\n\nOperation: erase',
    ]);
  }
}

type Codec = Pick<typeof codec, 'decodeEvent' | 'encodeEvent' | 'subjectOf'>;

/** Writes random events into messages of commits and reads them again. */
function requireRoundTrips({ decodeEvent, encodeEvent, subjectOf }: Codec, count: number): void {
  const events = new Events(seed);
  for (let run = 0; run < count; run += 1) {
    const event = events.next();
    const message = events.message();
    const text = composeCommitMessage({ subject: subjectOf(event, run), message, trailers: encodeEvent(event) });
    const parsed = parseCommitMessage(text);
    assert.ok(parsed, text);
    assert.equal(parsed.message, message);
    assert.deepEqual(decodeEvent(parsed), event, text);
  }
}
