import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { countOf, seedOf } from '../support/counts.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { makePdf, makePdfOf, makeStream } from '../support/files/make-pdf.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { requireSame } from '../support/model/canonicalize-answers.js';
import { HeldExtractor } from '../support/store/held-extractor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { show } from './http-face.js';

const pairs = countOf('ACCESS_TEXT_PAIRS', { usual: 6, campaign: 200 });
const seed = seedOf(20261128);

const files = {
  good: makeDocx(wordText('heron wombat')),
  pages: makePdf([['heron'], ['quokka']]),
  scan: makePdfOf([makeStream('0 0 m 10 10 l S')]),
  damaged: Buffer.from('%PDF-1.7 noise\0'),
} as const;
type Content = keyof typeof files;

const content = fc.constantFrom(...(Object.keys(files) as Content[]));
const visible = ['team/a.docx', 'team/b.pdf'];
const hidden = ['hidden/a.docx', 'hidden/b.pdf', 'hidden/c.pdf', 'team.docx', 'aaa/a.docx'];
const does = fc.constantFrom('put' as const, 'put' as const, 'put' as const, 'delete' as const, 'retry' as const);
const openStep = fc.record({ does, path: fc.constantFrom(...visible), content });
const hiddenDoes = fc.oneof(does, fc.constant('erase' as const));
const hiddenStep = fc.record({ does: hiddenDoes, path: fc.constantFrom(...hidden), content });
/** What the admin does, and whether texts are made meanwhile. */
const round = fc.record({ open: openStep, hidden: fc.array(hiddenStep, { maxLength: 4 }), isHeld: fc.boolean() });
const rounds = fc.array(round, { minLength: 3, maxLength: 6 });
type Step = typeof hiddenStep extends fc.Arbitrary<infer Value> ? Value : never;
type Round = typeof round extends fc.Arbitrary<infer Value> ? Value : never;

describe('Files out of a key’s reach', function () {
  let service: TestServer;
  const extractor = new HeldExtractor();

  before(async () => {
    service = await openTestServer({ extractor });
  });
  after(() => service.close());

  it('change no state, text, hit, comparison or retry of others, whatever waits or fails', async function () {
    this.timeout(60_000 + pairs * 10_000);
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(rounds, async (drawn) => {
        const answers = await requireSame((withHidden) => play(drawn, withHidden));
        for (const answer of answers) for (const [state] of answer.matchAll(/"state":"\w+"/g)) seen.add(state);
      }),
      { numRuns: pairs, seed },
    );
    assert.deepEqual([...seen].toSorted(), ['"state":"done"', '"state":"failed"', '"state":"waiting"']);
  });

  async function play(drawn: readonly Round[], withHidden: boolean): Promise<string[]> {
    const server = await service.addWorkspace();
    const { workspace } = server.host;
    const admin = await server.person('approver', '', 'Ada');
    const low = await server.person('editor', 'team', 'Low');
    const settle = async (): Promise<void> => {
      await workspace.search.settled();
      await workspace.texts.files.settled();
      await workspace.search.settled();
    };
    const step = async ({ does: what, path, content: kind }: Step): Promise<HttpAnswer | undefined> => {
      if (what === 'put') return put(admin, path, files[kind]);
      if (what === 'delete') return admin.delete(`/v1/documents/${path}`);
      if (what === 'retry') return low.post(`/v1/texts/${path}`, undefined);
      await eraseAt(workspace, path).then(
        ({ id }) => workspace.eraser.finished(id),
        () => undefined,
      );
      return undefined;
    };
    const answers: string[] = [];
    try {
      for (const { open, hidden: others, isHeld } of drawn) {
        if (isHeld) extractor.hold();
        if (withHidden) for (const other of others) await step(other);
        const opened = await step(open);
        if (opened !== undefined) answers.push(show(opened));
        // Texts come before any question, or after all.
        await (isHeld ? workspace.search.settled() : settle());
        for (const path of [...visible, ...hidden]) answers.push(show(await low.get(`/v1/documents/${path}`)));
        answers.push(show(await low.post(`/v1/texts/${hidden[0]}`, undefined)));
        for (const word of ['heron', 'quokka', 'docx']) answers.push(show(await low.get(`/v1/search?q=${word}`)));
        extractor.release();
        await settle();
        for (const path of [...visible, ...hidden]) {
          answers.push(show(await low.get(`/v1/texts/${path}`)), show(await low.get(`/v1/diffs?location=${path}`)));
        }
      }
    } finally {
      extractor.release();
    }
    return answers;
  }

  async function put(admin: HttpClient, path: string, body: Buffer): Promise<HttpAnswer> {
    const send = (headers: object) => admin.send('PUT', `/v1/files/${path}`, { body, headers: { ...headers } });
    const made = await send({ 'If-None-Match': '*' });
    return made.status === 409 ? send({ 'If-Match': '*' }) : made;
  }
});
