import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Refusal } from '../../lib/domain/refusal.js';
import { checkArguments } from '../../lib/mcp/check-arguments.js';
import { amounts, readDefinitions, type DescribedTool } from '../../lib/mcp/definition.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { countOf, seedOf } from '../support/counts.js';
import { makeArguments, makeObject, type Schema } from '../support/http/any-arguments.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

const runs = countOf('FORGIVEN', { usual: 150, campaign: 10_000 });
const seed = seedOf(20261123);
const places = ['team/a.md', 'team', 'résumé/é.md'];
const known = { location: places, about: places, to: ['prn_1', 'prn_2'], old_text: ['one'], section: ['one'] };
const commit = 'a'.repeat(40);

describe('Arguments with one meaning', () => {
  const tools = [...readDefinitions().values()];

  it('are the same however they are written, for all tools', () => {
    assert.equal(tools.length, 11);
    for (const tool of tools) {
      const { name, inputSchema } = tool.definition;
      let compared = 0;
      fc.assert(
        fc.property(makeObject(inputSchema as Schema, known), fc.nat(), (args, ways) => {
          let expected: Args;
          try {
            expected = read(tool, args);
          } catch {
            return;
          }
          // Of blanks and slashes around a place some are dropped, so more around them would mean something else.
          const isBare = (place: unknown): boolean =>
            typeof place !== 'string' || !/^[\s/]|[\s/]$|^cartulary:/.test(place);
          if (!isBare(args['location']) || !isBare(args['about'])) return;
          // A text that begins like a list, or is empty, is no item by itself.
          const isItem = (item: unknown): boolean => typeof item !== 'string' || !/^\s*\[|^$/.test(item);
          if (!Object.values(args).every((each) => !Array.isArray(each) || each.every(isItem))) return;
          compared += 1;
          assert.deepEqual(read(tool, sendOtherwise(name, args, inputSchema as Schema, ways)), expected);
          assert.deepEqual(read(tool, expected), expected, 'what was read is read as it is');
        }),
        { numRuns: runs, seed },
      );
      assert.ok(compared > runs / 5, `${name}: ${compared}`);
    }
  });

  it('match the schema whatever is sent, or are refused', () => {
    for (const tool of tools) {
      fc.assert(
        fc.property(makeArguments(tool.definition.inputSchema as Schema, known), (sent) => {
          let taken: Args;
          try {
            taken = read(tool, sent);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            return;
          }
          assert.ok(tool.checkInput(taken));
          // No argument appears, and each amount is one of the tool's.
          const known = new Set(Object.keys(sent ?? {}));
          for (const name of Object.keys(taken)) {
            const others = ['path', 'file_path', 'file_text'];
            assert.ok(known.has(name) || others.some((other) => known.has(other)), name);
          }
          const { clamped } = runAtOnce(checkArguments(tool, sent));
          for (const [name, amount] of Object.entries(clamped)) assert.ok(amounts.has(name) && taken[name] === amount);
        }),
        { numRuns: runs, seed },
      );
    }
  });

  it('are not guessed where there are several meanings', () => {
    const edit = { location: 'a.md', expected_commit: commit };
    const refused: readonly (readonly [string, object, string])[] = [
      ['write_org_doc', { location: 'notes/', content: 'x' }, ''],
      ['edit_org_doc', { ...edit, expected_commit: '', edits: [] }, 'bad_field'],
      ['edit_org_doc', { ...edit, edits: '' }, 'bad_field'],
      ['edit_org_doc', { ...edit, edits: 'one' }, 'bad_field'],
      ['edit_org_doc', { ...edit, edits: '[{"old_text":"a"' }, 'bad_field'],
      ['edit_org_doc', { ...edit, edits: { old_text: 'a', new_text: 'b', count: 5000 } }, 'bad_field'],
      ['edit_org_doc', { ...edit, edits: '{"__proto__":{"new_text":"b"}}' }, 'missing_field'],
      ['edit_org_doc', { ...edit, edits: '{"new_text":"b","__proto__":{"count":2}}' }, 'unknown_field'],
      ['edit_org_doc', { ...edit, edits: `${'['.repeat(100)}${']'.repeat(100)}` }, 'bad_field'],
      ['edit_org_doc', { ...edit, edits: `{"a":${'['.repeat(100)}` }, 'bad_field'],
      ['message', { action: 'send', to: '[prn_1', body: 'x' }, 'bad_field'],
      ['read_org_doc', { location: 'a.md', start_line: '0' }, 'bad_field'],
      ['read_org_doc', { location: 'a.md', start_line: '1.5' }, 'bad_field'],
      ['read_org_doc', { location: 'a.md', start_line: '1e3' }, 'bad_field'],
      ['read_org_doc', { location: 'a.md', outline_only: 'yes' }, 'bad_field'],
      ['read_org_doc', { location: 'a.md', outline_only: 1 }, 'bad_field'],
      ['read_org_doc', { location: '/' }, 'bad_field'],
      ['list_org_docs', { limit: '-1' }, 'bad_field'],
    ];
    for (const [name, args, reason] of refused) {
      const tool = tools.find(({ definition }) => definition.name === name);
      assert.ok(tool !== undefined);
      let said: unknown = '';
      try {
        const taken = read(tool, args);
        assert.equal(taken['location'], (args as Args)['location'], 'it stays for the operation to refuse');
      } catch (error) {
        said = error instanceof Refusal ? error.details?.reason : error;
      }
      assert.equal(said, reason, JSON.stringify(args).slice(0, 100));
    }
  });
});

describe('A model that writes arguments its own way', () => {
  let server: McpTestServer;
  let agent: McpClient;
  before(async () => {
    server = await openMcpServer();
    agent = (await server.agent('editor', 'team', 'Ada')).client;
  });
  after(() => server.close());

  it('is answered, and learns of amounts that were beyond a bound', async () => {
    const location = 'team/plan.md';
    const content = '# Plan\n\nintro\n\n## Tasks\n\n- one\n';
    const made = (await agent.call('write_org_doc', { location, content, expected_commit: '', note: '' })).done;
    assert.equal(made.created, true);
    // A default is never refused.
    const section = (await agent.call('read_org_doc', { location, section: 'tasks', start_line: 1, start_column: 1 }))
      .done;
    assert.deepEqual([section.start_line, section.clamped], [5, undefined]);
    const short = (await agent.call('read_org_doc', { location: '/team/plan.md/', max_chars: '100', cursor: null }))
      .done;
    assert.deepEqual([short.location, short.clamped], [location, { max_chars: 500 }]);
    const edits = { op: 'append_to_section', section: 'tasks', old_text: '', new_text: '- two', count: 1 };
    const edited = (
      await agent.call('edit_org_doc', { location, expected_commit: made.commit, edits, dry_run: 'True' })
    ).done;
    assert.deepEqual([edited.dry_run, edited.replacements], [true, 1]);
    assert.deepEqual((await agent.call('list_org_docs', { limit: 1000 })).done.clamped, { limit: 200 });
    const claimed = (await agent.call('claim', { action: 'take', location, ttl_seconds: 10, section: '' })).done;
    assert.deepEqual([claimed.clamped, claimed.claims[0].section], [{ ttl_seconds: 60 }, undefined]);
  });

  it('can name arguments as in other tools for files, and places by their resource or with blanks around', async () => {
    const path = 'team/other.md';
    const made = (await agent.call('write_org_doc', { path, file_text: '# Other\n\nå one\n' })).done;
    const edits = [
      { old_str: 'å one', new_str: 'å two' },
      { old_string: 'two', new_string: 'three' },
    ];
    const edited = (await agent.call('edit_org_doc', { file_path: path, expected_commit: made.commit, edits })).done;
    assert.equal(edited.replacements, 2);
    for (const location of [` ${path}\n`, 'cartulary://doc/team/other.md', 'cartulary://doc/te%61m/other.md/']) {
      assert.match((await agent.call('read_org_doc', { location })).done.text, /å three/, location);
    }
    const both = await agent.call('read_org_doc', { path, location: path });
    assert.equal(both.refusal, 'INVALID_REQUEST unknown_field', 'two names are no one meaning');
    assert.match(both.error.message, /^There is no argument path\. There are: location, .*section/);
    const unknown = { location: path, expected_commit: edited.commit, edits: [{ find: 'a', new_text: 'b' }] };
    assert.match((await agent.call('edit_org_doc', unknown)).error.message, /edits\.0\.find\. There are: op, old_text/);
  });

  it('can ask for pages of different sizes, with its defaults said or left out', async () => {
    for (const name of ['b', 'c', 'd', 'e'])
      await agent.call('write_org_doc', { location: `team/p/${name}.md`, content: name });
    const first = (await agent.call('list_org_docs', { location: 'team/p', limit: 1 })).done;
    const asked = { location: '/team/p/', cursor: first.next_cursor, recursive: false };
    const rest = (await agent.call('list_org_docs', { ...asked, limit: '2' })).done;
    assert.equal(rest.documents.length, 2);
    assert.equal(
      (await agent.call('list_org_docs', { ...asked, location: 'team' })).refusal,
      'INVALID_REQUEST bad_cursor',
    );
  });
});

const read = (tool: DescribedTool, sent: unknown): Args => runAtOnce(checkArguments(tool, sent)).args;

type Args = Readonly<Record<string, unknown>>;

/** The same arguments as another model might send them. Each bit of `ways` decides about one argument. */
function sendOtherwise(tool: string, args: Args, { properties = {}, required = [] }: Schema, ways: number): Args {
  const sent: [string, unknown][] = [];
  for (const [index, [name, property]] of Object.entries(properties).entries()) {
    const value = args[name];
    const isOther = ((ways >> (index % 30)) & 1) === 1;
    if (value === undefined) {
      const usual = 'default' in property ? property.default : name === 'location' ? null : '';
      if (isOther && !required.includes(name)) sent.push([name, usual]);
    } else sent.push([name, isOther ? writeOtherwise(tool, name, value, property, ways) : value]);
  }
  return Object.fromEntries(sent);
}

function writeOtherwise(tool: string, name: string, value: unknown, { items }: Schema, ways: number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string' && (name === 'location' || name === 'about')) {
    return `/${value.normalize('NFD')}${tool === 'write_org_doc' ? '' : '/'}`;
  }
  if (!Array.isArray(value)) return value;
  const list =
    items?.properties === undefined ? value : value.map((item) => sendOtherwise('', item as Args, items, ways));
  if (list.length === 1 && typeof list[0] !== 'string') return list[0];
  return list.length === 1 ? list[0] : JSON.stringify(list);
}
