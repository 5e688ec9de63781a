import assert from 'node:assert/strict';
import { exportChain } from '../../lib/audit/export.js';
import type { ExportedRecord } from '../../lib/audit/exported-line.js';
import { isAboutPlaces } from '../../lib/audit/seek-records.js';
import { verifyChain } from '../../lib/audit/verify-chain.js';
import type { AuditEntry } from '../../lib/domain/audit-entry.js';
import type { Caller } from '../../lib/domain/caller.js';
import { isWithin, joinLocation, nameOf, parseLocation, type Location } from '../../lib/domain/location.js';
import type { Page } from '../../lib/domain/page.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { listAudit, type ListAuditInput } from '../../lib/operations/audit/list-audit.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { move } from '../../lib/operations/folders/relocate.js';
import { perform } from '../../lib/operations/perform.js';
import { clearArchived } from '../../lib/journal/clear-archived.js';
import { findDocumentById } from '../../lib/view/locate.js';
import { countOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { gather } from '../support/gather.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

const random = makeRandom('questions to the log');

const rounds = countOf('AUDIT_QUESTIONS', { usual: 12, campaign: 400 });
const folders = ['eng', 'eng/plans', 'engine', 'hr', 'hr/eng'];
const actions = [
  'repository.fetch',
  'document.read',
  'document.update',
  'document.search',
  'grant.create',
  'item.move',
  'key.mint',
];
const interfaces = ['rest', 'mcp', 'console'] as const;

describe('a question to the audit log', function () {
  this.timeout(60_000);
  let host: TestService;
  let people: readonly { readonly id: string; readonly credential: string }[];
  let documents: readonly string[];
  let approver: Caller;
  /** What was given out or moved with a record, by its number: a folder, and where everything was then. */
  const given = new Map<number, Given>();
  /** The log before any question. */
  let log: readonly ExportedRecord[];
  let present: Places;

  before(async () => {
    host = await openTestService({ store: 'disk-without-git' });
    people = await Promise.all(
      ['Ada', 'Ben', 'Cleo'].map(async (name) => ({ id: await host.principal(name), credential: `key_of_${name}` })),
    );
    await host.grant('approver', { type: 'principal', id: people[0]?.id ?? '' }, 'eng');
    approver = { ...operator, principalId: people[0]?.id ?? '', kind: 'person', interface: 'rest' };
    documents = await Promise.all(
      Array.from({ length: 12 }, (_, index) => create(`${pick(folders)}/page-${index}.md`)),
    );
    for (const folder of folders) await create(`${folder}/always-here.md`);
    await record(1400);
    await archive(900);
    await record(900);
    for (const id of documents.slice(0, 4)) await moveTo(id, pick(folders));
    await record(300);
    await moveFolder('hr/eng', 'eng');
    await record(200);
    await moveFolder('eng/plans', 'engine');
    await moveFolder('eng/eng', 'engine');
    await record(200);
    log = (await gather(exportChain(source(), true))).filter((line) => 'record' in line);
    assert.ok(verifyChain(log).sound);
    present = placesNow();
  });
  after(() => host.close());

  it('is answered by an admin’s page as by a filter over the verified export, through archives', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const question = drawQuestion();
      const seqs = (await ask(operator, question)).map(({ seq }) => seq ?? 0).filter((seq) => seq <= log.length);
      const expected = filterLog(question).toSorted((a, b) => b - a);
      assert.deepEqual(seqs, expected, JSON.stringify(question));
    }
  });

  it('shows each record as the export has it', async () => {
    for (const entry of (await ask(operator, { action: 'grant.create' })).slice(0, 100)) {
      const { record, text } = log[(entry.seq ?? 0) - 1] ?? assert.fail();
      const { hash, version, code, credential, outcome, at } = record;
      assert.deepEqual(
        [
          entry.hash,
          entry.version,
          entry.code,
          entry.credential,
          entry.outcome,
          entry.target,
          new Date(entry.at).toISOString(),
        ],
        [hash, version, code, credential, outcome, text?.target ?? null, at],
      );
    }
  });

  it('about a folder gets its approver the same records, as far back as they are no archive, without numbers', async () => {
    const archived = host.workspace.journal.reader.auditArchives.last()?.lastSeq ?? 0;
    for (let round = 0; round < rounds; round += 1) {
      const question = { ...drawQuestion(), location: pick(['eng', 'eng/plans', 'eng/none']) as Location };
      const before = (await askPage(operator, {}, '', 1)).items[0];
      const mine = await ask(approver, question);
      const whole = await ask(operator, question);
      const idsOf = (entries: readonly AuditEntry[]): string[] => entries.map(({ id }) => id);
      const until = before?.seq ?? 0;
      const expected = whole.filter(({ seq, action }) => (seq ?? 0) > archived && !action.startsWith('message.'));
      assert.deepEqual(idsOf(mine), idsOf(expected.filter(({ seq }) => (seq ?? 0) <= until)), JSON.stringify(question));
      for (const { seq, hash, target, action, principal } of mine) {
        assert.deepEqual([seq, hash], [null, null]);
        // Her own words, which are no place.
        if (!isAboutPlaces(action) && principal?.id === approver.principalId) continue;
        assert.ok(target === null || isWithin('eng' as Location, target as Location), target ?? '');
      }
    }
  });

  it('about a place of others is refused like one about an absent place', async () => {
    for (const location of ['hr', 'engine', 'absent', ''] as Location[]) {
      await assert.rejects(
        ask(approver, { location }),
        (error) => error instanceof Refusal && error.code === 'NOT_FOUND',
      );
    }
    const other = people[1]?.id;
    await assert.rejects(ask(approver, { principal: other }), Refusal);
  });

  it('of a person without a grant gets their own actions, and no place that they do not reach', async () => {
    const cleo = { ...approver, principalId: people[2]?.id ?? '' };
    const own = await ask(cleo, {});
    assert.ok(own.length > 100);
    for (const { principal, target, documentId, version, seq, action } of own) {
      assert.deepEqual([principal?.id, documentId, version, seq], [cleo.principalId, null, null, null]);
      assert.ok(target === null || !isAboutPlaces(action), String(target));
    }
  });

  const source = () => ({
    workspace: host.workspace.name,
    tables: host.workspace.journal.reader,
    archives: host.workspace.archives,
  });

  const times = (): number[] => log.map(({ record }) => Date.parse(record.at));

  async function create(location: string): Promise<string> {
    const content = { bytes: Buffer.from('text') };
    const input = { location: parseLocation(location), content, labels: [], message: null };
    return (await perform(host.workspace, operator, createDocument, input)).result.id;
  }

  async function moveTo(id: string, folder: string): Promise<void> {
    const from = findDocumentById(host.workspace.journal.reader, id)?.location ?? '';
    if (isWithin(folder as Location, from as Location)) return;
    const ends = { location: parseLocation(from), toFolder: parseLocation(folder) };
    await perform(host.workspace, operator, move, { ...ends, acknowledged: true, precondition: undefined });
  }

  async function moveFolder(location: string, folder: string): Promise<void> {
    const ends = { location: parseLocation(location), toFolder: parseLocation(folder) };
    await perform(host.workspace, operator, move, { ...ends, acknowledged: true, precondition: undefined });
    const moved = joinLocation(ends.toFolder, nameOf(ends.location));
    given.set(host.workspace.journal.state.chain.seq, { folder: moved, places: placesNow(), shown: null });
    // A question about a folder is about one that is there.
    await create(`${location}/again.md`);
  }

  /** Where each document and folder is now. */
  function placesNow(): Places {
    const { reader } = host.workspace.journal;
    const places = new Map<string, Location>();
    const open = [{ number: 1, location: '' as Location }];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      const { number, location } = folder;
      places.set(`folder ${number}`, location);
      for (const { id, name } of reader.auditQueries.documentsIn(number, '', 1000)) {
        places.set(id, joinLocation(location, name));
      }
      for (const row of reader.folders.children(number, '', 1000)) {
        open.push({ number: row.number, location: joinLocation(location, row.name) });
      }
    }
    return places;
  }

  async function archive(upTo: number): Promise<void> {
    await perform(host.workspace, operator, archiveAudit, { before: { seq: upTo } });
    await clearArchived(host.workspace.journal, () => false);
  }

  /** Random records, by a clock that is set back now and then. */
  async function record(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 50) {
      host.clock.advance(Math.floor((random() - 0.2) * 60_000));
      const places = placesNow();
      await host.workspace.journal.write({
        isRecordOnly: true,
        run(transaction) {
          for (let index = 0; index < 4; index += 1) {
            const folder = pick([...folders, '']) as Location;
            const shown = random() < 0.3 ? pick(documents) : null;
            const number = transaction.tables.auditQueries.numberOf(shown ?? '');
            const person = pick(people);
            transaction.audit({
              principal: person.id,
              credential: person.credential,
              interface: 'git',
              action: 'repository.fetch',
              outcome: 'done',
              requestId: null,
              detail: { head: null },
              extent: number === undefined ? { places: { folders: [folder], documents: [] } } : { touched: [number] },
            });
            given.set(transaction.state.chain.seq, { folder, places, shown });
          }
          for (let index = 0; index < Math.min(left, 50); index += 1) {
            const person = random() < 0.9 ? pick(people) : null;
            const isRefused = random() < 0.1;
            transaction.audit({
              principal: person?.id ?? null,
              credential: person?.credential ?? null,
              interface: pick(interfaces),
              action: pick(actions.slice(1)),
              outcome: isRefused ? 'refused' : 'done',
              ...(isRefused ? { code: 'NOT_FOUND' as const } : {}),
              requestId: random() < 0.9 ? `req_${Math.floor(random() * 900)}` : null,
              ...(random() < 0.8 ? { target: `${pick(folders)}/${pick(['page-1.md', 'other.md', 'a b'])}` } : {}),
              ...(random() < 0.6 ? { documentId: pick(documents) } : {}),
            });
          }
        },
      });
    }
  }

  async function askPage(caller: Caller, question: Question, after: string, limit: number): Promise<Page<AuditEntry>> {
    return (await perform(host.workspace, caller, listAudit, { ...question, after, limit })).result;
  }

  async function ask(caller: Caller, question: Question): Promise<AuditEntry[]> {
    const items: AuditEntry[] = [];
    const limit = pick([40, 90, 200]);
    for (let after: string | null = ''; after !== null;) {
      const page: Page<AuditEntry> = await askPage(caller, question, after, limit);
      assert.ok(page.items.length <= limit);
      items.push(...page.items);
      after = page.next;
    }
    return items;
  }

  /** The same by reading the whole export. */
  function filterLog(question: Question): number[] {
    const { principal, credential, action, outcome, requestId, from, to, location } = question;
    const fits = ({ record, text }: ExportedRecord): boolean =>
      (principal === undefined || record.principal === principal) &&
      (credential === undefined || record.credential === credential) &&
      (action === undefined || record.action === action) &&
      (outcome === undefined || record.outcome === outcome) &&
      (requestId === undefined || record.request_id === requestId) &&
      (from === undefined || Date.parse(record.at) >= from) &&
      (to === undefined || Date.parse(record.at) <= to) &&
      (location === undefined || location === '' || liesAt(location, record, text));
    return log.filter(fits).map(({ record }) => record.seq);
  }

  function liesAt(place: Location, { seq, action }: ExportedRecord['record'], text: ExportedRecord['text']): boolean {
    const { reader } = host.workspace.journal;
    const out = given.get(seq);
    if (out !== undefined && wasGiven(place, out)) return true;
    const documentId = reader.auditQueries.placeOf(seq)?.documentId ?? null;
    if (documentId !== null) {
      const now = findDocumentById(reader, documentId)?.location;
      return now !== undefined && isWithin(place, now);
    }
    const target = text?.target ?? null;
    return target !== null && isAboutPlaces(action) && isWithin(place, target as Location);
  }

  /** Whether something that lies in the place now lay in the folder then. */
  function wasGiven(place: Location, { folder, places, shown }: Given): boolean {
    const isHere = (id: string): boolean => {
      const now = present.get(id);
      return now !== undefined && isWithin(place, now);
    };
    if (shown !== null) return isHere(shown);
    if (isWithin(folder, place) || isWithin(place, folder)) return true;
    return [...places].some(([id, then]) => isWithin(folder, then) && isHere(id));
  }

  function drawQuestion(): Question {
    const some = <Value>(value: () => Value): Value | undefined => (random() < 0.3 ? value() : undefined);
    const [first, second] = [pick(times()), pick(times())];
    return {
      location: some(() => pick([...folders, 'engine/plans', 'engine/eng', '', 'absent']) as Location),
      principal: some(() => pick(people).id),
      credential: some(() => pick(people).credential),
      action: some(() => pick([...actions, 'none.such'])),
      outcome: some(() => pick(['done', 'refused'] as const)),
      requestId: some(() => pick(log).record.request_id ?? 'req_1'),
      from: some(() => Math.min(first, second)),
      to: some(() => Math.max(first, second)),
    };
  }
});

const pick = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick.');
  return item;
};

type Question = Omit<ListAuditInput, 'after' | 'limit'>;

/** Where documents and folders are, by the id of a document or the number of a folder. */
type Places = ReadonlyMap<string, Location>;

/** What a record gave out or moved: a folder, or a document that was shown. */
interface Given {
  readonly folder: Location;
  readonly places: Places;
  readonly shown: string | null;
}
