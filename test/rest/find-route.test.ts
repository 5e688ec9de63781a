import assert from 'node:assert/strict';
import { RouteFinder } from '../../lib/api/requests/find-route.js';

describe('the route of a path', () => {
  const paths = [
    '/things',
    '/things/{id}',
    '/things/{id}/parts',
    '/files/{location}',
    '/things/special',
    '/at/{place}/{id}',
  ];
  const finder = new RouteFinder(paths.map((path) => ({ method: 'GET' as const, path })));

  it('has the id of its path, which is one segment of plain characters', () => {
    assert.deepEqual(find('/things/prn_1-a'), ['/things/{id}', 'prn_1-a', undefined]);
    assert.deepEqual(find('/things/prn_1/parts'), ['/things/{id}/parts', 'prn_1', undefined]);
    assert.deepEqual(find('/things/special'), ['/things/special', '', undefined]);
    assert.deepEqual(find('/at/acme/con_1'), ['/at/{place}/{id}', 'acme con_1', undefined]);
    assert.deepEqual(find('/files/things/a/parts'), ['/files/{location}', '', 'things/a/parts']);
  });

  it('is not found where the id would be anything else', () => {
    const others = ['/things/', '/things//parts', '/things/a/b', '/things/a%2Fb', '/things/a/parts/', '/things/é'];
    for (const path of [...others, `/things/${'a'.repeat(65)}`]) assert.equal(finder.find(path), undefined, path);
  });

  const find = (path: string) => {
    const { path: row, ids = [], encodedLocation } = finder.find(path) ?? {};
    return [row, ids.join(' '), encodedLocation];
  };
});
