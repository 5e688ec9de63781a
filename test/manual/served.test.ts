import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { OpenManual } from './open-manual.js';

describe('The manual, as it is served', () => {
  let manual: OpenManual;

  before(async () => {
    manual = await OpenManual.open();
  });
  after(() => manual.close());

  it('has each page as HTML, and as Markdown at the same address with .md', async () => {
    const { status, headers, text } = await manual.send('/docs/agents');
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(text, /<title>Agents: MCP · Cartulary<\/title>/);
    assert.match(text, /<h2 id="give-an-agent-access">/);
    assert.match(text, /<a href="people">/);
    const source = await manual.send('/docs/agents.md');
    assert.deepEqual([source.status, source.headers['content-type']], [200, 'text/markdown; charset=utf-8']);
    assert.match(source.text, /^# Agents: MCP\n/);
    assert.match(source.text, /\]\(people\.md\)/);
  });

  it('begins at /docs, with and without a proxy’s path in front', async () => {
    const { status, headers } = await manual.send('/docs');
    // Relative, so that a browser at /files/docs goes to /files/docs/.
    assert.deepEqual([status, headers.location], [308, 'docs/']);
    const index = await manual.send('/docs/');
    assert.match(index.text, /<h1 id="the-manual">/);
    const absolute = [...index.text.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link]) => link);
    assert.deepEqual(absolute, []);
  });

  it('is the same for everyone: with a key, a cookie or a name of a host', async () => {
    const plain = await manual.send('/docs/settings');
    for (const headers of [
      { authorization: 'Bearer ck_main_x_y' },
      { cookie: '__Host-session=x' },
      { host: 'other.example' },
      { 'accept-language': 'de', 'user-agent': 'curl/8' },
    ]) {
      const other = await manual.send('/docs/settings', headers);
      assert.deepEqual(other.bytes, plain.bytes);
      assert.deepEqual(
        { ...other.headers, date: '', 'x-request-id': '' },
        { ...plain.headers, date: '', 'x-request-id': '' },
      );
    }
  });

  it('lets caches ask whether a page is still the same, in each of its codings', async () => {
    const plain = await manual.send('/docs/reasons');
    assert.equal(plain.headers['cache-control'], 'public, max-age=300');
    assert.equal(plain.headers.vary, 'Accept-Encoding');
    const tags = new Set([plain.headers.etag]);
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const coded = await manual.send('/docs/reasons', { 'accept-encoding': coding });
      assert.equal(coded.headers['content-encoding'], coding);
      assert.deepEqual(decode(coded.bytes), plain.bytes);
      tags.add(coded.headers.etag);
    }
    assert.equal(tags.size, 3, 'each coding has a validator of its own');
    const etag = plain.headers.etag ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, bytes } = await manual.send('/docs/reasons', { 'if-none-match': known });
      assert.deepEqual([status, bytes.length], [304, 0], known);
    }
    for (const other of ['"other"', etag.slice(1, -1), '']) {
      assert.equal((await manual.send('/docs/reasons', { 'if-none-match': other })).status, 200, other);
    }
  });

  it('runs nothing: no page has a script or a style of its own, and the policy forbids both', async () => {
    const { text, headers } = await manual.send('/docs/rest-documents');
    assert.doesNotMatch(text, /<script|<style| style=| on[a-z]+=/);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';/);
    assert.doesNotMatch(policy, /unsafe|script-src/);
    for (const path of ['/docs/agents.md', '/docs/examples/mirror-rclone.py', '/docs/pictures/tour.svg', '/llms.txt']) {
      const file = await manual.send(path);
      assert.equal(file.status, 200, path);
      assert.equal(file.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'", path);
      assert.equal(file.headers['x-content-type-options'], 'nosniff', path);
    }
  });

  it('answers HEAD like GET without a body, and takes no other method and no body', async () => {
    const get = await manual.send('/docs/git');
    const head = await manual.send('/docs/git', {}, 'HEAD');
    assert.deepEqual([head.status, head.bytes.length], [200, 0]);
    for (const name of ['content-length', 'etag', 'content-type'] as const) {
      assert.equal(head.headers[name], get.headers[name]);
    }
    const post = await manual.send('/docs/git', {}, 'POST');
    assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD']);
    assert.equal((await manual.send('/docs/git', { 'content-length': '3' }, 'GET')).status, 413);
  });

  it('takes no path to a file: only the addresses of its list are there', async () => {
    const paths = [
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
      '/docs/..%2f..%2fpackage.json',
      '/docs/files.json',
      '/docs/words.json',
      '/docs/agents.html',
      '/docs/agents.md.br',
      '/docs//agents',
      '/docs/agents/',
      '/docs/AGENTS',
      '/docs/constructor',
      '/docs/__proto__',
      '/docs/\u0000'.replace('\u0000', '%00'),
      '/docs/%ff',
      `/docs/${'x'.repeat(20_000)}`,
    ];
    const answers = await Promise.all(paths.map((path) => manual.send(path)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      paths.map(() => 404),
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal((await manual.send('/docsx')).text, 'another face');
  });

  it('writes one line into the log for a request, without its path or question', async () => {
    const before = manual.lines.length;
    await manual.send('/docs/search?q=secret-word');
    await manual.send('/docs/search', {}, 'HEAD');
    const lines = manual.lines.slice(before, before + 1);
    assert.deepEqual(
      lines.map(({ fields, message }) => [message, fields['route'], fields['status'], fields['remote']]),
      [['request', '/docs', 200, '192.0.2.1']],
    );
    assert.doesNotMatch(JSON.stringify(manual.lines), /secret-word/);
  });

  it('lists its pages for programs in /llms.txt, each as Markdown that is there', async () => {
    const { headers, text } = await manual.send('/llms.txt');
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.match(text, /^# Cartulary\n\n> [^\n]+\n\n/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, link = '']) => link);
    assert.equal(links.length, text.match(/^- /gm)?.length);
    assert.ok(links.length > 30, String(links.length));
    for (const link of links) {
      const answer = await manual.send(new URL(link, 'http://service/llms.txt').pathname);
      assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/markdown; charset=utf-8'], link);
    }
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    assert.equal(sections.at(-1), 'Optional', 'what a reader in a hurry can leave out comes last');
  });

  it('has a skill for agents, with its front matter, and a list of skills with its digest', async () => {
    const address = '/.well-known/agent-skills/index.json';
    const { headers, text } = await manual.send(address);
    assert.equal(headers['content-type'], 'application/json');
    const { skills } = JSON.parse(text) as {
      skills: { name: string; type: string; description: string; url: string; digest: string }[];
    };
    assert.deepEqual(
      skills.map(({ name, type }) => [name, type]),
      [['cartulary', 'skill-md']],
    );
    for (const { name, description, url, digest } of skills) {
      assert.match(name, /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      assert.ok(description.length <= 1024 && name.length <= 64);
      const skill = await manual.send(new URL(url, `http://service${address}`).pathname);
      assert.equal(skill.status, 200);
      assert.equal(`sha256:${createHash('sha256').update(skill.bytes).digest('hex')}`, digest);
      assert.ok(skill.text.startsWith(`---\nname: ${name}\ndescription: ${description}\n---\n`));
      assert.ok(skill.bytes.length < 20_000, 'an agent reads it whole');
    }
  });
});
