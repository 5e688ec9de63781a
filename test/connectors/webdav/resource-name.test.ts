import assert from 'node:assert/strict';
import { decodeSegments, encodeSegments, readHref, type Named } from '../../../lib/connectors/webdav/resource-name.js';

const origin = 'https://cloud.example';
const folder = ['dav', 'files', 'ann b', 'ü'];

const foreign: Named = { type: 'foreign' };

describe('An href in a listing of WebDAV', () => {
  it('names the folder itself, or what is directly in it, however it is escaped', () => {
    const spellings = [
      '/dav/files/ann%20b/%C3%BC',
      '/dav/files/ann b/ü',
      '/dav/%66iles/ann%20b/%c3%bc',
      '//dav'.slice(1) + '//files/ann%20b/ü',
    ];
    for (const spelling of spellings.flatMap((each) => [each, origin + each])) {
      assert.deepEqual(read(spelling), { type: 'self' });
      assert.deepEqual(read(`${spelling}/`), { type: 'self' });
      assert.deepEqual(read(`${spelling}/a%20b.md`), child('a b.md'));
      assert.deepEqual(read(`${spelling}/sub/`), child('sub'));
    }
  });

  it('an href of a WebDAV listing is decoded once', () => {
    const base = '/dav/files/ann%20b/%C3%BC';
    assert.deepEqual(read(`${base}/%252e%252e`), child('%2e%2e'));
    assert.deepEqual(read(`${base}/100%25.md`), child('100%.md'));
    assert.deepEqual(read(`${base}/a+b.md`), child('a+b.md'));
    assert.deepEqual(read(`${base}/q?x#y.md`), child('q?x#y.md'));
  });

  it('leads to no other server, and not out of the folder', () => {
    const base = '/dav/files/ann%20b/%C3%BC';
    const servers = [
      `http://cloud.example${base}/a`,
      `https://127.0.0.1${base}/a`,
      `//other.example${base}/a`,
      `https://cloud.example:444${base}/a`,
      `https://u:p@cloud.example${base}/a`,
    ];
    const places = [
      '/',
      '',
      'a',
      './a',
      '/dav/files/ann%20b',
      '/dav/files/bob/ü/a',
      `${base}/a/b`,
      `${base}/../x/y`,
      `${base}/%2e%2e/x`,
      'file:///etc/passwd',
      'https://cloud.example',
    ];
    for (const href of [...servers, ...places]) assert.deepEqual(read(href), foreign, href);
  });

  it('whose name cannot be one is told apart', () => {
    const base = '/dav/files/ann%20b/%C3%BC';
    for (const name of ['..', '.', '%2e%2e', '%2E', 'a%2Fb', '%2f', 'a%00b', '%ff', '%zz', '%'])
      assert.deepEqual(read(`${base}/${name}`), { type: 'odd', written: name }, name);
  });

  it('comes from segments that are escaped again', () => {
    for (const segments of [[], ['a b', '%41', 'q?x#y', 'ü', "it's"]])
      assert.deepEqual(decodeSegments(encodeSegments(segments)), segments);
    assert.equal(decodeSegments('/%zz'), undefined);
  });
});

const read = (href: string): Named => readHref(href, origin, folder);

const child = (name: string): Named => ({ type: 'child', name });
