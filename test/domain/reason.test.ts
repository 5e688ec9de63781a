import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../lib/config.js';
import { extractionReasons } from '../../lib/domain/extraction.js';
import { reasons, type Meeting, type Reason } from '../../lib/domain/reason.js';
import { remedies } from '../../lib/mcp/remedies.js';
import { readDescription } from '../../lib/api/requests/description.js';

const all = Object.keys(reasons) as Reason[];

describe('The table of reasons', () => {
  it('has every reason that the description of REST names, and no other of REST', () => {
    const described = readDescribed();
    assert.deepEqual([...described.keys()].toSorted(), metAt('rest'));
    // A schema for several reasons explains each of them in its words.
    for (const [reason, words] of described) assert.ok(words.length > 20, reason);
    const shared = [...described].filter(
      ([, words]) => [...described.values()].filter((each) => each === words).length > 1,
    );
    assert.ok(shared.length > 10);
    for (const [reason, words] of shared) assert.ok(words.includes(`\`${reason}\``), `${reason} is not explained`);
  });

  it('has every reason that agents can meet, each with a remedy, and no other of theirs', () => {
    const schema = JSON.parse(readFileSync(packagePath('schema', 'mcp', 'error.json'), 'utf8'));
    const { code, reason } = schema.properties.error.properties as Record<'code' | 'reason', { enum: string[] }>;
    assert.deepEqual(reason.enum.toSorted(), metAt('mcp'));
    assert.deepEqual(Object.keys(remedies).toSorted(), metAt('mcp'));
    for (const [name, remedy] of Object.entries(remedies)) assert.ok(remedy.length > 10, name);
    for (const name of metAt('mcp')) assert.ok(code.enum.includes(reasons[name].code), name);
  });

  it('has beside it why a file has no text, with every word that the description names', () => {
    const schemas = readDescription('openapi.yaml').document.components['schemas'] as Record<
      string,
      { enum: string[] }
    >;
    assert.deepEqual(schemas['ExtractionReason']?.enum, extractionReasons);
  });

  it('has none that the service never gives', () => {
    const sources = readSources();
    const ofCodes = new Set(['not_found', 'rate_limited', 'internal', 'unavailable']);
    // The compiler checks that each thrown reason stands in the table, with its code.
    for (const reason of all)
      assert.ok(ofCodes.has(reason) || sources.includes(`'${reason}'`), `${reason} is never said`);
  });

  it('explains each in one sentence', () => {
    for (const reason of all) assert.match(reasons[reason].means, /^[A-Z][^.]+\.$/, reason);
  });
});

const metAt = (meeting: Meeting): Reason[] =>
  all.filter((reason) => (reasons[reason].at as readonly Meeting[]).includes(meeting)).toSorted();

interface Details {
  readonly description?: string;
  readonly properties?: { readonly reason?: { readonly enum?: readonly string[]; readonly const?: string } };
}

/** Reasons in the description of REST, with the words that explain each. */
function readDescribed(): Map<string, string> {
  const schemas = readDescription('openapi.yaml').document.components['schemas'] as Readonly<Record<string, Details>>;
  const described = new Map<string, string>();
  for (const [name, { description = '', properties }] of Object.entries(schemas)) {
    if (!name.endsWith('Details')) continue;
    for (const reason of properties?.reason?.enum ?? [properties?.reason?.const ?? ''])
      described.set(reason, description);
  }
  return described;
}

/** The whole of lib/ but for the table itself. */
function readSources(folder = packagePath('lib')): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'reason.ts')
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return readSources(path);
      return entry.name.endsWith('.ts') ? readFileSync(path, 'utf8') : '';
    })
    .join('\n');
}
