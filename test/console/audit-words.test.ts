import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { actionGroups } from '../../lib/console/web/screens/audit/describe-record.js';
import { boundsOf, readFilters } from '../../lib/console/web/screens/audit/filters.js';

describe('The words of the audit log’s pages', () => {
  it('are about actions that the service records', () => {
    const sources = readdirSync('lib', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes(join('console', 'web')))
      .map((file) => readFileSync(join('lib', file), 'utf8'))
      .join('\n');
    const actions = actionGroups.flatMap(({ actions: listed }) => listed.map(([action]) => action));
    assert.ok(actions.length > 50);
    assert.deepEqual(
      actions.filter((action) => !sources.includes(`'${action}'`)),
      [],
    );
  });
});

describe('The filters of the audit log’s pages', () => {
  const wednesday = new Date(2026, 2, 4, 15, 30).getTime();

  it('stand for whole days where the person is', () => {
    assert.deepEqual(boundsOf({}, wednesday), {});
    assert.deepEqual(boundsOf({ time: 'today' }, wednesday), { from: local(4) });
    assert.deepEqual(boundsOf({ time: 'yesterday' }, wednesday), { from: local(3), to: justBefore(4) });
    assert.deepEqual(boundsOf({ time: 'week' }, wednesday), { from: local(-2) });
    assert.deepEqual(boundsOf({ time: 'month' }, wednesday), { from: local(-25) });
    const days = { time: 'days', from: '2026-03-02', to: '2026-03-03' };
    assert.deepEqual(boundsOf(days, wednesday), { from: local(2), to: justBefore(4) });
    assert.deepEqual(boundsOf({ time: 'days' }, wednesday), {});
  });

  it('leave out what nobody can have chosen', () => {
    const read = (query: string): unknown => readFilters(new URLSearchParams(query));
    assert.deepEqual(read('time=always&outcome=maybe&principal=&x=1'), {});
    assert.deepEqual(read('location=&time=days&from=x&outcome=done'), {
      location: '',
      time: 'days',
      from: 'x',
      outcome: 'done',
    });
    assert.deepEqual(boundsOf({ time: 'days', from: 'x', to: '2026-99-99' }, wednesday).from, undefined);
  });

  const local = (day: number): string => new Date(2026, 2, day).toISOString();

  const justBefore = (day: number): string => new Date(new Date(2026, 2, day).getTime() - 1).toISOString();
});
