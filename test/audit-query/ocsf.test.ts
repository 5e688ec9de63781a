import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { actionKinds } from '../../lib/audit/actions.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

const isEvent = new Ajv2020({ strict: false, allErrors: true }).compile(
  JSON.parse(readFileSync('test/audit-query/ocsf-api-activity.json', 'utf8')) as object,
);

describe('an export for a SIEM', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver', '', 'Ada');
    await ada.create('plans/a.md', 'text');
    await ada.get('/v1/documents/plans/a.md');
    await ada.get('/v1/documents/absent.md');
    await ada.delete('/v1/documents/plans/a.md');
    await server.as('no such key').get('/v1/folders');
    await ada.get('/v1/folders?location=');
  });
  after(() => server.close());

  it('has an event of API Activity for each record, as the published schema wants it', async () => {
    const { lines } = await ask('audit.export', { format: 'ocsf' });
    const events = lines.map((line) => JSON.parse(line) as Event);
    assert.ok(events.length > 8);
    for (const event of events) assert.ok(isEvent(event), JSON.stringify([isEvent.errors, event], null, 1));
    const ofAda = events.filter(({ actor }) => actor.user.name === 'Ada');
    assert.deepEqual(
      ofAda.map(({ activity_name, api, status, resources }) => [
        activity_name,
        api.operation,
        status,
        resources?.[0]?.name,
      ]),
      [
        ['Create', 'document.create', 'Success', 'plans/a.md'],
        ['Read', 'document.read', 'Success', 'plans/a.md'],
        ['Read', 'document.read', 'Failure', 'absent.md'],
        ['Delete', 'document.delete', 'Success', 'plans/a.md'],
        // The root, which has no name of its own.
        ['Read', 'folder.list', 'Success', '/'],
      ],
    );
    assert.deepEqual(
      events.map(({ metadata }) => metadata.sequence),
      events.map((_, index) => index + 1),
    );
  });

  it('knows of each action that the service records what it does', () => {
    const sources = readdirSync('lib', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/console.web|audit.actions/.test(file))
      .map((file) => readFileSync(join('lib', file), 'utf8'))
      .join('\n');
    const recorded = [...sources.matchAll(/\b(?:name|action): '([a-z]+\.[a-z_]+)'/g)].map(([, name = '']) => name);
    assert.ok(recorded.length > 80);
    assert.deepEqual(
      recorded.filter((name) => !actionKinds.has(name)),
      [],
    );
    assert.deepEqual(
      [...actionKinds.keys()].filter((name) => !sources.includes(`'${name}'`)),
      [],
    );
  });

  it('without texts names no place, and is as valid', async () => {
    const { lines } = await ask('audit.export', { format: 'ocsf', no_texts: true });
    assert.ok(lines.every((line) => !line.includes('plans')));
    for (const line of lines) assert.ok(isEvent(JSON.parse(line)), line);
  });

  it('is refused in a format that there is not', async () => {
    const { result } = await ask('audit.export', { format: 'cef' });
    assert.match(JSON.stringify(result), /must be ocsf/);
  });

  it('`who read` names each reader once, and `audit list` the records', async () => {
    const who = (await ask('who.read', { location: 'plans' })).result as {
      readonly result: { readonly items: readonly object[] };
    };
    const { items } = who.result;
    assert.deepEqual(
      items.map((item) => ({ ...item, id: '', first: '', last: '' })),
      [{ id: '', name: 'Ada', kind: 'person', key_made_by: 'Operator', times: 1, first: '', last: '' }],
    );
    const listed = JSON.stringify((await ask('audit.list', { location: '/plans', action: 'document.delete' })).result);
    assert.match(listed, /plans\/a\.md/);
    assert.match(JSON.stringify((await ask('audit.list', { outcome: 'maybe' })).result), /must be done or refused/);
  });

  async function ask(
    command: string,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<{ lines: string[]; result: unknown }> {
    const lines: string[] = [];
    const result = await runCommand(
      { command, fields },
      {
        host: server.host.service,
        server: null,
        address: 'http://localhost',
        signal: new AbortController().signal,
        onFault: () => assert.fail('a fault'),
        onProgress(part) {
          lines.push(...(part as { readonly lines: readonly string[] }).lines);
          return Promise.resolve();
        },
      },
    );
    return { lines, result };
  }
});

interface Event {
  readonly activity_name: string;
  readonly status: string;
  readonly api: { readonly operation: string };
  readonly actor: { readonly user: { readonly name?: string } };
  readonly resources?: readonly { readonly name?: string }[];
  readonly metadata: { readonly sequence: number };
}
