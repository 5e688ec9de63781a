import { readFileSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { packagePath } from '../../lib/config.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import type { Report } from './report.js';

/** What a model pays for answers to tools, in tokens of o200k. Nothing here depends on time, so one round is enough. */
export async function measureTokens(report: Report): Promise<void> {
  const server = await openMcpServer();
  const add = (what: string, text: string, note?: string): void => {
    report.add({ what, value: encode(text).length, unit: 'tokens', ...(note === undefined ? {} : { note }) });
  };
  try {
    const { client, id } = await server.agent('editor', '', 'Scribe');
    await fill(client, server.host.clock);
    const listed = (await client.request('tools/list')).json.result.tools as readonly Described[];
    const shown = listed.map(({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, inputSchema }),
    );
    add('tool definitions', shown.join('\n'));
    const ask = async (name: string, args: object): Promise<string> => (await client.call(name, args)).text;
    add('list of 200 documents in 4 folders', await ask('list_org_docs', { recursive: true, limit: 200 }));
    add('list of 50 documents in one folder', await ask('list_org_docs', { location: 'handbook/git', limit: 50 }));
    add('list of 4 folders', await ask('list_org_folders', { location: 'handbook' }));
    const whole = await ask('read_org_doc', { location: 'team/real.md' });
    const { commit, text } = JSON.parse(whole) as { readonly commit: string; readonly text: string };
    const plain = encode(text).length;
    const escapes = encode(JSON.stringify(text)).length - plain;
    add('read of a Markdown text of 14.7 kB', whole, `its text alone ${plain}, JSON escapes ${escapes}`);
    add('one section of it', await ask('read_org_doc', { location: 'team/real.md', section: 'installation' }));
    const edits = [{ old_text: '## Features', new_text: '## What it does' }];
    add('edit of one line', await ask('edit_org_doc', { location: 'team/real.md', expected_commit: commit, edits }));
    const found = await ask('search_org_knowledge', { query: 'branch history' });
    const { hits } = JSON.parse(found) as { readonly hits: readonly { readonly snippet: string }[] };
    const snippets = hits.reduce((sum, { snippet }) => sum + encode(snippet).length, 0);
    add('search of 10 hits', found, `their snippets alone ${snippets}`);
    add('not found', await ask('read_org_doc', { location: 'team/none.md' }));
    const headings = await ask('read_org_doc', { location: 'team/changelog.md', max_chars: 500 });
    add('500 characters of a text with 300 headings', headings);
    const thread = await ask('message', { action: 'read', thread_id: await fillThread(server, id) });
    add('thread of 20 messages of 7,000 characters', thread);
    const resource = await client.request('resources/read', { uri: 'cartulary://doc/team/book.txt' });
    add('resource of 900 kB', resource.text);
  } finally {
    await server.close();
  }
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

const subjects =
  'add am apply archive bisect blame branch checkout clone commit config describe diff fetch gc grep init log merge mv'.split(
    ' ',
  );
const folders = ['handbook/git', 'handbook/releases', 'handbook/policies', 'handbook/onboarding/engineering'];
/** Milliseconds, so that a folder is written on several days. */
const betweenWrites = 3 * 60 * 60 * 1000;
const paragraph =
  'A branch keeps its own history until it is merged, and the history of a branch names who wrote what. ';

/** Documents in folders, a real text of 14.7 kB, one with many headings, and a long one. */
async function fill(client: McpClient, clock: McpTestServer['host']['clock']): Promise<void> {
  const write = (location: string, content: string) => client.call('write_org_doc', { location, content });
  for (const folder of folders) {
    for (let index = 0; index < 50; index += 1) {
      clock.advance(betweenWrites);
      const name = `${subjects[index % subjects.length]}-${subjects[(index * 7 + 3) % subjects.length]}-${index}`;
      await write(`${folder}/${name}.md`, `# How to ${name}\n\n${paragraph.repeat(3)}\n`);
    }
  }
  // A package of an exact version, so that the text stays the same.
  const readme = readFileSync(packagePath('node_modules', 'gpt-tokenizer', 'README.md'), 'utf8');
  await write('team/real.md', readme.slice(0, readme.lastIndexOf('\n', 14_700) + 1));
  const sections = Array.from({ length: 300 }, (_, index) => `## Release ${index}.0 of the service\n\nfixed\n\n`);
  await write('team/changelog.md', `# Changelog\n\n${sections.join('')}`);
  await write('team/book.txt', `${paragraph}\n`.repeat(9000));
}

/** @returns the id of a thread of 20 long messages */
async function fillThread(server: McpTestServer, reader: string): Promise<string> {
  const { client } = await server.agent('editor', 'team', 'Writer');
  let thread: string | undefined;
  for (let index = 0; index < 20; index += 1) {
    const body = `${index} ${paragraph.repeat(70).slice(0, 7000)}`;
    const more = thread === undefined ? { to: [reader], subject: 'Long' } : { to: [reader], thread_id: thread };
    const { done } = await client.call('message', { action: 'send', body, ...more });
    thread = String(done.messages[0].thread_id);
  }
  return thread ?? '';
}
