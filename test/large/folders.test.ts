import assert from 'node:assert/strict';
import { join } from 'node:path';
import { countOf } from '../support/counts.js';
import { until } from '../support/until.js';
import { LargeService, type Measured } from './large-service.js';

/** Milliseconds of processor time for which one request may keep the others waiting. */
const maxHold = 50;
/** Documents of the larger folder, and how often the smaller one fits into it. */
const many = countOf('LARGE_FOLDER', { usual: 2400, campaign: 10_000 });
const times = 8;
/** How far the work may grow beyond the documents: trees and indexes have logarithms, and caches an end. */
const tolerance = 1.6;
/** The first rounds compile the program. */
const rounds = 3;

describe('Work on a folder of many documents', function () {
  this.timeout(600_000);
  /** Each piece of work, by the service: the small one first. */
  const measured = new Map<string, Measured[][]>();

  before(async () => {
    for (const count of [Math.round(many / times), many]) {
      const service = await LargeService.start(count);
      try {
        await workOn(service);
      } finally {
        await service.close();
      }
    }
  });

  it('never keeps others waiting', () => {
    for (const [what, each] of measured) {
      for (const one of each) {
        assert.ok(least(one, 'held') < maxHold, `${what}: others wait for ${least(one, 'held').toFixed(0)} ms`);
      }
    }
  });

  it('takes as much longer as there are more documents', () => {
    for (const [what, [small = [], large = []]] of measured) {
      const [one, other] = [least(small, 'used'), least(large, 'used')];
      // What a request costs by itself is in both.
      assert.ok(other < tolerance * times * Math.max(one, 10), `${what}: ${one.toFixed(0)} and ${other.toFixed(0)} ms`);
    }
  });

  async function workOn(service: LargeService): Promise<void> {
    const own = new Map<string, Measured[]>();
    async function note(what: string, work: () => Promise<unknown>): Promise<void> {
      own.set(what, [...(own.get(what) ?? []), await service.measure(work)]);
    }
    const { principalId, writerId, rewrittenAt } = service.facts;
    const location = 'many';
    async function revert(what: string, principal: string, since: string): Promise<void> {
      const query = new URLSearchParams({ location, principal_id: principal, since, limit: '1' });
      const read = () => service.send('GET', `/v1/reverts?${query.toString()}`);
      await note(`a preview of ${what}`, read);
      const { preview } = await read();
      const body = { location, principal_id: principal, since, preview };
      await note(what, () => service.send('POST', '/v1/reverts', body));
    }
    const remove = () => note('a deletion', () => service.send('POST', '/v1/folder-deletions', { location }));
    for (let round = 0; round < rounds; round += 1) {
      await remove();
      await note('an undeletion', () => service.send('POST', '/v1/folder-undeletes', { location }));
      await note('a rename', () => service.send('POST', '/v1/renames', { location: 'many', name: 'more' }));
      await service.send('POST', '/v1/renames', { location: 'more', name: 'many' });
    }
    await revert('a revert to earlier contents', writerId, rewrittenAt);
    await remove();
    await revert('a revert of a deletion', principalId, '2026-01-01T00:00:00Z');
    await syncInto(service, note);
    for (const [what, each] of own) measured.set(what, [...(measured.get(what) ?? []), each]);
  }

  async function syncInto(
    service: LargeService,
    note: (what: string, work: () => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    const settings = { path: join(service.outside, 'source') };
    const { id } = await service.send('POST', '/v1/connectors', {
      kind: 'folder',
      name: 'Source',
      location: 'mirror',
      settings,
    });
    const ended = (number: number) =>
      until(`run ${number} has ended`, async () => {
        const [last] = (await service.send('GET', `/v1/connectors/${id}/runs`)).items;
        return last?.number >= number && last.ended_at !== null;
      });
    await ended(1);
    await service.writeSource('changed');
    await note('a sync of changed files', async () => {
      await service.send('POST', `/v1/connectors/${id}/runs`, {});
      await ended(2);
    });
    await note('a disconnection', () => service.send('DELETE', `/v1/connectors/${id}?documents=delete`));
  }
});

const least = (all: readonly Measured[], of: keyof Measured): number => Math.min(...all.map((each) => each[of]));
