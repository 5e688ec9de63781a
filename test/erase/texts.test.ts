import assert from 'node:assert/strict';
import { parseFolderLocation, rootLocation } from '../../lib/domain/location.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { listAudit } from '../../lib/operations/audit/list-audit.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { perform } from '../../lib/operations/perform.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { outcomeOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { eraseAt } from '../support/store/erase-at.js';
import { requireSound } from '../support/store/evidence.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('texts of the log, when a document is erased,', function () {
  this.timeout(60_000);
  let bench: Workbench;
  beforeEach(async () => {
    bench = await makeWorkbench();
  });
  afterEach(() => bench.remove());

  it('stay where they quote a name at the root that others have, too', async () => {
    const { actor } = bench;
    for (const name of ['README.md', 'docs/README.md', 'docs/policy.md']) await actor.create(name, name);
    await miss('doc/README.md', 'team/README.md', 'README.md.txt');
    await search('README.md');
    await search('where is README');
    await search('policy', 'docs');
    await actor.delete('README.md');
    await miss('README.md');
    await actor.undelete('README.md');
    const others = ['doc/README.md', 'team/README.md', 'README.md.txt', 'README.md {}', 'where is README {}'];
    requireKept(...others, 'README.md', 'policy {"folder":"docs"}');
    await eraseAll('README.md');
    requireKept(...others, 'policy {"folder":"docs"}');
    requireCleared('README.md');
  });

  it('stay where they only have the letters of a short name, at the root or anywhere', async () => {
    const { actor, workspace } = bench;
    for (const name of ['e', 'a/b', '....md', 'in/tion', 'in/inbox.md']) await actor.create(name, name);
    await miss('data/base', 'handbook/plans.md', 'e/f', 'x/a/b', 'a/b.md', 'stations/eleven.md', 'note.md');
    await miss('vacation/plans.md');
    await search('revenue of e in april');
    await search('data/base');
    await search('every md file');
    await perform(workspace, operator, addPrincipal, { displayName: 'Eve', kind: 'person' });
    const before = keptTexts();
    assert.ok(before.includes('data/base') && before.includes('data/base {}') && before.includes('e/f'));
    await eraseAll('e', 'a/b', '....md', 'in/tion');
    requireKept(...before);
  });

  it('go where they are about its place, however short, or quote its place whole', async () => {
    const { actor } = bench;
    for (const name of ['e', 'a/b', 'stays/c.md']) await actor.create(name, name);
    for (const name of ['e', 'a/b']) {
      await actor.delete(name);
      await miss(name);
      await actor.undelete(name);
    }
    await search('who wrote a/b?');
    await search('"a/b"');
    await search('c', 'a/b');
    assert.equal(await outcomeOf(actor.move('stays/absent.md', 'a/b')), 'NOT_FOUND');
    const about = ['e', 'a/b', 'who wrote a/b? {}', '"a/b" {}', 'c {"folder":"a/b"}'];
    const moved = 'stays/absent.md {"to_folder":"a/b","acknowledged":false}';
    requireKept(...about, moved);
    await eraseAll('e', 'a/b');
    requireCleared(...about, moved);
  });

  it('go where they are questions to the log about its place, and stay where they are about another', async () => {
    for (const name of ['staff/heron.md', 'staff/egret.md']) await bench.actor.create(name, name);
    for (const place of ['staff/heron.md', 'staff/egret.md', 'staff']) {
      const location = parseFolderLocation(place);
      await perform(bench.workspace, operator, listAudit, { location, after: '', limit: 1 });
    }
    const asked = (place: string): string => `${place} {"isFirstPage":true}`;
    requireKept(...['staff/heron.md', 'staff/egret.md', 'staff'].map(asked));
    await eraseAll('staff/heron.md');
    requireKept(...['staff/egret.md', 'staff'].map(asked));
    requireCleared(asked('staff/heron.md'));
  });

  it('stay where a folder has its name or had its place, or another has its name with another ending', async () => {
    const { actor } = bench;
    await actor.create('policies/travel.md');
    await actor.create('drafts/policies', 'a document with the name of a folder');
    await actor.create('q1/report.md', 'one');
    await actor.create('q2/report.txt', 'two');
    await actor.create('archive/old.md');
    await actor.rename('archive', 'archived');
    await actor.create('archive', 'a document where a folder was');
    await actor.list('policies');
    await actor.list('archived');
    await search('policies');
    await search('travel', 'policies');
    await search('the annual report');
    await search('the report.md file');
    await miss('policies/absent.md', 'q3/report-2024.md', 'q3/report.txt', 'q3/report.md', 'q3/Report.MD');
    const kept = [
      'policies {}',
      'travel {"folder":"policies"}',
      'the annual report {}',
      'policies/absent.md',
      'q3/report-2024.md',
      'q3/report.txt',
    ];
    const own = ['q3/report.md', 'q3/Report.MD', 'the report.md file {}'];
    requireKept(...kept, ...own, 'policies', 'archived');
    await eraseAll('drafts/policies', 'q1/report.md', 'archive');
    requireKept(...kept, 'policies', 'archived');
    requireCleared(...own);
  });

  it('stay where they name people and groups, for any name of the document', async () => {
    const { actor, workspace } = bench;
    await perform(workspace, operator, addPrincipal, { displayName: 'Ada Lovelace', kind: 'person' });
    await actor.create('letters/Ada Lovelace', 'a letter');
    await miss('leters/Ada Lovelace');
    const made = keptTexts().filter((text) => text.startsWith('Ada Lovelace'));
    assert.equal(made.length, 1);
    requireKept('leters/Ada Lovelace');
    await eraseAll('letters/Ada Lovelace');
    requireKept(...made);
    requireCleared('leters/Ada Lovelace');
  });

  it('of archived records are removed and stay in the same way', async () => {
    const { actor, workspace } = bench;
    for (const name of ['README.md', 'docs/README.md', 'drafts/secret-plan.md']) await actor.create(name, name);
    await miss('team/README.md', 'draft/secret-plan.md');
    await search('README.md');
    await search('the secret plan');
    await search('see drafts/secret-plan.md');
    const { seq } = workspace.journal.state.chain;
    await perform(workspace, operator, archiveAudit, { before: { seq } });
    requireKept('team/README.md', 'draft/secret-plan.md', 'the secret plan {}');
    await eraseAll('README.md', 'drafts/secret-plan.md');
    requireKept('team/README.md', 'README.md {}');
    requireCleared('draft/secret-plan.md', 'the secret plan {}', 'see drafts/secret-plan.md {}');
  });

  /** In vain, so that the record names no document. */
  async function miss(...locations: readonly string[]): Promise<void> {
    for (const location of locations) assert.equal(await outcomeOf(bench.actor.read(location)), 'NOT_FOUND');
  }

  async function search(query: string, folder = ''): Promise<void> {
    const input = { query, limit: 10, position: null, labels: [] };
    await perform(bench.workspace, operator, searchDocuments, {
      ...input,
      location: folder === '' ? rootLocation : parseFolderLocation(folder),
    });
  }

  async function eraseAll(...locations: readonly string[]): Promise<void> {
    const accepted = await Promise.all(locations.map((location) => eraseAt(bench.workspace, location)));
    for (const { id } of accepted) await bench.workspace.eraser.finished(id);
    assert.deepEqual(bench.reported, []);
    await requireSound(bench.workspace, bench.files.dataFolder ?? '');
  }

  /** Targets of the stored texts without a document, each once, with the requested part of the detail. */
  function keptTexts(): string[] {
    const sidecar = new Sqlite(bench.paths.sidecar, { readonly: true });
    const rows = sidecar
      .prepare<[], { target: string | null; detail: string | null }>(
        'SELECT target, detail FROM audit_text WHERE document_id IS NULL ORDER BY seq',
      )
      .all();
    sidecar.close();
    return [...new Set(rows.map(({ target, detail }) => `${target ?? ''} ${detail ?? ''}`.trim()))];
  }

  function requireKept(...texts: readonly string[]): void {
    const kept = keptTexts();
    for (const text of texts) assert.ok(kept.includes(text), `"${text}" stays in:\n${kept.join('\n')}`);
  }

  function requireCleared(...texts: readonly string[]): void {
    const kept = keptTexts();
    for (const text of texts) assert.ok(!kept.includes(text), `"${text}" goes from:\n${kept.join('\n')}`);
  }
});
