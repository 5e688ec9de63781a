import type { LargeRequest } from './large-request.js';

/** In front of the targets. */
export const consoleStart = '/console/api/workspaces/acme';

const json = (value: object): string => JSON.stringify(value);
const as = 'admin in the console' as const;
const longest = Array.from({ length: 5 }, () => 'x'.repeat(200)).join('/');
const page = Array.from({ length: 3 }, () => 'x'.repeat(200)).join('/');
const name = 'n'.repeat(800);
const id = 'prn_00000000000000000000';

/** Pages and their like, whose requests belong to no workspace. */
export const largePages: readonly LargeRequest[] = [
  { route: 'GET page', as, target: `/console/acme/${'d/'.repeat(12_000)}?${'q'.repeat(4000)}`, status: 200 },
  { route: 'GET page', kind: 'too long', as, target: `/console?${'&'.repeat(20_000)}`, status: 414 },
  { route: 'GET asset', as, target: `/console/assets/${'a'.repeat(25_000)}`, status: 404 },
  { route: 'GET session', as, target: '/console/api/session', status: 200 },
  {
    route: 'GET session',
    kind: 'cookies',
    as,
    target: '/console/api/session',
    headers: { cookie: 'a=b; '.repeat(5000) },
    status: 401,
  },
  {
    route: 'GET session',
    kind: 'origin',
    as,
    target: '/console/api/session',
    headers: { origin: `https://${'a.'.repeat(10_000)}` },
    status: 401,
  },
  { route: 'GET workspace', as, target: `/console/api/workspaces/${'w'.repeat(25_000)}/documents`, status: 404 },
];

/** At least one request for each row of the console alone. */
export function makeLargeConsoleRequests(adminId: string): readonly LargeRequest[] {
  const post = (path: string, body: object, status: number): LargeRequest => ({
    route: `POST ${path}`,
    as,
    target: path,
    body: json(body),
    status,
  });
  const get = (path: string, query: string, status = 200, kind?: string): LargeRequest => ({
    route: `GET ${path}`,
    ...(kind === undefined ? {} : { kind }),
    as,
    target: `${path}?${query}`,
    status,
  });
  const state = `location=page/${page}`;
  return [
    get('/entries', `limit=200&location=page/${page}`),
    get('/entries', 'limit=200&location=many/0&sort=oldest', 200, 'many'),
    get('/trash', 'limit=200'),
    get('/applications', ''),
    { route: 'DELETE /applications/{id}', as, target: `/applications/${'a'.repeat(64)}`, status: 404 },
    get('/key-notices', ''),
    post('/key-acknowledgements', { keys: Array.from({ length: 50 }, () => 'k'.repeat(64)) }, 200),
    post('/trash/undeletes', { location: longest, document_id: `doc_${'0'.repeat(32)}` }, 404),
    get('/sharing', `location=page/${page}`),
    get('/shares', 'limit=200&scope_type=folder&scope_id=shared'),
    get('/readers', 'limit=200&location=shared'),
    post(
      '/role-changes',
      {
        scope_type: 'folder',
        scope_id: longest,
        subject: { type: 'principal', id },
        role: 'reader',
        to_role: 'editor',
      },
      404,
    ),
    get('/subjects', 'text=Reader'),
    get('/move-targets', 'limit=200&location=many'),
    get('/annotations', 'location=long/words.md'),
    get('/annotations', 'location=changed.md', 200, 'all lines changed'),
    get('/annotations', 'location=large/headings.md', 200, 'short lines'),
    get('/annotations', 'location=history.md', 200, 'many versions'),
    get('/principals', 'limit=200&text=reader'),
    post('/principals', { kind: 'agent', display_name: name }, 400),
    get('/principal', `principal=${adminId}`),
    post('/principal-states', { principal: id, disabled: true }, 404),
    post('/sign-in-links', { principal: id, sign_in_name: 's'.repeat(320) }, 404),
    get('/person-sessions', `principal=${adminId}`),
    {
      route: 'DELETE /person-sessions',
      as,
      target: `/person-sessions?principal=${id}`,
      status: 404,
    },
    get('/groups', 'limit=200'),
    post('/groups', { display_name: name }, 400),
    get('/group', 'group=grp_00000000000000000000', 404),
    get('/members', 'group=grp_00000000000000000000&limit=200', 404),
    post('/members', { group: 'grp_00000000000000000000', member_type: 'principal', member_id: id }, 404),
    {
      route: 'DELETE /members',
      as,
      target: `/members?group=grp_00000000000000000000&member_type=principal&member_id=${id}`,
      status: 404,
    },
    get('/membership-previews', `group=grp_00000000000000000000&member_type=principal&member_id=${id}&change=add`, 404),
    get('/reach', `subject_type=principal&subject_id=${adminId}&limit=200`),
    get('/tokens', `principal=${adminId}&limit=200`),
    post('/tokens', { principal: id, name, interfaces: ['rest', 'mcp', 'git'] }, 400),
    post('/token-rotations', { token: 't'.repeat(64) }, 404),
    post('/token-revocations', { token: 't'.repeat(64) }, 404),
    { route: 'GET /reader/{location}', as, target: '/reader/long/words.md', status: 200 },
    { route: 'GET /reader/{location}', kind: 'controls', as, target: '/reader/large/controls.txt', status: 200 },
    { route: 'GET /reader/{location}', kind: 'many comments', as, target: '/reader/quoted.txt', status: 200 },
    { route: 'GET /images/{location}', as, target: `/images/large/letters.txt?within=${longest}`, status: 404 },
    get('/unread-messages', 'limit=200'),
    get('/message', `message=${'m'.repeat(64)}`, 404),
    post('/message-marks', { message: 'm'.repeat(64), is_read: true }, 404),
    post('/message-answers', { thread_id: 't'.repeat(64), text: 'x'.repeat(8000) }, 404),
    { route: 'GET /overview', as, target: '/overview', status: 200 },
    get('/recent-changes', 'limit=200&since=2000-01-01T00:00:00Z'),
    get('/recent-changes', 'limit=200&since=2000-01-01T00:00:00Z&action=moved', 200, 'of one kind'),
    get('/erase-previews', `location=${longest}&document=doc_${'0'.repeat(32)}`, 404),
    post('/erasures', { location: longest, document: `doc_${'0'.repeat(32)}`, confirmation: longest }, 400),
    get('/erasures', 'limit=200'),
    get('/erasure', `erasure=${'e'.repeat(64)}`, 404),
    get('/live', state),
    {
      route: 'GET /live',
      kind: 'stream',
      as,
      target: `/live?${state}`,
      headers: { accept: 'text/event-stream' },
      status: 200,
    },
  ];
}
