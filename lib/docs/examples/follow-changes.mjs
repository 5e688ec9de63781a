// Keeps a folder equal to what a key may read: node follow-changes.mjs FOLDER, with URL and KEY in the environment.
// FOLDER/texts has a file for each document, named by its id; FOLDER/index.json says where each one lies.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const { URL: url, KEY: key } = process.env;
const [folder = 'mirror'] = process.argv.slice(2);
const textOf = (id) => join(folder, 'texts', id);

/** Asks until there is an answer to go by. */
async function ask(path) {
  for (;;) {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer;
    await answer?.body?.cancel();
    await delay(1000 * Number(answer?.headers.get('retry-after') ?? 1));
  }
}

/**
 * The page is kept whole or not at all. After a crash it comes again, and does no harm. Texts are removed only behind
 * that: a text that the index names must be there, also after a crash.
 */
async function keep(index) {
  await writeFile(join(folder, 'index.new'), JSON.stringify(index));
  await rename(join(folder, 'index.new'), join(folder, 'index.json'));
  for (const id of await readdir(join(folder, 'texts'))) if (!(id in index.documents)) await rm(textOf(id));
}

async function apply({ document: { id, location, etag } }, documents) {
  if (etag === null) return void delete documents[id];
  if (documents[id]?.etag !== etag) {
    const path = location.split('/').map(encodeURIComponent).join('/');
    const answer = await ask(`/v1/files/${path}?version=${etag.slice(1, -1)}`);
    const text = Buffer.from(await answer.arrayBuffer());
    // It has moved or gone meanwhile: an item further on says where.
    if (answer.status === 404) return;
    if (!answer.ok) throw new Error(String(text));
    await writeFile(textOf(id), text);
  }
  documents[id] = { location, etag };
}

await mkdir(join(folder, 'texts'), { recursive: true });
const empty = { cursor: '', documents: {} };
const index = await readFile(join(folder, 'index.json'), 'utf8').then(JSON.parse, () => empty);
await keep(index);
for (;;) {
  const after = index.cursor === '' ? '' : `&cursor=${index.cursor}`;
  const page = await ask(`/v1/changes?limit=200&wait=30${after}`);
  const { items = [], next_cursor: cursor = '', error } = await page.json();
  // The workspace was made again from a clone, so the feed starts over.
  if (error?.details?.reason === 'bad_cursor') index.documents = {};
  else if (error !== undefined) throw new Error(error.message);
  for (const item of items) await apply(item, index.documents);
  index.cursor = cursor;
  await keep(index);
}
