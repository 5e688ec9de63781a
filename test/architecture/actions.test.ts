import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Actions of several operations, and why the log need not tell these apart by the action. */
const shared: Readonly<Record<string, string>> = {
  'audit.list': 'one answers a question once and one goes on answering it; the detail says which',
  'connector.test': 'one tries new settings at a folder and one a connector; the target says which',
  'consent.end': 'its person ends a consent, or the service does for a stolen token; the principal says which',
  'credential.mint': 'a key is made for another principal, or by its owner; the principal and the target say which',
  'credential.revoke': 'as for making one',
  'credential.rotate': 'as for making one',
  'document.list': 'people and agents list documents by other pages; a third name would need an index of its own',
  'document.search': 'one looks for words and one for lines; the detail has `match` for lines',
  'folder.list': 'as for documents',
};

describe('An action of the audit log', () => {
  it('belongs to one operation, or has a reason to belong to two', () => {
    const sources = readdirSync('lib/operations', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join('lib/operations', file), 'utf8'));
    const counts = countActions(sources);
    assert.ok(counts.size > 100, 'the operations are found');
    assert.deepEqual(repeated(counts), Object.keys(shared).toSorted());
  });

  it('of two operations would be noticed', () => {
    const operation = "  kind: 'read',\n  name: 'group.list',\n";
    assert.deepEqual(repeated(countActions([operation, operation])), ['group.list']);
  });
});

const repeated = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].flatMap(([name, count]) => (count > 1 ? [name] : [])).toSorted();

function countActions(sources: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const source of sources) {
    for (const [, name = ''] of source.matchAll(/^ {2}kind: '[a-z]+',\n {2}name: '([a-z_.]+)',$/gm)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}
