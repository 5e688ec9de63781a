import assert from 'node:assert/strict';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';

describe('who wrote each line, over the console’s API', () => {
  let test: TestConsole;
  let ada: ConsoleClient;
  let first: string;

  before(async () => {
    test = await openConsole();
    ada = await test.person('Ada', 'approver');
    const made = await ada.post('/documents', { location: 'open/a.md', content: 'one\ntwo\n', message: 'Begin' });
    first = made.json.version.id;
    await ada.put('/documents/open/a.md', { content: 'one\n2\n' });
  });
  after(() => test.close());

  it('names the version of each line and the version before that', async () => {
    const rosa = await test.person('Rosa', 'reader', 'open');
    const { status, json } = await rosa.get(annotationsOf('open/a.md'));
    assert.equal(status, 200);
    assert.deepEqual(json.lines, [
      { line: 1, lines: 1, writer: 0 },
      { line: 2, lines: 1, writer: 1 },
    ]);
    assert.deepEqual(
      json.writers.map(
        (each: { operation: string; previous: string | null; version: { id: string; message: string | null } }) => [
          each.version.id,
          each.operation,
          each.previous,
          each.version.message,
        ],
      ),
      [
        [first, 'create', null, 'Begin'],
        [json.version.id, 'update', first, null],
      ],
    );
    const older = await rosa.get(`${annotationsOf('open/a.md')}&version=${first}`);
    assert.deepEqual(older.json.lines, [{ line: 1, lines: 2, writer: 0 }]);
  });

  it('the annotations of the console say why there are no lines', async () => {
    await ada.post('/documents', { location: 'open/b.bin', content: 'AAEC', encoding: 'base64' });
    const { json } = await ada.get(annotationsOf('open/b.bin'));
    assert.deepEqual([json.lines, json.not_annotated_because], [[], 'binary']);
  });

  it('answers the same for an absent document and one out of reach', async () => {
    const sam = await test.person('Sam');
    const answers = await Promise.all(['open/a.md', 'open/none.md'].map((path) => sam.get(annotationsOf(path))));
    assert.deepEqual(
      answers.map(({ refusal }) => refusal),
      ['NOT_FOUND', 'NOT_FOUND'],
    );
  });
});

const annotationsOf = (location: string): string => `/annotations?location=${encodeURIComponent(location)}`;
