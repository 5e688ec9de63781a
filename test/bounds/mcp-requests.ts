import { mebibyte } from './world.js';

/** A call of a tool with the largest input, or the largest output, that the tool allows. */
export interface LargeCall {
  readonly tool: string;
  /** The kind of call, where a tool has several. */
  readonly kind?: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How it must end: `done`, or `CODE reason`. */
  readonly outcome: string;
}

const noCommit = '0'.repeat(40);
const controls = '\u0001'.repeat(mebibyte);
const page = Array.from({ length: 3 }, () => 'x'.repeat(200)).join('/');

/** The commits of edited documents, and the first commits of changed ones, by location; and a thread of comments. */
export interface LargeIds {
  readonly commits: ReadonlyMap<string, string>;
  readonly threadId: string;
}

/** At least one call for each tool. */
export function makeLargeCalls({ commits, threadId }: LargeIds): readonly LargeCall[] {
  const commitOf = (location: string): string => commits.get(location) ?? noCommit;
  const since = (kind: string, location: string): LargeCall => ({
    tool: 'read_org_doc',
    kind,
    args: { location, since_commit: commitOf(location), max_chars: 60_000 },
    outcome: 'done',
  });
  const edit = (kind: string, location: string, outcome: string, ...edits: readonly object[]): LargeCall => ({
    tool: 'edit_org_doc',
    kind,
    args: { location, expected_commit: commitOf(location), edits },
    outcome,
  });
  return [
    { tool: 'list_org_folders', args: { limit: 200 }, outcome: 'done' },
    { tool: 'list_org_docs', args: { location: `page/${page}`, limit: 200 }, outcome: 'done' },
    {
      tool: 'list_org_docs',
      kind: 'changed since',
      args: { recursive: true, changed_since: '2999-01-01T00:00:00Z', limit: 200 },
      outcome: 'done',
    },
    { tool: 'read_org_doc', args: { location: 'large/headings.md', max_chars: 60_000 }, outcome: 'done' },
    {
      tool: 'read_org_doc',
      kind: 'controls',
      args: { location: 'large/controls.txt', max_chars: 60_000 },
      outcome: 'done',
    },
    { tool: 'read_org_doc', kind: 'lists', args: { location: 'large/lists.md', outline_only: true }, outcome: 'done' },
    since('all lines changed', 'changed.md'),
    since('a long text changed', 'long/words.md'),
    { tool: 'read_org_doc', kind: 'commented', args: { location: 'quoted.txt', max_chars: 60_000 }, outcome: 'done' },
    {
      tool: 'message',
      kind: 'threads',
      args: { action: 'list', box: 'comments', about: 'quoted.txt', limit: 100 },
      outcome: 'done',
    },
    { tool: 'message', kind: 'thread', args: { action: 'read', thread_id: threadId, limit: 100 }, outcome: 'done' },
    {
      tool: 'search_org_knowledge',
      args: { query: 'whoever travels books a document of many', limit: 50 },
      outcome: 'done',
    },
    {
      tool: 'search_org_knowledge',
      kind: 'longest',
      args: { query: `"${'of the journey '.repeat(6)}" whoever travels`, limit: 50 },
      outcome: 'done',
    },
    {
      tool: 'search_org_knowledge',
      kind: 'lines',
      args: { query: 'e', match: 'exact', context: 5, limit: 50 },
      outcome: 'done',
    },
    { tool: 'write_org_doc', args: { location: 'new/controls.txt', content: controls }, outcome: 'done' },
    {
      tool: 'write_org_doc',
      kind: 'headings',
      args: { location: 'new/headings.md', content: '# a\n'.repeat(mebibyte / 4) },
      outcome: 'done',
    },
    edit('not there', 'large/letters.txt', 'INVALID_REQUEST no_match', {
      old_text: `${'a'.repeat(mebibyte / 2)}b`,
      new_text: 'x',
    }),
    edit('ambiguous', 'large/lists.md', 'INVALID_REQUEST ambiguous', { old_text: '- a\n', new_text: '- b\n' }),
    edit('no section', 'large/headings.md', 'INVALID_REQUEST no_such_section', {
      op: 'replace_section',
      section: 'none',
      new_text: 'x',
    }),
    edit(
      'many',
      'large/lists.md',
      'done',
      ...Array.from({ length: 50 }, (_, n) => ({ op: 'append', new_text: `${n}\n` })),
    ),
    {
      tool: 'delete_org_doc',
      args: { location: 'none.md', expected_commit: noCommit },
      outcome: 'NOT_FOUND not_found',
    },
    { tool: 'brief_me', args: { since: '1970-01-01T00:00:00Z', limit: 100, keep_bookmark: true }, outcome: 'done' },
    { tool: 'who_can_read', args: { location: 'shared', limit: 500 }, outcome: 'done' },
    { tool: 'claim', args: { action: 'take', location: 'large/words.md' }, outcome: 'NOT_FOUND not_found' },
    { tool: 'claim', kind: 'list', args: { action: 'list', limit: 200 }, outcome: 'done' },
    {
      tool: 'message',
      args: { action: 'send', to: ['prn_none'], subject: 's'.repeat(200), body: 'b'.repeat(8000) },
      outcome: 'NOT_FOUND not_found',
    },
    { tool: 'message', kind: 'list', args: { action: 'list', limit: 100 }, outcome: 'done' },
  ];
}
