import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ToolBox } from '../../lib/mcp/call-tool.js';
import { tools } from '../../lib/mcp/tools.js';
import { toResult } from '../../lib/mcp/write-result.js';
import type { RequestContext } from '../../lib/mcp/request-context.js';
import { reasons } from '../../lib/domain/reason.js';
import { Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { makeArguments, type Known, type Schema } from '../support/http/any-arguments.js';
import { checkSaid } from '../support/http/check-said.js';

/** Calls of each tool in each run of the tests. Raise it, or change the seed, for a longer hunt. */
const calls = 150;
const seed = 20261121;

const box = new ToolBox(tools);

describe('A tool called with any arguments', function () {
  this.timeout(120_000);

  let test: TestService;
  let context: RequestContext;
  let known: Known;
  /** The newest commits of documents. */
  const commits: string[] = [];
  let done = 0;
  let refused = 0;

  before(async () => {
    test = await openTestService();
    const id = await test.principal('Agent', 'agent');
    const other = await test.principal('Other', 'agent');
    await test.grant('editor', { type: 'principal', id }, 'team');
    await test.grant('editor', { type: 'principal', id: other }, 'team');
    const operator = new Client(test.workspace, 'operator');
    for (const location of ['team/a.md', 'team/sub/b.md', 'secret/c.md']) {
      const made = await operator.create(location, '# One\n\nwords here\n\n## Two\n\nmore words\n');
      commits.push(made.current.id);
    }
    known = {
      location: [
        'team/a.md',
        'team/sub/b.md',
        'secret/c.md',
        'team',
        'team/sub',
        'team/new.md',
        'secret',
        'nowhere.md',
      ],
      folder: ['team', 'secret', 'team/sub'],
      section: ['one', 'two', 'One', 'nothing'],
      expected_commit: commits,
      old_text: ['words', 'more words', 'absent'],
      query: ['words', '"more words"', 'title:one', '+words -more', 'wor*', 'words~1', '^^', '"'],
      to: [id, other, 'Other', 'operator'],
      about: ['team/a.md', 'secret/c.md'],
    };
    context = {
      workspace: test.workspace,
      caller: { principalId: id, kind: 'agent', credentialId: null, interface: 'mcp', requestId: 'req_test' },
      cursors: test.service.cursors,
      owner: id,
      scopes: ['org:read', 'org:write'],
      isInForce: () => true,
      keepsSubscriptions: false,
      departure: () => new AbortController().signal,
      charge: () => undefined,
      onFault(cause) {
        throw cause;
      },
    };
  });

  after(async () => {
    await test.close();
  });

  for (const { name, inputSchema, annotations } of box.definitions) {
    it(`${name} does it or says why not, in words that are described, and one record is left`, async () => {
      await fc.assert(
        fc.asyncProperty(makeArguments(inputSchema as Schema, known), async (args) => {
          const { head, chain } = test.workspace.journal.state;
          const answer = toResult(await box.call(context, name, args));
          const text = answer.content[0]?.text ?? '';
          checkSaid(name, answer, text);
          const after = test.workspace.journal.state;
          assert.equal(after.chain.seq, chain.seq + 1, 'one record');
          if (answer.isError === true) {
            refused += 1;
            const { reason, code } = JSON.parse(text).error as { reason: keyof typeof reasons; code: string };
            assert.ok(reason in reasons, reason);
            assert.notEqual(code, 'INTERNAL');
            assert.doesNotMatch(text, /secret\/c\.md.*(One|words)/, 'nothing of what is out of reach');
          } else done += 1;
          if (after.head !== head && after.head !== null) commits.unshift(after.head);
          if (answer.isError === true || annotations['readOnlyHint'] === true) assert.equal(after.head, head);
        }),
        { numRuns: calls, seed },
      );
    });
  }

  it('both happen often enough to mean something', () => {
    const all = calls * box.definitions.length;
    assert.ok(done > all / 10 && refused > all / 5, `${done} done, ${refused} refused`);
  });
});
