import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

describe('A page in a browser', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let ada: ConsolePerson;

  before(async function () {
    test = await openConsole(this);
    ada = await test.person('Ada', { '': 'approver' });
    await ada.rest.create('team/plan.md', '# Plan\n\nOne step.\n');
    await ada.rest.post('/v1/comments', { location: 'team/plan.md', text: 'Which one?' });
  });
  after(() => test?.close());

  it('leaves one record when a document is opened, with its comments and all that it follows', async () => {
    const { page } = await test.open(ada, '~/d/team/plan.md');
    await page.getByText('Which one?').waitFor();
    await until('the page follows its place', () => test.server.host.workspace.workLimits.streams.use.used > 0);
    assert.deepEqual(told(), ['document.read team/plan.md']);
    await page.close();
  });

  it('leaves one record for each folder that is opened, also on the way from one to the next', async () => {
    await ada.rest.create('team/deep/x.md', 'x');
    const { use } = test.server.host.workspace.workLimits.streams;
    const before = told().length;
    const { page } = await test.open(ada, '~/f/team');
    await page.getByRole('link', { name: 'deep', exact: true }).click();
    await page.getByRole('link', { name: 'x.md', exact: true }).waitFor();
    await until('the page follows its folder', () => test.server.host.workspace.workLimits.streams.use.used > use.used);
    assert.deepEqual(told().slice(before), ['folder.browse team', 'folder.browse team/deep']);
  });

  const told = (): string[] =>
    test.server
      .records()
      .filter(({ record, text }) => record.interface === 'console' && text?.target?.startsWith('team') === true)
      .map(({ record, text }) => `${record.action} ${text?.target ?? ''}`);
});
