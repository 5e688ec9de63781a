import assert from 'node:assert/strict';

/** Asks one server with one key. */
export type Get = (target: string, key: string) => Promise<{ readonly status: number; readonly json: unknown }>;

/** What a data folder holds, as its server answers it: for two people, and for the operator. */
export interface Answers {
  /** The answers to the key of each. */
  readonly admin: unknown;
  readonly reader: unknown;
  /** The audit log's records and the last one's hash, as far as it had come. */
  readonly audit: { readonly seq: number; readonly hash: string };
}

/** The keys that belong to a kept folder. */
export interface Keys {
  readonly admin: string;
  readonly reader: string;
  readonly revoked: string;
}

/** What is kept beside the data. */
export interface Kept {
  readonly keys: Keys;
  readonly answers: Answers;
  /** Milliseconds since 1970 when it was made. */
  readonly madeAt: number;
  /** The ids of things that later releases added; absent where the release did not have them. */
  readonly message?: string;
  readonly connector?: string;
  readonly webhook?: string;
}

interface Item {
  readonly [name: string]: unknown;
}

/** Every place that a document lives at, or lived at. */
export const locations = [
  'fields/harvest.md',
  'fields/seed.md',
  'fields/map.png',
  'notes/last.md',
  'notes/plan.md',
  'wages/ada.md',
];
/** A document that was deleted and can be brought back. */
export const deleted = 'notes/minutes.md';

/** Asks for everything that every release since the first can answer. */
export async function readAnswers(get: Get, key: string): Promise<unknown> {
  const items = async (target: string): Promise<Item[]> => {
    const { status, json } = await get(target, key);
    return status === 200 ? ((json as { items: Item[] }).items ?? []) : [{ status }];
  };
  const documents: Record<string, unknown> = {};
  for (const location of locations) documents[location] = await readDocument(get, key, location);
  const search = async (query: string): Promise<unknown> =>
    (await items(`/v1/search?q=${query}`)).map((item) => String(item['location'])).toSorted();
  const answers = {
    documents,
    folders: (await items('/v1/folders?location=')).map((item) => item['location'] ?? item),
    listed: (await items('/v1/documents?location=notes')).map((item) => [item['location'], item['etag']]),
    found: { harvest: await search('harvest'), wages: await search('wages'), barley: await search('barley') },
    grants: (await items('/v1/grants?scope_type=folder&scope_id=notes')).map((item) => [
      item['id'] ?? item,
      item['role'],
      item['subject'],
    ]),
  };
  // As it was kept: in JSON an absent value is null.
  return JSON.parse(JSON.stringify(answers));
}

async function readDocument(get: Get, key: string, location: string): Promise<unknown> {
  const { status, json } = await get(`/v1/documents/${location}`, key);
  if (status !== 200) return status;
  const { id, etag, content, labels, created_at: created, updated_at: updated, sha256 } = json as Item;
  const read = async (target: string): Promise<Item[]> => {
    const answer = await get(`${target}?location=${location}`, key);
    assert.equal(answer.status, 200, target);
    return (answer.json as { items: Item[] }).items;
  };
  const history = await read('/v1/history');
  const older = history.map((each) => (each['version'] as { id: string } | null | undefined)?.id).filter(Boolean);
  const contents: unknown[] = [];
  for (const version of older) {
    const answer = await get(`/v1/documents/${location}?version=${String(version)}`, key);
    contents.push([version, answer.status, (answer.json as Item)['content']]);
  }
  return {
    id,
    etag,
    content,
    labels,
    created,
    updated,
    sha256,
    contents,
    history: history.map((each) => [each['operation'] ?? each['type'], each['at'], each['location']]),
    comments: (await read('/v1/comments')).map((each) => [each['id'], each['text'], each['thread_id']]),
    claims: (await read('/v1/claims')).map((each) => each['id']),
  };
}
