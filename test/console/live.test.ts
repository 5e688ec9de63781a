import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { fromOurPage, openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';
import { until } from '../support/until.js';

describe('the console’s live stream over HTTP', () => {
  let test: TestConsole;
  let ada: ConsoleClient;

  beforeEach(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
    await ada.post('/documents', { location: 'a.md', content: 'one' });
  });
  afterEach(() => test.close());

  it('gives a browser the state at once, and each change within seconds', async () => {
    const stream = await open(ada);
    assert.equal(stream.headers['content-type'], 'text/event-stream');
    assert.equal(stream.headers['cache-control'], 'no-store');
    await until('the state has come', () => states(stream) === 1);
    await ada.put('/documents/a.md', { content: 'two' }, { 'If-Match': '*' });
    await until('the change has come', () => states(stream) === 2);
    stream.destroy();
  });

  it('answers with the present state where JSON is asked for', async () => {
    const { status, json } = await ada.get('/live?location=a.md');
    assert.equal(status, 200);
    assert.equal(json.kind, 'document');
    assert.equal((await ada.get('/live?location=')).json.kind, 'folder');
    assert.equal((await ada.get('/live?location=none.md')).refusal, 'NOT_FOUND');
  });

  it('the console’s live stream ends at sign-out', async () => {
    const stream = await open(ada);
    await until('the state has come', () => states(stream) === 1);
    await ada.send('DELETE', '/session');
    await ended(stream);
  });

  it('ends at once when the service stops, and does not keep it waiting', async () => {
    const stream = await open(ada);
    await until('the state has come', () => states(stream) === 1);
    test.server.host.service.endWatches();
    await ended(stream);
    assert.equal(stream.said.includes('gone'), false);
  });

  it('gives the place back when the browser is gone', async () => {
    for (let round = 0; round < 30; round += 1) {
      const stream = await until('there is room for a stream', async () => {
        const opened = await open(ada);
        if (opened.statusCode === 200) return opened;
        opened.destroy();
        return undefined;
      });
      stream.destroy();
    }
  });

  const states = ({ said }: { readonly said: string }): number => said.split('event: state').length - 1;

  const ended = (stream: IncomingMessage): Promise<unknown> => until('the stream has ended', () => stream.complete);

  /** Opens the stream as a browser does. */
  function open(client: ConsoleClient, location = 'a.md'): Promise<IncomingMessage & { readonly said: string }> {
    const headers = { Cookie: client.cookie, ...fromOurPage, Accept: 'text/event-stream' };
    const target = `${test.server.rest.url}/console/api/workspaces/acme/live?location=${encodeURIComponent(location)}`;
    return new Promise((resolve, reject) => {
      const sent = get(target, { headers, agent: false }, (response) => {
        const stream = Object.assign(response, { said: '' });
        response.setEncoding('utf8');
        response.on('data', (text: string) => void (stream.said += text));
        response.on('error', () => undefined);
        resolve(stream);
      });
      sent.on('error', reject);
    });
  }
});
