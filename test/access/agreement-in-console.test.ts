import assert from 'node:assert/strict';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { openConsole, type TestConsole } from '../support/http/console.js';
import type { Person } from '../support/model/actors.js';
import { names, paths } from '../support/model/commands.js';
import { Compared, pathsIn } from '../support/model/compared.js';
import { compareHistories } from '../support/model/service-and-model.js';
import { operator, TestService } from '../support/store/service.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { ConsolePerson } from './console-person.js';

/** Few: each request goes over HTTP. */
const histories = countOf('CONSOLE_HISTORIES', { usual: 1, campaign: 200 });
const seed = seedOf(20260107);

describe('The console and the reference model', () => {
  it('agree on the outcome of every command, and on the answers to all people after it', async function () {
    this.timeout(60_000 + histories * 10_000);
    const test = await openConsole();
    let opened = 0;
    try {
      const seen = await compareHistories(
        {
          async open() {
            const { service, clock } = test.host;
            opened += 1;
            const workspace = await service.addWorkspace(`compared-${opened}`);
            await perform(workspace, operator, changePolicy, { requestsPerMinute: 1_000_000, burst: 1_000_000 });
            const pair = new ComparedInConsole(test, new OneWorkspace(service, workspace, clock, null));
            await pair.begin();
            return pair;
          },
          async afterEach(pair, done, context) {
            await pair.compare([], [], pathsIn(done), context);
            await pair.compareFeeds(context);
          },
          atTheEnd: (pair, context) => pair.compare(['', ...names], [], paths, context),
        },
        { histories, seed },
      );
      const often = ['create done', 'update done', 'grant done', 'rename NOT_FOUND', 'disable done'];
      requireSeen(often, seen, { count: histories, enough: 4 });
      assert.equal(opened, histories);
    } finally {
      await test.close();
    }
  });
});

/** One workspace of the service; it ends with the service. */
class OneWorkspace extends TestService {
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Service and model, where all people use the console. */
class ComparedInConsole extends Compared {
  readonly #test: TestConsole;

  constructor(test: TestConsole, service: TestService) {
    super(service);
    this.#test = test;
  }

  protected override makePerson(id: string): Person {
    return new ConsolePerson(this.#test, this.service, id);
  }
}
