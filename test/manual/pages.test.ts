import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { reasons } from '../../lib/domain/reason.js';
import { OpenManual } from './open-manual.js';

describe('The pages of the manual', () => {
  let manual: OpenManual;
  const pages = new Map<string, Read>();
  const found = new Set<string>();
  const broken: string[] = [];

  /** Follows every link from the index on, as far as it stays in the manual. */
  before(async () => {
    manual = await OpenManual.open();
    const waiting = ['/docs/'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (found.has(path)) continue;
      found.add(path);
      const { status, headers, text } = await manual.send(path);
      if (status !== 200) {
        broken.push(`${path}: ${status}`);
        continue;
      }
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      const links = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = '']) => unescape(link));
      pages.set(path, { links, ids: new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)) });
      const urls = links.map((link) => new URL(link, `${manual.url}${path}`));
      waiting.push(...urls.filter(({ pathname }) => pathname.startsWith('/docs/')).map(({ pathname }) => pathname));
    }
  });
  after(() => manual.close());

  it('have no link to a page, a file or a heading that is not there', () => {
    for (const [path, { links }] of pages) {
      for (const link of links) {
        const { pathname, hash } = new URL(link, `http://service${path}`);
        const target = pages.get(pathname);
        if (hash !== '' && target?.ids.has(decodeURIComponent(hash.slice(1))) !== true) broken.push(`${path}: ${link}`);
      }
    }
    assert.deepEqual(broken, []);
    assert.ok(pages.size > 30 && found.size > pages.size * 2, `${pages.size} pages`);
  });

  it('lead out of the manual only to the console, the icon, and other sites', () => {
    const outside = new Set(
      [...pages].flatMap(([path, { links }]) =>
        links
          .map((link) => new URL(link, `http://service${path}`))
          .filter(({ host, pathname }) => host === 'service' && !pathname.startsWith('/docs/'))
          .map(({ pathname }) => pathname),
      ),
    );
    assert.deepEqual([...outside].sort(), ['/console', '/signin/icon.svg']);
  });

  it('have the same links as Markdown', async () => {
    for (const path of pages.keys()) {
      const source = path === '/docs/' ? '/docs/index.md' : `${path}.md`;
      const { status, text } = await manual.send(source);
      assert.equal(status, 200, source);
      const prose = text.replaceAll(/```[\s\S]*?```/g, '');
      for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link)) continue;
        const { pathname } = new URL(link, `http://service${source}`);
        const isThere = found.has(pathname) || (await manual.send(pathname)).status === 200;
        assert.ok(isThere, `${source}: ${link}`);
      }
    }
  });

  it('have every operation of the API, with its example and its answers', async () => {
    const description = parse(readFileSync('schema/openapi.yaml', 'utf8'), { maxAliasCount: -1 }) as Description;
    const { text: index } = await manual.send('/docs/rest-reference.md');
    const names = [...new Set([...index.matchAll(/\((rest-[\w-]+)\.md#/g)].map(([, name]) => name))];
    const texts = await Promise.all(names.map(async (name) => (await manual.send(`/docs/${name}.md`)).text));
    const parts = texts.flatMap((text) => text.split(/^## /m).slice(1));
    const operations = Object.entries(description.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => ['get', 'head', 'post', 'put', 'delete'].includes(method))
        .map(([method, { summary = '' }]) => ({ line: `\`${method.toUpperCase()} ${path}\``, summary })),
    );
    for (const { line, summary } of operations) {
      const part = parts.find((each) => each.includes(`\n${line}\n`)) ?? assert.fail(line);
      assert.ok(part.startsWith(`${summary}\n`) && index.includes(line), line);
      assert.match(part, /\n```sh\ncurl -sS[\s\S]*\n```\n/, line);
      assert.match(part, /\n\| status \| meaning /, line);
    }
    assert.equal(parts.length, operations.length);
    const { text: objects } = await manual.send('/docs/rest-objects.md');
    for (const name of Object.keys(description.components.schemas)) assert.ok(objects.includes(`\n## ${name}\n`), name);
  });

  it('have every reason, setting and tool in their tables', async () => {
    const { text: reasonTable } = await manual.send('/docs/reasons.md');
    for (const [name, { means }] of Object.entries(reasons)) {
      assert.ok(reasonTable.includes(`| \`${name}\` | ${means} |`), name);
    }
    const { properties } = JSON.parse(readFileSync('schema/config.json', 'utf8')) as { properties: object };
    const { text: settings } = await manual.send('/docs/settings.md');
    for (const name of Object.keys(properties).filter((each) => !each.startsWith('$'))) {
      assert.ok(settings.includes(`| \`${name}\`, \`CARTULARY_${name.toUpperCase()}\` |`), name);
    }
    const { text: tools } = await manual.send('/docs/tools.md');
    assert.match(tools, /\n## edit_org_doc\n[\s\S]*\n\| `edits\[\]\.old_text` \| text \| no \|/);
  });

  it('have the help of each command, as the program prints it', async () => {
    const { makeProgram } = await import('../../bin/program.js');
    const { text } = await manual.send('/docs/commands.md');
    const leaves = makeProgram().commands.flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((inner) => `${command.name()} ${inner.name()}`),
    );
    for (const words of leaves.filter((each) => each !== 'help')) {
      assert.ok(text.includes(`\n## ${words}\n\n\`\`\`text\nUsage: cartulary ${words}`), words);
      assert.ok(text.includes(`\n  $ cartulary ${words}`), `${words} has its example`);
    }
  });

  it('say nothing of how they were marked for the tests', async () => {
    for (const path of pages.keys()) assert.doesNotMatch((await manual.send(path)).text, /&lt;!-- |<!-- /, path);
  });
});

const unescape = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** A page with the addresses in it and the places that a link can name. */
interface Read {
  readonly links: readonly string[];
  readonly ids: ReadonlySet<string>;
}
