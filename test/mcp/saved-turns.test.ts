import assert from 'node:assert/strict';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import type { Parsed } from '../support/http/server.js';

/** The usual slips of a model. Each takes up what a refusal offers, and otherwise looks for it with further calls. */
describe('An agent that slips', () => {
  let server: McpTestServer;
  let agent: ScriptedAgent;
  let colleague: McpClient;
  let reviewer: string;
  const plan = 'team/plan.md';

  before(async () => {
    server = await openMcpServer();
    agent = new ScriptedAgent((await server.agent('editor', 'team', 'Scribe')).client);
    const other = await server.agent('editor', 'team', 'Reviewer');
    colleague = other.client;
    reviewer = other.id;
    const id = (await server.agent('editor', 'rules', 'Clerk')).client;
    await id.call('write_org_doc', { location: 'rules/one.md', content: '# One\n' });
    const scribe = server.host.workspace.journal.reader.principals
      .list()
      .find(({ displayName }) => displayName === 'Scribe');
    await server.host.grant('reader', { type: 'principal', id: scribe?.id ?? '' }, 'rules');
    await colleague.call('write_org_doc', { location: plan, content: '# Plan\n\none\ntwo\nthree\n' });
  });
  after(() => {
    if (process.env['TEST_SHOW_COSTS'] === '1') console.log(`${agent.calls} calls, ${agent.tokens} tokens`);
    return server.close();
  });

  const commitOf = async (location: string): Promise<string> =>
    (await agent.call('read_org_doc', { location, outline_only: true })).done.commit;

  const slips: readonly (readonly [title: string, most: number, work: () => Promise<void>])[] = [
    [
      'releases a claim that it does not have',
      1,
      async () => {
        const { error } = await agent.call('claim', { action: 'release', location: plan });
        if (error.reason !== 'no_claim') await agent.call('claim', { action: 'list', location: plan });
        if (error.near !== undefined) await agent.call('read_org_doc', { location: error.near[0], outline_only: true });
      },
    ],
    [
      'reads a version that never was',
      2,
      async () => {
        const { error } = await agent.call('read_org_doc', { location: plan, commit: '0'.repeat(40) });
        const [known] = (error.versions ?? []) as { commit: string }[];
        const commit = known?.commit ?? (await commitOf(plan));
        assert.equal((await agent.call('read_org_doc', { location: plan, commit })).refusal, '');
      },
    ],
    [
      'edits beside a line that somebody has just changed',
      3,
      async () => {
        const expected_commit = await commitOf(plan);
        const theirs = { location: plan, expected_commit, edits: [{ old_text: 'two', new_text: 'two and a half' }] };
        await colleague.call('edit_org_doc', theirs);
        const mine = { ...theirs, edits: [{ old_text: 'two', new_text: 'TWO' }], on_stale: 'apply' };
        let said = await agent.call('edit_org_doc', mine);
        // An answer that recommends what was sent has it sent again.
        if (said.error.hint.includes('on_stale: "apply"')) said = await agent.call('edit_org_doc', mine);
        const anew = { ...mine, expected_commit: said.error.current_commit };
        assert.equal((await agent.call('edit_org_doc', anew)).refusal, '');
      },
    ],
    [
      'expects a version that never was',
      3,
      async () => {
        const args = { location: plan, expected_commit: '0'.repeat(40), edits: [{ old_text: 'one', new_text: '1' }] };
        const { error } = await agent.call('edit_org_doc', args);
        // "It changed since" has it look for what changed.
        if (error.hint.includes('since_commit')) {
          await agent.call('read_org_doc', { location: plan, since_commit: args.expected_commit });
        }
        const expected_commit = await commitOf(plan);
        assert.equal((await agent.call('edit_org_doc', { ...args, expected_commit })).refusal, '');
      },
    ],
    [
      'edits with the names of another tool',
      2,
      async () => {
        const expected_commit = await commitOf(plan);
        const edits: object[] = [{ old_str: 'three', new_str: '3' }];
        let said = await agent.call('edit_org_doc', { location: plan, expected_commit, edits });
        if (said.refusal !== '') {
          said = await agent.call('edit_org_doc', {
            location: plan,
            expected_commit,
            edits: [{ old_text: 'three', new_str: '3' }],
          });
        }
        if (said.refusal !== '') {
          said = await agent.call('edit_org_doc', {
            location: plan,
            expected_commit,
            edits: [{ old_text: 'three', new_text: '3' }],
          });
        }
        assert.equal(said.refusal, '');
      },
    ],
    [
      'reads by the address that answers give',
      1,
      async () => {
        const { refusal } = await agent.call('read_org_doc', { location: `cartulary://doc/${plan}` });
        if (refusal !== '') await agent.call('read_org_doc', { location: plan });
      },
    ],
    [
      'writes to somebody by name',
      1,
      async () => {
        const message = { action: 'send', to: ['Reviewer'], subject: 'Plan', body: 'Please look.' };
        if ((await agent.call('message', message)).refusal === '') return;
        await agent.call('who_can_read', { location: plan });
        assert.equal((await agent.call('message', { ...message, to: [reviewer] })).refusal, '');
      },
    ],
    [
      'reads messages without saying which',
      2,
      async () => {
        const { error } = await agent.call('message', { action: 'read' });
        assert.equal(error.reason, 'missing_field');
        const [{ message_id, thread_id }] = (await agent.call('message', { action: 'list', box: 'sent' })).done
          .messages;
        if (!error.message.includes('thread_id'))
          await agent.call('message', { action: 'read', message_ids: [message_id] });
        else assert.ok(thread_id);
      },
    ],
    [
      'lists a folder with a name that is not quite right',
      2,
      async () => {
        const { done } = await agent.call('list_org_docs', { location: 'teams' });
        const [near] = (done.folders ?? []) as string[];
        const location = near ?? (await agent.call('list_org_folders', {})).done.folders[0].location;
        if (near === undefined) assert.equal(location, 'rules');
        assert.ok((await agent.call('list_org_docs', { location: 'team' })).done.documents.length > 0);
      },
    ],
    [
      'has a blank before a location',
      1,
      async () => {
        const { refusal } = await agent.call('read_org_doc', { location: ` ${plan}` });
        if (refusal !== '') await agent.call('read_org_doc', { location: plan });
      },
    ],
    [
      'writes where it may only read',
      1,
      async () => {
        const { error } = await agent.call('write_org_doc', { location: 'rules/two.md', content: '# Two\n' });
        if (error.your_role === undefined) {
          await agent.call('list_org_docs', { location: 'rules' });
          await agent.call('brief_me', {});
        }
      },
    ],
    [
      'edits a long line, and looks whether the edit was right',
      2,
      async () => {
        const location = 'team/line.json';
        const content = `{"items":[${'"item",'.repeat(80_000)}"last"]}`;
        const { commit } = (await colleague.call('write_org_doc', { location, content })).done;
        const edits = [{ old_text: '"last"', new_text: '"final"' }];
        const { done } = await agent.call('edit_org_doc', { location, expected_commit: commit, edits });
        if (!done.diff.includes('"final"')) {
          await agent.call('read_org_doc', { location, start_column: 559_000 });
        }
      },
    ],
    [
      'makes a picture of text',
      2,
      async () => {
        const { refusal } = await agent.call('write_org_doc', { location: 'team/chart.png', content: 'a chart\n' });
        // Somebody opens it, and it is no picture.
        if (refusal === '')
          await agent.call('delete_org_doc', {
            location: 'team/chart.png',
            expected_commit: await commitOf('team/chart.png'),
          });
        await agent.call('write_org_doc', { location: 'team/chart.md', content: 'a chart\n' });
      },
    ],
  ];
  for (const [title, most, work] of slips) {
    it(`${title}, and goes on after ${most === 1 ? 'one call' : `${most} calls`}`, async () => {
      const calls = await countCalls(work);
      if (process.env['TEST_SHOW_COSTS'] === '1') console.log(`      ${calls} calls`);
      else assert.ok(calls <= most, `${calls} calls`);
    });
  }

  /** @returns the calls that the work took */
  async function countCalls(work: () => Promise<void>): Promise<number> {
    const before = agent.calls;
    await work();
    return agent.calls - before;
  }
});

/** Calls the tools as a model does that does what an answer says, and counts what it costs. */
class ScriptedAgent {
  readonly #client: McpClient;
  calls = 0;
  tokens = 0;

  constructor(client: McpClient) {
    this.#client = client;
  }

  async call(name: string, args: object): Promise<Said> {
    const said = await this.#client.call(name, args);
    this.calls += 1;
    this.tokens += encode(JSON.stringify(args)).length + encode(said.text).length;
    return said;
  }
}

interface Said {
  readonly refusal: string;
  readonly text: string;
  readonly done: Parsed;
  readonly error: Parsed;
}
