/** Sources that break each law, and similar lawful ones. */
export const planted: Readonly<Record<string, { guilty: [string, string][]; innocent: [string, string][] }>> = {
  'rooms import only what stands lower': {
    guilty: [
      ['lib/sidecar/a.ts', "import { commit } from '../workspace/commit.js';"],
      ['lib/domain/a.ts', "import type { Tree } from '../git/tree.js';"],
      ['lib/git/a.ts', "export * from '../sidecar/sidecar.js';"],
      ['lib/access/a.ts', "import { append } from '../audit/append.js';"],
      ['lib/api/a.ts', "import { tools } from '../mcp/tools.js';"],
      ['lib/operations/a.ts', "const rest = await import('../rest/server.js');"],
      ['lib/api/a.ts', "import { config } from '../config.js';"],
      ['lib/config.ts', "import { open } from './app/service.js';"],
      ['lib/app/serve.ts', "import { run } from '../../bin/cartulary.js';"],
      ['lib/git/a.ts', "import {\n  one,\n  two,\n} from '../access/reach.js';"],
      ['lib/git/a.ts', "import '../access/reach.js';"],
      ['lib/api/a.ts', "import { fixture } from '../../test/fixture.js';"],
      ['lib/attic/a.ts', "import { parseLocation } from '../domain/location.js';"],
      ['lib/client/a.ts', "import { parseLocation } from '../domain/location.js';"],
      ['lib/console/web/api/a.ts', "import { Button } from '../design/button.tsx';"],
      ['lib/console/web/design/a.tsx', "import type { Frame } from '../shell/frame.tsx';"],
      ['lib/console/web/markdown/a.ts', "import { apiOf } from '../api/client.ts';"],
      ['lib/console/web/screens/move/a.tsx', "import { ShareDialog } from '../share/share-dialog.tsx';"],
      ['lib/console/web/screens/reader/a.tsx', "import { Editor } from '../editor/editor.tsx';"],
      ['lib/console/web/attic/a.ts', "import { addressOf } from '../navigation/addresses.ts';"],
      ['lib/console/web/api/a.ts', "import { parseTree } from '../../../git/tree.ts';"],
      ['lib/console/web/api/a.ts', "import { routes } from '../../routes.js';"],
      ['lib/console/a.ts', "import { addressOf } from './web/navigation/addresses.ts';"],
    ],
    innocent: [
      [
        'lib/workspace/a.ts',
        "import { reachOf } from '../access/reach.js';\nimport { chain } from '../audit/chain.js';",
      ],
      [
        'lib/api/deep/a.ts',
        "import { perform } from '../../operations/perform.js';\nimport { problem } from '../problem.js';",
      ],
      ['bin/cartulary.ts', "import { open } from '../lib/app/service.js';"],
      [
        'lib/console/web/screens/reader/deep/a.tsx',
        "import { Menu } from '../../../design/menu.tsx';\nimport { MoveDialog } from '../../move/move-dialog.tsx';",
      ],
      ['lib/console/web/markdown/a.ts', "import { outlineOf } from '../../../text/outline.ts';"],
      [
        'lib/sidecar/a.ts',
        "// import { commit } from '../workspace/commit.js';\nconst a = \"import x from '../rest/a.js'\";",
      ],
    ],
  },
  'a package has one owner': {
    guilty: [
      ['lib/workspace/a.ts', "import Database from 'better-sqlite3';"],
      ['lib/operations/a.ts', "import type { Request } from 'express';"],
      ['lib/git/a.ts', "import { left } from 'left-pad';"],
      ['lib/api/a.ts', "import { spawn } from 'node:child_process';"],
      ['lib/api/a.ts', "const git = require('isomorphic-git/http/node');"],
      ['lib/sidecar/a.ts', "import { DatabaseSync } from 'node:sqlite';"],
      ['lib/console/web/screens/reader/a.tsx', "import MarkdownIt from 'markdown-it';"],
      ['lib/console/web/api/a.ts', "import { left } from 'left-pad';"],
      ['lib/console/web/api/a.ts', "import { readFile } from 'node:fs';"],
    ],
    innocent: [
      ['lib/sidecar/a.ts', "import Database from 'better-sqlite3';"],
      ['lib/git/a.ts', "import { spawn } from 'node:child_process';\nimport http from 'isomorphic-git/http/node';"],
      ['lib/console/web/markdown/a.ts', "import MarkdownIt from 'markdown-it';\nimport { useMemo } from 'react';"],
    ],
  },
  'one module loads the driver of SQLite': {
    guilty: [
      ['lib/sidecar/a.ts', "import Database from 'better-sqlite3';"],
      ['lib/sidecar/a.ts', "const Database = require('better-sqlite3-13');"],
      ['test/erase/a.test.ts', "const { default: Database } = await import('better-sqlite3');"],
    ],
    innocent: [['lib/sidecar/driver.ts', "import type Driver from 'better-sqlite3';\nrequire('better-sqlite3-13');"]],
  },
  'git has bounds for foreign objects': {
    guilty: [
      ['lib/git/sources/a.ts', "const program = await requireGit('import');"],
      ['lib/git/sources/a.ts', 'export function take(program: GitProgram): void {}'],
      ['lib/git/serving/quarantine.ts', 'const git = startGit(this.#program, this.#folder, parameters);'],
      ['lib/connectors/git/a.ts', 'const program = await findGit();'],
      ['lib/commands/a.ts', "await runGit(program, path, ['gc']);"],
    ],
    innocent: [
      ['lib/git/sources/a.ts', 'export const take = (git: ForeignGit): StartedGit => startGit(git, path, []);'],
      ['lib/git/sources/require-foreign-git.ts', 'const git = boundGit(await requireGit(purpose), bounds);'],
      ['lib/git/serving/quarantine.ts', 'const git = startGit(boundGit(program, bounds), folder, parameters);'],
      ['lib/git/maintenance/a.ts', 'const { code } = await runGit(program, folder.path, parameters);'],
    ],
  },
  'one module starts worker threads': {
    guilty: [['lib/git/packs/a.ts', 'const thread = new threads.Worker(program);']],
    innocent: [['lib/scheduling/start-thread.ts', 'new Worker(findThreadProgram(program), options);']],
  },
  'every import names its target': {
    guilty: [['lib/api/a.ts', 'const route = await import(name);']],
    innocent: [['lib/api/a.ts', "const route = await import('./route.js');"]],
  },
  'the words are pure': {
    guilty: [
      ['lib/domain/a.ts', "import { createHash } from 'node:crypto';"],
      ['lib/domain/a.ts', "import canonicalize from 'canonicalize';"],
    ],
    innocent: [['lib/audit/a.ts', "import { createHash } from 'node:crypto';"]],
  },
  'only the configuration reads the environment': {
    guilty: [
      ['lib/git/a.ts', 'const home = process.env.HOME;'],
      ['lib/app/serve.ts', "const home = process\n.env['HOME'];".replace('\n', ' ')],
      ['bin/serve.ts', 'const home = process.env.HOME;'],
      ['lib/api/a.ts', 'const text = `${process.env.HOME}/x`;'],
    ],
    innocent: [
      ['lib/config.ts', 'const home = process.env.HOME;'],
      ['lib/git/a.ts', "// process.env is read in config\nconst a = 'process.env';"],
    ],
  },
  'time and chance come in from outside': {
    guilty: [
      ['lib/access/a.ts', 'const now = Date.now();'],
      ['lib/access/a.ts', 'const now = new Date();'],
      ['lib/access/a.ts', 'const now = new Date;'],
      ['lib/access/a.ts', 'const dice = Math.random();'],
      ['lib/access/a.ts', "import { randomBytes } from 'node:crypto';"],
      ['lib/access/a.ts', "import { randomUUID } from 'node:crypto';"],
      ['lib/workspace/a.ts', 'const now = performance.now();'],
      ['lib/workspace/a.ts', 'const now = process.hrtime.bigint();'],
      ['lib/http/a.ts', 'const now = Date.now();'],
      ['lib/api/a.ts', 'const now = performance.now();'],
      ['lib/app/serve.ts', 'const now = Date.now();'],
    ],
    innocent: [
      ['lib/access/a.ts', 'const then = new Date(milliseconds);\nconst dates: Date[] = [];'],
      ['lib/http/a.ts', 'const started = performance.now();'],
      ['lib/app/real-world.ts', 'const now = Date.now();'],
      ['lib/console/web/design/a.ts', 'const now = Date.now();'],
    ],
  },
  'a terminal shows what it gets': {
    guilty: [
      ['bin/a.ts', 'console.log(name);'],
      ['bin/a.ts', 'process.stderr.write(name);'],
    ],
    innocent: [
      ['bin/print.ts', 'console.log(showText(name));'],
      ['bin/a.ts', 'printLine(name);'],
    ],
  },
  'a request has one list of steps': {
    guilty: [
      ['lib/remote/a.ts', 'const allowance = limitRate(limiter, rated);'],
      ['lib/mcp/a.ts', 'hold(workLimits.requests.takeNow(source));'],
      ['lib/api/a.ts', 'const exchange = new Exchange(name, id, notes, headers, request, response);'],
    ],
    innocent: [
      ['lib/http/serve-exchange.ts', 'const allowance = limitRate(limiter, rated);'],
      ['lib/limits/limit-rate.ts', 'export function limitRate(limiter: RateLimiter): Allowance {}'],
      ['lib/metrics/a.ts', 'const { used } = workLimits.requests.use;'],
    ],
  },
  'SQL stays in the sidecar': {
    guilty: [
      ['lib/access/a.ts', "const rows = db.all('SELECT id FROM grant');"],
      ['lib/audit/a.ts', 'run(`\n  INSERT INTO audit\n  VALUES (?)\n`);'],
      ['lib/workspace/a.ts', "run('PRAGMA journal_mode');"],
    ],
    innocent: [
      ['lib/sidecar/a.ts', "const rows = db.all('SELECT id FROM grant');"],
      ['lib/access/a.ts', "// SELECT id FROM grant\nconst hint = 'Select a folder from the list';"],
    ],
  },
  'requests have the types of their description': {
    guilty: [
      ['lib/api/resources/a.ts', 'const { id } = jsonOf(request) as { readonly id: string };'],
      ['lib/api/resources/a.ts', 'const id = (jsonOf(request) as Sent).id;'],
      ['lib/api/resources/a.ts', 'const { id } = jsonOf<{ readonly id: string }>(request);'],
      ['lib/console/resources/a.ts', 'const { text } = request.query as Pick<ListInput, "text">;'],
      ['lib/console/resources/a.ts', 'const { text } = query as unknown as Sent;'],
      ['lib/api/resources/a.ts', 'const { text } = body.value as Sent;'],
      ['lib/api/resources/a.ts', 'interface Sent {\n  readonly ttl_seconds?: number;\n}'],
      ['lib/api/resources/a.ts', 'function read({ query }: CheckedRequest<{ readonly id: string }>) {}'],
    ],
    innocent: [
      [
        'lib/api/resources/a.ts',
        "function read(request: RequestOf<'takeClaim'>) {\n  const { id } = jsonOf(request);\n}",
      ],
      ['lib/api/resources/a.ts', "const read = ({ query }: CheckedRequest<Pick<QueryOf<'search'>, 'q'>>) => query.q;"],
      ['lib/mcp/a.ts', 'const { ttl_seconds } = query as { readonly ttl_seconds?: number };'],
    ],
  },
  'git objects stay below the operations': {
    guilty: [
      ['lib/operations/x.ts', 'const bytes = await objects.readBlob(version.id);'],
      ['lib/api/x.ts', 'present(document.current.blobOid);'],
      ['lib/commands/x.ts', 'let tip: Oid;'],
    ],
    innocent: [
      ['lib/operations/x.ts', 'const bytes = await objects.readContent(version);'],
      ['lib/workspace/x.ts', 'objects.readBlob(version.blobOid);'],
      ['lib/commands/import/import-history.ts', 'let tip: Oid;'],
      ['lib/operations/folders/find-imported-commit.ts', 'let tip: Oid;'],
    ],
  },
  'no regular expression runs away': {
    guilty: [
      // Blanks before and after an optional tag.
      [
        'lib/domain/a.ts',
        String.raw`const element = /[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"|[\x21\x23-\x2b\x2d-\x7e]+)?[ \t]*(?:,|$)/y;`,
      ],
      // Three runs of possible blanks, with a bound each.
      ['lib/search/a.ts', String.raw`const title = /^title:[ \t]*(["']?)([^\r\n]{1,300}?)\1[ \t]{0,20}$/m;`],
      ['lib/api/a.ts', 'const bare = text.replace(/[. ]+$/u, "");'],
      ['lib/api/a.ts', 'const isList = /^(?:[a-z]+,?)*$/.test(text);'],
      ['lib/api/a.ts', 'const isList = /^(?:ab|a|b)*$/.test(text);'],
      ['lib/api/a.ts', String.raw`const isWord = /^(?:\w|\d)+!/.test(text);`],
      ['lib/api/a.ts', 'const isTwice = /^(?:ab)*(?:ab)*!/.test(text);'],
      ['lib/api/a.ts', 'const isPair = /^a{0,300}[ab]{0,300}!/.test(text);'],
      ['lib/api/a.ts', 'const isFree = /(?!(?:a+)+!)x/.test(text);'],
      ['lib/api/a.ts', String.raw`const isLetter = /^[\p{L}--[a-z]]*\p{Lu}*!/v.test(text);`],
      ['bin/a.ts', String.raw`const end = /(\s+)$/.exec(text);`],
    ],
    innocent: [
      ['lib/domain/a.ts', String.raw`const element = /[ \t]*(?:("[^"]*"|[\x21\x23-\x7e]+)[ \t]*)?(?:,|$)/y;`],
      ['lib/api/a.ts', 'const isList = /^[a-z]+(?:-[a-z]+)*$/.test(text);'],
      ['lib/api/a.ts', 'const isList = /^(?:abc|d)*$/.test(text);'],
      ['lib/api/a.ts', String.raw`const words = text.matchAll(/[\p{L}\p{N}]+/gu);`],
      ['lib/api/a.ts', String.raw`const clean = text.replace(/\s+/g, ' ');`],
      ['lib/api/a.ts', 'const isShort = /^a{0,9}[ab]{0,9}!/.test(text);'],
      ['lib/api/a.ts', "const note = '/(a+)+$/'; // /(a+)+$/"],
    ],
  },
  'every regular expression is written out': {
    guilty: [
      ['lib/api/a.ts', 'const pattern = new RegExp(`^${name}$`);'],
      ['lib/api/a.ts', "const pattern = RegExp ('a');"],
      ['lib/console/web/api/a.ts', "const pattern = new RegExp('a', 'u');"],
    ],
    innocent: [['lib/api/a.ts', 'const pattern: RegExp = /a/;\nif (value instanceof RegExp) use(host.RegExp("a"));']],
  },
  'no drawers': {
    guilty: [
      ['lib/api/utils.ts', ''],
      ['lib/helpers/a.ts', ''],
      ['lib/git/common.ts', ''],
      ['lib/console/web/design/helpers.tsx', ''],
    ],
    innocent: [['lib/git/common-ancestor.ts', '']],
  },
  'names of faces stay in the faces': {
    guilty: [
      ['lib/changes/a.ts', "throw conflict('claimed', 'Wait.', { expires_at: formatTime(claim.expiresAt) });"],
      ['lib/operations/documents/a.ts', 'const edits_still_apply = await tryOn(text);'],
      ['lib/domain/a.ts', 'interface Shown {\n  readonly display_name: string;\n}'],
      ['lib/http/a.ts', 'const { request_id } = body;'],
    ],
    innocent: [
      ['lib/api/a.ts', 'const shown = { expires_at: formatTime(claim.expiresAt) };'],
      ['lib/sidecar/tables/a.ts', 'const { display_name } = row;'],
      ['lib/changes/a.ts', "// expires_at\nthrow conflict('claim_lost', 'It ended.', { claimId });"],
      ['lib/domain/a.ts', 'interface Details {\n  claim_lost: { readonly claimId: string };\n}'],
      ['lib/operations/a.ts', 'const note = { detail: { left_alone: 2 } };'],
    ],
  },
  'files stay short': {
    guilty: [
      ['lib/api/a.ts', 'let a;\n'.repeat(401)],
      ['test/rest/a.ts', 'let a;\n'.repeat(451)],
    ],
    innocent: [
      ['lib/api/a.ts', 'let a;\n'.repeat(400)],
      ['test/rest/a.ts', 'let a;\n'.repeat(450)],
    ],
  },
};
