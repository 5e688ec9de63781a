import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countOf } from '../support/counts.js';
import { until } from '../support/until.js';
import { LargeService, type Measured } from './large-service.js';

/** Milliseconds of processor time for which one request may keep the others waiting. */
const maxHold = 50;
/** Documents of the larger workspace, and how often the smaller one fits into it. */
const many = countOf('LARGE_ROWS', { usual: 2000, campaign: 20_000 });
const times = 10;
/** Files up to which the one commit of a sync is short (decision 0002). */
const shortCommit = 10_000;
/** The first rounds compile the program. */
const rounds = 3;

/**
 * Everything that has no limit of documents, with ten times as many rows. Deletions and reverts have one of 10,000:
 * `folders.test.ts` measures them up to there.
 */
describe('The longest turn with ten times as many rows', function () {
  this.timeout(3_600_000);
  /** Each piece of work, by the workspace: the small one first. */
  const measured = new Map<string, number[]>();

  before(async () => {
    for (const count of [Math.round(many / times), many]) {
      const service = await LargeService.start(count);
      try {
        await workOn(service);
      } finally {
        await service.close();
      }
    }
    if (process.env['TEST_CAMPAIGN'] !== '1') return;
    for (const [what, held] of measured) {
      console.log(`${what}: ${held.map((each) => each.toFixed(1)).join(' and ')} ms`);
    }
  });

  it('the longest turn is no longer with ten times as many rows', () => {
    for (const [what, [small = 0, large = 0]] of measured) {
      if (many > shortCommit && what.includes('sync')) continue;
      assert.ok(large < maxHold, `${what}: others wait for ${small.toFixed(0)} and ${large.toFixed(0)} ms`);
    }
  });

  async function workOn(service: LargeService): Promise<void> {
    const note: Note = async (what, work, repeats = rounds) => {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < repeats && least >= maxHold / 2; round += 1) {
        const { held }: Measured = await service.measure(work);
        least = Math.min(least, held);
      }
      measured.set(what, [...(measured.get(what) ?? []), least]);
    };
    const get = (path: string) => () => service.send('GET', path);
    await note('an export of the folder', get('/v1/folders/export?location=many'));
    await note('a page of the folder', get('/v1/folders?location=many&limit=200'));
    await note('a search', get('/v1/search?q=1'));
    await note('a page of the audit log', get('/v1/audit?limit=200&location=many'));
    await note('an export of the audit log', get('/v1/audit/export'));
    await note('a check of the audit log', () => checkLog(service));
    await note('a page of the feed', get('/v1/changes?limit=200&location=many'));
    await note('a stream by the item', () => service.followFeed('limit=1', service.count));
    await note('a stream by the page', () => service.followFeed('limit=200', service.count));
    await note('a rename', () => service.send('POST', '/v1/renames', { location: 'many', name: 'more' }), 1);
    await note('a rename back', () => service.send('POST', '/v1/renames', { location: 'more', name: 'many' }), 1);
    await syncInto(service, note);
  }

  async function checkLog(service: LargeService): Promise<void> {
    let check = await service.send('POST', '/v1/audit/verifications');
    while (check.ended_at === null) check = await service.send('GET', `/v1/audit/verifications/${check.id}`);
    assert.equal(check.result?.sound, true);
  }

  async function syncInto(service: LargeService, note: Note): Promise<void> {
    let id = '';
    const connect = async (source: string, location: string): Promise<void> => {
      const settings = { path: join(service.outside, source) };
      ({ id } = await service.send('POST', '/v1/connectors', { kind: 'folder', name: source, location, settings }));
      await ended(1);
    };
    const ended = async (number: number): Promise<void> => {
      await until(
        `run ${number} has ended`,
        async () => {
          const [last] = (await service.send('GET', `/v1/connectors/${id}/runs`)).items;
          return last?.number >= number && last.ended_at !== null;
        },
        600_000,
      );
    };
    // The first sync of a process compiles it.
    await mkdir(join(service.outside, 'small'));
    await writeFile(join(service.outside, 'small', 'a.md'), 'one\n');
    await connect('small', 'small');
    await note('a first sync', () => connect('source', 'mirror'), 1);
    for (const number of [2, 3, 4]) {
      await service.writeSource(`changed ${number}`);
      const sync = async (): Promise<void> => {
        await service.send('POST', `/v1/connectors/${id}/runs`, {});
        await ended(number);
      };
      await note(`a sync of changed files, ${number}`, sync, 1);
    }
    await note('a disconnection', () => service.send('DELETE', `/v1/connectors/${id}?documents=keep`), 1);
  }
});

type Note = (what: string, work: () => Promise<unknown>, repeats?: number) => Promise<void>;
