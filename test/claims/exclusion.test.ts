import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findClaims } from '../../lib/view/find-claims.js';
import { findDocument } from '../../lib/view/locate.js';
import { parseLocation } from '../../lib/domain/location.js';
import { readOutline } from '../../lib/text/outline.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';
import { editDocument } from '../../lib/operations/documents/edit-document.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { Clone } from '../support/store/clone.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

const place = 'a/x.md';
const away = 'b/x.md';
const text = '# Top\n\nintro\n\n## One\n\nfirst\n\n### Deeper\n\ndeep\n\n## Two\n\nsecond\n\n## Three\n\nthird\n';

const reshapes: Record<string, Reshape> = {
  'renames a heading': (lines, at) => onHeading(lines, at, (mark) => `${mark} Name ${lines.length}${at}`),
  'gives a heading the words of another': (lines, at) => onHeading(lines, at, (mark) => `${mark} Two`),
  'lifts a heading': (lines, at) => onHeading(lines, at, (mark, words) => `${mark.slice(1) || '#'} ${words}`),
  'lowers a heading': (lines, at) => onHeading(lines, at, (mark, words) => `${mark}# ${words}`.slice(0, 60)),
  'removes a heading': (lines, at) => onHeading(lines, at, () => undefined),
  'removes a section': (lines, at) => lines.splice(at % Math.max(lines.length, 1), 4),
  'repeats some lines': (lines, at) => lines.splice(0, 0, ...lines.slice(at % lines.length, (at % lines.length) + 4)),
  'moves some lines to the end': (lines, at) => lines.push(...lines.splice(at % lines.length, 4)),
  'opens a block of code': (lines, at) => lines.splice(at % lines.length, 0, '```'),
  'adds a section': (lines, at) => lines.splice(at % lines.length, 0, '## One', '', 'more', ''),
  'writes a line': (lines, at) => lines.splice((at % lines.length) + 1, 0, `line ${at}`),
};

const steps = fc.array(
  fc.record({
    who: fc.nat(2),
    at: fc.nat(40),
    what: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('claims a section' as const) },
      { weight: 6, arbitrary: fc.constantFrom(...Object.keys(reshapes)) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          'claims the document',
          'releases',
          'loses its rights',
          'gets its rights',
          'lets time pass',
          'deletes',
          'brings it back',
          'moves it away',
          'moves it here',
          'restores a version',
          'starts again',
        ),
      },
    ),
  }),
  { minLength: 25, maxLength: 40 },
);

