import { McpClient } from '../support/http/open-mcp.js';
import { drive } from './drive.js';
import { authorization, writeLoad, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { seed, type Seeded } from './seed.js';
import { startWatched, type Holds, type RunningServer } from './start-server.js';

const megabyte = 1024 * 1024;
const fill = (unit: string): string => unit.repeat(Math.floor(megabyte / Buffer.byteLength(unit)));

/** Documents of a megabyte: an ordinary one, and some that cost a reader more than their length suggests. */
const texts: Readonly<Record<string, string>> = {
  'ordinary words': fill('Whoever travels books a train where the journey takes less than four hours.\n'),
  'opening brackets': fill('['),
  'combining marks': `a${fill('\u0301')}`,
  'one word of 120,000 letters, again and again': fill(`${'q'.repeat(120_000)} `),
  'signs that normalisation makes eighteen of': fill('\uFDFA'),
  headings: fill('# a\n'),
  'lists in lists': fill('- a\n  - b\n'),
};

const hostileQueries = [
  'a~2 b~2 word~2 thee~2',
  '*ing* s*n *e* a*d',
  'the of and to in is it that for was on are as with his they be at one have this from or had',
  `"${'the '.repeat(60)}"`,
  '['.repeat(500),
];

/** Work that holds the service's event loop, for which all other callers wait. */
export async function measureHolds(report: Report, effort: Effort): Promise<void> {
  const seeded = await seed(10_000);
  const service = await startWatched(seeded.dataFolder);
  const client = new McpClient(service.url, seeded.key);
  const add = (what: string, { p99, longest }: Holds): void =>
    report.add({
      what: `event loop held, ${what}`,
      value: longest,
      unit: 'ms',
      goal: '< 50 ms',
      note: `p99 ${p99.toFixed(1)}, ${Math.round(service.residentBytes() / megabyte)} MB resident`,
    });
  // Until the validator and V8 have made their caches.
  await drive({ ...writeLoad(seeded, service.url, 16), seconds: 2 });
  await service.readHolds();
  await drive({ ...writeLoad(seeded, service.url, 16), seconds: effort.seconds * effort.times });
  add('16 clients writing, with checkpoints and joined packs', await service.readHolds());
  await write(service, seeded, 'long/first.md', 'The first of its kind.');
  await search(service, seeded, 'first');
  await service.readHolds();
  for (const [name, text] of Object.entries(texts)) {
    const location = `long/${name.replaceAll(/\W+/g, '-')}.md`;
    await write(service, seeded, location, text);
    // A search waits until the index has followed.
    await search(service, seeded, 'clause');
    add(`a document of 1 MB of ${name}, written and searched`, await service.readHolds());
    await edit(client, location);
    add('the same read in parts and edited by an agent', await service.readHolds());
  }
  for (const query of hostileQueries) await search(service, seeded, query);
  add('hostile queries', await service.readHolds());
  await drive({
    url: service.url,
    connections: 4,
    seconds: effort.seconds,
    headers: authorization(seeded.key),
    next: () => ({ method: 'GET', path: '/v1/folders/export?location=' }),
  });
  add('4 exports of everything at a time', await service.readHolds());
  await service.stop();
  await seeded.remove();
}

async function write(service: RunningServer, seeded: Seeded, location: string, text: string): Promise<void> {
  const answer = await fetch(`${service.url}/v1/documents`, {
    method: 'POST',
    headers: {
      ...authorization(seeded.key),
      'content-type': 'application/json',
      'idempotency-key': location.replaceAll('/', ':'),
    },
    body: JSON.stringify({ location, content: text }),
  });
  if (!answer.ok) throw new Error(`${location} was answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

async function search(service: RunningServer, seeded: Seeded, query: string): Promise<void> {
  const headers = authorization(seeded.key);
  const answer = await fetch(`${service.url}/v1/search?q=${encodeURIComponent(query)}`, { headers });
  await answer.arrayBuffer();
}

/** Every kind of edit that searches for its place; all but the last find none. */
async function edit(client: McpClient, location: string): Promise<void> {
  const read = await client.call('read_org_doc', { location, max_chars: 60_000 });
  await client.call('read_org_doc', { location, section: 'no such heading' });
  const expected_commit = (read.done?.commit ?? '0'.repeat(40)) as string;
  const [first = ''] = Object.values(texts);
  for (const one of [
    { op: 'replace_text', old_text: first.slice(0, 100_000), new_text: 'x' },
    { op: 'replace_text', old_text: 'aaaaaaaaaaaaaaaaaaaaaaaaab'.repeat(1000), new_text: 'x' },
    { op: 'replace_section', section: 'no such heading', new_text: 'x' },
    { op: 'append', new_text: 'x' },
  ]) {
    await client.call('edit_org_doc', { location, expected_commit, edits: [one] });
  }
}
