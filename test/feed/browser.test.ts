import assert from 'node:assert/strict';
import { join } from 'node:path';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { requireChromium, type TestBrowser } from '../support/browser/chromium.js';
import {
  findFreePort,
  makeFolder,
  startProgram,
  tidyUp,
  timeout,
  type RunningProgram,
} from '../support/processes/run-program.js';
import { operator, TestClock, TestService } from '../support/store/service.js';
import { until } from '../support/until.js';

describe('an EventSource in a browser', function () {
  this.timeout(timeout);
  let browser: TestBrowser;
  let server: RunningProgram | undefined;
  let url: string;
  let data: string;
  let key: string;
  let cookie: string;

  before(async function () {
    browser = requireChromium(this);
    data = join(await makeFolder(), 'data');
    url = `http://127.0.0.1:${await findFreePort()}`;
    await prepare();
    await serve();
  });
  after(async () => {
    await browser.close();
    await server?.stop('SIGKILL');
    await tidyUp();
  });

  it('hears each change once, also those made while it was cut off by the end of its server', async () => {
    const context = await browser.context();
    await context.addCookies([{ name: 'cartulary', value: cookie, url }]);
    const page = await context.newPage();
    await page.goto(`${url}/console/w/acme/f/`);
    await page.evaluate(() => {
      const source = new EventSource('/console/api/workspaces/acme/changes?start=now');
      const listening: Listening = { heard: [], source };
      source.addEventListener('message', ({ data: text }) => {
        const { kind, document } = JSON.parse(text as string) as { kind: string; document: { location: string } };
        listening.heard.push(`${kind} ${document.location}`);
      });
      Object.assign(globalThis, { listening });
      return new Promise((resolve) => source.addEventListener('open', resolve));
    });
    const heard = (): Promise<string[]> =>
      page.evaluate(() => (globalThis as unknown as { listening: Listening }).listening.heard);
    await create('first.md');
    await until('the first is heard', async () => (await heard()).length === 1);
    await server?.stop('SIGKILL');
    await serve();
    // The browser waits two seconds before it connects again, and then says which event was the last one.
    await create('second.md');
    await create('third.md');
    await until('all are heard', async () => (await heard()).length >= 3);
    assert.deepEqual(await heard(), ['created first.md', 'created second.md', 'created third.md']);
  });

  /** A person with a session and a key, in a data folder that no program serves yet. */
  const prepare = async (): Promise<void> => {
    const service = await Service.open({
      dataFolder: data,
      git: 'auto',
      clock: systemClock,
      randomness: makeSystemRandomness(),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    const workspace = await service.addWorkspace('acme');
    const ada = await new TestService(service, workspace, new TestClock(), null).person('editor');
    const asked = { principalId: ada.id, signInName: 'ada@example.org' };
    const { result } = await perform(workspace, operator, issueLink, asked);
    const { people } = service;
    const identityId = people.links.look(result.secret)?.id ?? '';
    const session = { identityId, method: 'password', browser: 'Test', address: '127.0.0.1' } as const;
    cookie = people.sessions.begin(session).secret;
    ({ key } = ada);
    await service.close();
  };

  const serve = async (): Promise<void> => {
    server = await startProgram(['serve', '--data', data, '--port', new URL(url).port, '--json'], /^\{/);
  };

  const create = async (location: string): Promise<void> => {
    const answer = await fetch(`${url}/v1/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': location },
      body: JSON.stringify({ location, content: 'text' }),
    });
    assert.equal(answer.status, 201, await answer.text());
  };
});

/** Runs in the page. */
interface Listening {
  heard: string[];
  source: EventSource;
}