describe('claims in force', () => {
  let service: TestService;
  let ada: Client;
  let ben: Client;
  let cyd: Client;
  let boss: Client;

  beforeEach(async () => {
    service = await openTestService();
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'editor', 'a');
    ben = await addClient(host, 'Ben', 'editor', 'a');
    cyd = await addClient(host, 'Cyd', 'editor', 'a');
    boss = await addClient(host, 'Boss', 'approver');
    await boss.create(place, text);
  });
  afterEach(() => service.close());

  it('of two holders never overlap, and each holder can write in its own, after any steps', async function () {
    const count = countOf('CLAIM_HISTORIES', { usual: 4, campaign: 2000 });
    this.timeout(30_000 + count * 1000);
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await startAgain();
        for (const step of history) {
          const { what, outcome } = await take(step);
          if (outcome === 'done') seen.add(what);
          const bound = await readBound();
          if (new Set(bound.map(({ holder }) => holder)).size > 1) seen.add('two holders');
          for (const [index, one] of bound.entries()) {
            for (const other of bound.slice(index + 1)) {
              if (one.holder === other.holder) continue;
              assert.ok(one.last < other.first || other.last < one.first, `${what}: ${JSON.stringify([one, other])}`);
            }
          }
          await writeInOwn(bound.filter(({ isWhole }) => !isWhole).at(step.at % Math.max(bound.length, 1)));
        }
      }),
      { numRuns: count, seed: seedOf(4), endOnFailure: true },
    );
    requireSeen([...Object.keys(reshapes), 'loses its rights', 'moves it away', 'two holders'], seen, {
      count,
      enough: 40,
    });
  });

  it('is not given back with the rights, where another has claimed the place meanwhile', async () => {
    const { id } = await ada.claim(place);
    await setRights(ada, false);
    const { id: taken } = await ben.claim(place, 'two');
    await setRights(ada, true);
    assert.equal(await outcomeOf(ben.updateUnder(taken, place, text.replace('second', 'mine'))), 'done');
    assert.equal(await outcomeOf(ada.updateUnder(id, place, text)), 'CONFLICT claim_lost');
    assert.deepEqual(
      [await ada.ownClaims(), (await ben.claims()).toSorted()],
      [[`${place}# broken`], [`${place}#two`]],
    );
    assert.equal(await outcomeOf(ben.claim(place, 'two')), 'done');
    assert.equal(await outcomeOf(ben.delete(place)), 'done');
  });

  it('is given back with the rights, where another has claimed another section', async () => {
    await ada.claim(place, 'one');
    await setRights(ada, false);
    await ben.claim(place, 'two');
    await setRights(ada, true);
    assert.equal(await outcomeOf(ada.update(place, text.replace('first', 'hers'))), 'done');
    assert.equal(await outcomeOf(ben.update(place, text.replace('second', 'mine'))), 'CONFLICT claimed');
    assert.deepEqual((await ben.claims()).toSorted(), [`${place}#one`, `${place}#two`]);
  });

  it('is not given back to one who was disabled meanwhile', async () => {
    await ada.claim(place, 'one');
    const disable = (disabled: boolean) =>
      perform(service.workspace, operator, setPrincipalState, { principalId: ada.id, disabled });
    await disable(true);
    await ben.claim(place);
    await disable(false);
    assert.equal(await outcomeOf(ben.update(place, 'mine')), 'done');
    assert.deepEqual(await ada.ownClaims(), [`${place}#one broken`]);
  });

  it('is not given back where the document was out of its holder’s reach meanwhile', async () => {
    await service.grant('editor', { type: 'principal', id: ada.id }, 'b');
    await service.grant('editor', { type: 'principal', id: ben.id }, 'b');
    await ada.claim(place);
    await ada.move(place, 'b');
    await service.revoke('editor', { type: 'principal', id: ada.id }, 'b');
    await ben.claim(away);
    await boss.breakClaim(away, (await ben.record(away)).claims.at(0)?.id ?? '');
    await ben.claim(away);
    await ben.move(away, 'a', true);
    assert.equal(await outcomeOf(ben.update(place, 'mine')), 'done');
    assert.equal(await outcomeOf(ada.update(place, 'hers')), 'CONFLICT claimed');
  });

  it('that does not bind gives its place away without telling who reads the feed', async () => {
    await ada.claim(place);
    await setRights(ada, false);
    const countEnds = () =>
      service.workspace.journal.reader.activities.after(0, 1000).filter(({ kind }) => kind === 'claim_ended').length;
    const before = countEnds();
    await ben.claim(place);
    assert.equal(countEnds(), before);
  });

  it('of a holder who lost its rights ends where its section goes and another holds the document', async () => {
    await ada.claim(place, 'one');
    await setRights(ada, false);
    await ben.claim(place, 'two');
    await ben.update(place, '# Top\n\n## Two\n\nsecond\n');
    await setRights(ada, true);
    assert.equal(await outcomeOf(ben.update(place, '# Top\n\n## Two\n\nmine\n')), 'done');
  });

  describe('whose holder renames its heading', () => {
    const renamed = text.replace('## One', '## First');

    it('follow it, and leave others what they hold', async () => {
      await ada.claim(place, 'one');
      await ben.claim(place, 'two');
      await ada.update(place, renamed);
      assert.deepEqual((await ben.claims()).toSorted(), [`${place}#first`, `${place}#two`]);
      assert.equal(await outcomeOf(ben.update(place, renamed.replace('second', 'mine'))), 'done');
      assert.equal(await outcomeOf(ben.update(place, renamed.replace('first\n', 'mine\n'))), 'CONFLICT claimed');
      assert.equal(await outcomeOf(ada.update(place, `${renamed.replace('second', 'mine')}\nend\n`)), 'done');
    });

    it('follow it in an edit, in a restored version, and on the document that was just written', async () => {
      const first = (await boss.record(place)).current.id;
      await ada.claim(place, 'one');
      await edit(ada, first, '## One', '## First');
      assert.deepEqual(await ada.claims(), [`${place}#first`]);
      await ada.restore(place, first);
      assert.deepEqual(await ada.claims(), [`${place}#one`]);
      await Promise.all([ada.update(place, `${text}\nmore\n`), ada.update(place, `${renamed}\nmore\n`)]);
      assert.deepEqual(await ada.claims(), [`${place}#first`]);
    });

    it('follow the one of several headings with these words', async () => {
      const several = '# Top\n\n## Example\n\na\n\n## Example\n\nb\n\n## Example\n\nc\n';
      await boss.update(place, several);
      await ada.claim(place, 'example-1');
      await ada.update(place, several.replace('## Example\n\nb', '## Sample\n\nb'));
      assert.deepEqual(await ada.claims(), [`${place}#sample`]);
    });

    it('follow it in a revert of its own changes', async () => {
      await ada.claim(place, 'one');
      await ben.claim(place, 'two');
      await ben.release((await boss.record(place)).claims.find(({ holder }) => holder.id === ben.id)?.id ?? '');
      service.clock.advance(1000);
      const since = service.clock.now();
      await ada.update(place, renamed);
      const { digest } = await ada.previewRevert(ada.id, 'a', since);
      await ada.revert(ada.id, 'a', since, digest);
      assert.equal(await ada.read(place), text);
      assert.deepEqual(await ada.claims(), [`${place}#one`]);
      assert.equal(await outcomeOf(ben.update(place, text.replace('second', 'mine'))), 'done');
    });

    it('follow it where the holder divides its section as well', async () => {
      await ada.claim(place, 'two');
      await ada.update(place, text.replace('## Two\n\nsecond', '## Second\n\nsecond\n\n## Half\n\nmore'));
      assert.deepEqual(await ada.claims(), [`${place}#second`]);
    });
  });

  describe('on one of several sections of the same words', () => {
    const week = '# Notes\n\n## Week 1\n\n### Agenda\n\n### Ideas\n\nmore\n';
    const newer = (agenda: string) => week.replace('## Week 1', `## Week 2\n\n### Agenda\n\n${agenda}## Week 1`);
    const inOlder = newer('').replace('### Agenda\n\n### Ideas', '### Agenda\n\nplan\n\n### Ideas');

    it('stay on it where another puts an equal one in front', async () => {
      await boss.update(place, week);
      const known = (await ada.record(place)).current.id;
      await ada.claim(place, 'agenda');
      await ben.update(place, newer(''));
      assert.deepEqual(await ada.claims(), [`${place}#agenda-1`]);
      assert.equal(await outcomeOf(ben.update(place, inOlder)), 'CONFLICT claimed');
      const written = await outcomeOf(edit(ada, known, '### Agenda', '### Agenda\n\nplan'));
      assert.equal(written, 'CONFLICT stale_if_match', 'the claim does not carry an edit to another section');
      assert.equal(await outcomeOf(ada.update(place, inOlder)), 'done');
    });

    it('stay on it where another, or the holder, puts one of other lines in front', async () => {
      for (const writer of [ben, ada]) {
        await boss.update(place, week);
        const { id } = await ada.claim(place, 'agenda');
        await writer.update(place, newer('new\n\n'));
        assert.deepEqual(await ada.claims(), [`${place}#agenda-1`]);
        await ada.release(id);
      }
    });

    it('keep a claim on its section when a push changes the text', async () => {
      await boss.update(place, week);
      await ada.claim(place, 'agenda');
      await (await Clone.of(ben)).commit({ write: { [place]: newer('') } }).push();
      assert.deepEqual(await ada.claims(), [`${place}#agenda-1`]);
    });
  });

  it('ends where its holder removes its section while another holds one', async () => {
    const { id } = await ada.claim(place, 'one');
    await ben.claim(place, 'two');
    const left = '# Top\n\n## Two\n\nsecond\n\n## Three\n';
    assert.equal(await outcomeOf(ada.update(place, left)), 'done');
    assert.deepEqual((await ben.claims()).toSorted(), [`${place}#two`]);
    assert.equal(await outcomeOf(ben.update(place, left.replace('second', 'mine'))), 'done');
    assert.equal(await outcomeOf(ada.renew(id)), 'CONFLICT claim_lost');
  });

  it('keep others from putting a claimed section into their own, or into a third one’s', async () => {
    await ada.claim(place, 'one');
    await ben.claim(place, 'two');
    assert.equal(await outcomeOf(ada.update(place, text.replace('## One', '# One'))), 'CONFLICT claimed');
    assert.equal(await outcomeOf(ada.update(place, text.replace('### Deeper', '# Deeper'))), 'done');
    const copies = '# A\n\n## Same\n\nx\n\n# B\n\n## Same\n\nx\n';
    await boss.create('a/y.md', copies);
    await ada.claim('a/y.md', 'a');
    await ben.claim('a/y.md', 'same-1');
    const moved = copies.replace('# B\n\n## Same\n\nx\n', '');
    assert.equal(await outcomeOf(boss.update('a/y.md', `## Same\n\nx\n\n${moved}`)), 'CONFLICT claimed');
    assert.equal(await outcomeOf(boss.update('a/y.md', `## Same\n\nx\n\n${copies}`)), 'done');
    assert.deepEqual((await ben.claims('a')).toSorted(), [`${place}#one`, `${place}#two`, 'a/y.md#a', 'a/y.md#same-2']);
  });

  const setRights = (client: Client, mayEdit: boolean): Promise<void> =>
    mayEdit
      ? service.grant('editor', { type: 'principal', id: client.id }, 'a')
      : service.revoke('editor', { type: 'principal', id: client.id }, 'a');

  function edit(client: Client, expected: string, oldText: string, newText: string) {
    const edits = [{ op: 'replace_text', oldText, newText, count: 1 }] as const;
    const input = { location: parseLocation(place), expected, edits, message: null, followsNewer: false };
    return client.perform(editDocument, input);
  }

  async function startAgain(): Promise<void> {
    service.clock.advance(24 * 60 * 60_000);
    await outcomeOf(boss.move(away, 'a', true));
    await outcomeOf(boss.undelete(place));
    for (const client of [ada, ben, cyd]) await outcomeOf(setRights(client, true));
    await boss.update(place, text);
  }

  async function take({ who, at, what }: { readonly who: number; readonly at: number; readonly what: string }) {
    const client = [ada, ben, cyd][who] ?? ada;
    const now = await boss.read(place).catch(() => '');
    const work = async (): Promise<unknown> => {
      const reshape = reshapes[what];
      if (reshape !== undefined) {
        const lines = now.split('\n');
        reshape(lines, at);
        return client.update(place, lines.join('\n'));
      }
      const headings = readOutline(now);
      if (what === 'claims a section') return client.claim(place, headings[at % Math.max(headings.length, 1)]?.id);
      if (what === 'claims the document') return client.claim(place);
      if (what === 'releases') {
        const own = (await boss.record(place)).claims.find(({ holder }) => holder.id === client.id);
        return client.release(own?.id ?? '');
      }
      if (what === 'loses its rights') return setRights(client, false);
      if (what === 'gets its rights') return setRights(client, true);
      if (what === 'lets time pass') return service.clock.advance(at * 60_000);
      if (what === 'deletes') return client.delete(place);
      if (what === 'brings it back') return client.undelete(place);
      if (what === 'moves it away') return boss.move(place, 'b', true);
      if (what === 'moves it here') return boss.move(away, 'a', true);
      if (what === 'starts again') return client.update(place, text);
      const versions = (await boss.history(place)).items.flatMap((item) =>
        item.type === 'version' ? [item.version.id] : [],
      );
      return client.restore(place, versions[at % Math.max(versions.length, 1)] ?? '');
    };
    return { what, outcome: await outcomeOf(work()) };
  }

  async function writeInOwn(own: Awaited<ReturnType<typeof readBound>>[number] | undefined): Promise<void> {
    if (own?.location !== place) return;
    const lines = (await boss.read(place)).split('\n');
    const holder = [ada, ben, cyd].find(({ id }) => id === own.holder) ?? ada;
    lines.splice(own.last, 0, 'by its holder');
    assert.equal(await outcomeOf(holder.update(place, lines.join('\n'))), 'done', JSON.stringify(own));
  }

  /** The lines that each claim in force keeps others from. */
  async function readBound() {
    const { tables, now } = service.workspace.view(boss.caller);
    const found = [place, away].flatMap((each) => findDocument(tables, parseLocation(each)) ?? []).at(0);
    if (found === undefined) return [];
    const headings = new Map(readOutline(await boss.read(found.location)).map((heading) => [heading.id, heading]));
    return findClaims(tables, found, now).map((claim) => {
      const isWhole = claim.section === null || claim.sectionDigest === null;
      const heading = isWhole ? undefined : headings.get(claim.section ?? '');
      assert.ok(isWhole || heading !== undefined, 'a claim on a section has its heading');
      const { line: first, lastLine: last } = heading ?? { line: 0, lastLine: Number.POSITIVE_INFINITY };
      return { holder: claim.holder.id, section: claim.section, first, last, location: found.location, isWhole };
    });
  }
});

/** One change of a text: what an editor may do to headings and lines. */
type Reshape = (lines: string[], at: number) => void;

function onHeading(lines: string[], at: number, change: (mark: string, words: string) => string | undefined): void {
  const headings = lines.flatMap((line, index) => (line.startsWith('#') ? [index] : []));
  const index = headings[at % Math.max(headings.length, 1)];
  if (index === undefined) return;
  const [mark = '#', ...words] = (lines[index] ?? '').split(' ');
  const changed = change(mark, words.join(' '));
  lines.splice(index, 1, ...(changed === undefined ? [] : [changed]));
}
