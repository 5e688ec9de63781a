import type { HttpAnswer, HttpClient, TestServer } from '../support/http/server.js';

/** A POST of the table, which a test sends twice. */
export interface RetriedPost {
  readonly path: string;
  /**
   * The preparation by an admin; `place` keeps several apart.
   * @returns the id that the body has to name, where there is one
   */
  prepare(admin: HttpClient, place: string): Promise<string | void>;
  body(place: string, subjectId: string, made: string | void): object;
  /** The same kind of request with another content. */
  otherBody(place: string, subjectId: string, made: string | void): object;
  /** The role of a person without the right to do this; a reader's role when left out. */
  readonly tooLittle?: 'nothing';
  readonly status: number;
  /** The answer to the request once its first answer is forgotten. */
  readonly forgotten: string;
}

export const retriedPosts: readonly RetriedPost[] = [
  {
    path: '/v1/documents',
    prepare: () => Promise.resolve(),
    body: (place) => ({ location: `${place}/made.md`, content: 'text' }),
    otherBody: (place) => ({ location: `${place}/made.md`, content: 'other' }),
    status: 201,
    forgotten: 'CONFLICT name_taken',
  },
  {
    path: '/v1/folders',
    prepare: () => Promise.resolve(),
    body: (place) => ({ location: `${place}/folder` }),
    otherBody: (place) => ({ location: `${place}/other-folder` }),
    status: 201,
    forgotten: 'CONFLICT name_taken',
  },
  {
    path: '/v1/renames',
    prepare: async (admin, place) => void (await admin.create(`${place}/old.md`)),
    body: (place) => ({ location: `${place}/old.md`, name: 'new.md' }),
    otherBody: (place) => ({ location: `${place}/old.md`, name: 'newer.md' }),
    status: 200,
    forgotten: 'NOT_FOUND',
  },
  {
    path: '/v1/moves',
    prepare: async (admin, place) => void (await admin.create(`${place}/here.md`)),
    body: (place) => ({ location: `${place}/here.md`, to_folder: `${place}/there` }),
    otherBody: (place) => ({ location: `${place}/here.md`, to_folder: `${place}/elsewhere` }),
    status: 200,
    forgotten: 'NOT_FOUND',
  },
  {
    path: '/v1/undeletes',
    async prepare(admin, place) {
      await admin.create(`${place}/gone.md`);
      await admin.delete(`/v1/documents/${place}/gone.md`);
    },
    body: (place) => ({ location: `${place}/gone.md` }),
    otherBody: (place) => ({ location: `${place}/gone-too.md` }),
    status: 200,
    forgotten: 'NOT_FOUND',
  },
  {
    path: '/v1/grants',
    prepare: () => Promise.resolve(),
    body: (place, id) => grantOf(place, id, 'reader'),
    otherBody: (place, id) => grantOf(place, id, 'editor'),
    status: 201,
    // It still stands, so that the same one is given and not made.
    forgotten: '',
  },
  {
    path: '/v1/connectors',
    prepare: () => Promise.resolve(),
    body: (place) => connectionOf(place, '/srv/one'),
    otherBody: (place) => connectionOf(place, '/srv/other'),
    status: 201,
    forgotten: 'CONFLICT mirror_nested',
  },
  {
    path: '/v1/labels',
    prepare: async (admin, place) => void (await admin.create(`${place}/labelled.md`)),
    body: (place) => ({ location: `${place}/labelled.md`, labels: ['one'] }),
    otherBody: (place) => ({ location: `${place}/labelled.md`, labels: ['two'] }),
    status: 200,
    forgotten: '',
  },
  {
    path: '/v1/claims',
    prepare: async (admin, place) => void (await admin.create(`${place}/claimed.md`)),
    body: (place) => ({ location: `${place}/claimed.md`, ttl_seconds: 86_400 }),
    otherBody: (place) => ({ location: `${place}/claimed.md`, ttl_seconds: 60 }),
    status: 201,
    // The first one has run out.
    forgotten: '',
  },
  {
    path: '/v1/claim-breaks',
    async prepare(admin, place) {
      await admin.create(`${place}/broken.md`);
      return (await admin.post('/v1/claims', { location: `${place}/broken.md`, ttl_seconds: 600 })).json.id as string;
    },
    body: (place, _, id) => ({ location: `${place}/broken.md`, id }),
    otherBody: (place) => ({ location: `${place}/broken.md`, id: 'clm_other' }),
    status: 200,
    forgotten: 'NOT_FOUND',
  },
  {
    path: '/v1/restores',
    prepare: async (admin, place) => (await admin.create(`${place}/old.txt`)).json.version.id as string,
    body: (place, _, version) => ({ location: `${place}/old.txt`, version }),
    otherBody: (place, _, version) => ({ location: `${place}/old.txt`, version, message: 'Again' }),
    status: 200,
    forgotten: '',
  },
  {
    path: '/v1/folder-deletions',
    prepare: async (admin, place) => void (await admin.create(`${place}/whole/one.md`)),
    body: (place) => ({ location: `${place}/whole` }),
    otherBody: (place) => ({ location: `${place}/other-whole` }),
    status: 200,
    forgotten: 'NOT_FOUND',
  },
  {
    path: '/v1/folder-undeletes',
    async prepare(admin, place) {
      await admin.create(`${place}/lost/one.md`);
      await admin.post('/v1/folder-deletions', { location: `${place}/lost` });
    },
    body: (place) => ({ location: `${place}/lost` }),
    otherBody: (place) => ({ location: `${place}/other-lost` }),
    status: 200,
    forgotten: 'NOT_FOUND',
  },
  {
    path: '/v1/reverts',
    async prepare(admin, place) {
      const made = await admin.create(`${place}/undone/one.md`);
      const whose = `principal_id=${made.json.version.author.id}&since=1970-01-01T00:00:00Z`;
      const { json } = await admin.get(`/v1/reverts?location=${place}/undone&${whose}`);
      return `${made.json.version.author.id} ${json.preview}`;
    },
    body: (place, _, made) => revertOf(place, made),
    otherBody: (place, _, made) => ({ ...revertOf(place, made), message: 'Again' }),
    status: 200,
    forgotten: 'CONFLICT preview_changed',
  },
  {
    path: '/v1/comments',
    prepare: async (admin, place) => void (await admin.create(`${place}/said.md`)),
    body: (place) => ({ location: `${place}/said.md`, text: 'one' }),
    otherBody: (place) => ({ location: `${place}/said.md`, text: 'two' }),
    tooLittle: 'nothing',
    status: 201,
    forgotten: '',
  },
];

/** Nothing is read from the source here. */
function connectionOf(place: string, path: string): object {
  return { name: 'Files', location: `${place}/mirror`, kind: 'folder', settings: { path } };
}

function grantOf(place: string, id: string, role: string): object {
  return { scope_type: 'folder', scope_id: `${place}/granted`, subject: { type: 'principal', id }, role };
}

function revertOf(place: string, made: string | void): object {
  const [principal_id, preview] = (made ?? '').split(' ');
  return { location: `${place}/undone`, principal_id, since: '1970-01-01T00:00:00Z', preview };
}

export const isReplayed = ({ headers }: HttpAnswer): boolean => headers['idempotent-replayed'] === 'true';

/** The parts of an answer that a client keeps. */
export const essenceOf = ({ status, text, etag, headers }: HttpAnswer): string =>
  JSON.stringify([status, text, etag, headers.location, headers['content-type']]);

/** A person who can get grants. */
export const addSubject = (server: TestServer): Promise<string> => server.host.principal('Subject');
