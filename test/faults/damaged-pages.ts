/**
 * A sidecar with one damaged page, and the answers to all callers then. Run as a program, it tries every page in every
 * way.
 */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { internal } from '../../lib/domain/refusal.js';
import { exportFolder } from '../../lib/operations/folders/export-folder.js';
import { perform } from '../../lib/operations/perform.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { isFaultOfTheFile } from '../../lib/sidecar/fault.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { outcomeOf, type Actor } from '../support/store/actor.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';

export const pageSize = 4096;

/** Ways to damage a page. `forget` leaves a page that SQLite takes for a sound one. */
export const damages = {
  /** The bytes that hold the page's type. */
  head: (page) => page.fill(0xa5, 0, 512),
  /** The page's content: SQLite fills a page from its end. */
  tail: (page) => page.fill(0xa5, pageSize - 512),
  /** A block that the disk never wrote. */
  zeros: (page) => page.fill(0),
  /** A block that the disk wrote to the place of another. */
  noise: (page) => page.forEach((_, at) => (page[at] = (at * 167 + 13) % 251)),
  /** Fewer rows in a leaf than there are. */
  forget: (page) => {
    if ((page[0] === 10 || page[0] === 13) && page.readUInt16BE(3) > 1) page.writeUInt16BE(page.readUInt16BE(3) - 1, 3);
  },
} as const satisfies Record<string, (page: Buffer) => void>;

export type Damage = keyof typeof damages;

/** A wrong answer: neither the stored state nor an error. */
export interface WrongAnswer {
  readonly damage: Damage;
  readonly page: number;
  readonly answers: readonly string[];
  /** The report of `cartulary verify` about it. */
  readonly noticed: readonly string[];
}

const folders = 7;
const documents = 60;
const locationOf = (i: number): string => `folder-${i % folders}/${i}.md`;

export async function makeFilled(): Promise<Workbench> {
  const bench = await makeWorkbench();
  for (let i = 0; i < documents; i++) await bench.actor.create(locationOf(i), `text ${i} everywhere`);
  return bench;
}

/** Every answer that is neither right nor INTERNAL or UNAVAILABLE. It adds the answers to `outcomes`. */
async function wrongAnswers(actor: Actor, outcomes: Set<string>, readEvery: number): Promise<string[]> {
  const wrong: string[] = [];
  const look = async <Result>(what: string, expected: Result, answer: Promise<Result>): Promise<void> => {
    const outcome = await outcomeOf(
      answer.then((result) => {
        try {
          assert.deepEqual(result, expected);
        } catch {
          wrong.push(`${what}: ${JSON.stringify(result)}`);
        }
      }),
    );
    outcomes.add(outcome);
    if (!/^(?:done|UNAVAILABLE(?: storage_full)?|INTERNAL)$/.test(outcome)) wrong.push(`${what}: ${outcome}`);
  };
  for (let i = 0; i < documents; i += readEvery) {
    await look(`reading ${locationOf(i)}`, `text ${i} everywhere`, actor.read(locationOf(i)));
  }
  const indices = Array.from({ length: documents }, (_, i) => i);
  for (let folder = 0; folder < folders; folder++) {
    const names = indices.filter((i) => i % folders === folder).map((i) => `${i}.md`);
    await look(`listing folder-${folder}`, names.toSorted(), actor.list(`folder-${folder}`));
  }
  await look('exporting', indices.map(locationOf).toSorted(), exported(actor));
  await look('searching', documents, found(actor));
  return wrong;
}

async function exported(actor: Actor): Promise<string[]> {
  const input = { location: parseFolderLocation('') };
  const { result } = await perform(actor.workspace, actor.caller, exportFolder, input);
  try {
    const locations: string[] = [];
    for await (const { document, open } of result.documents) {
      const bytes = await open();
      if (!Buffer.isBuffer(bytes) || !bytes.toString().startsWith('text ')) locations.push('not its text');
      locations.push(document.location);
    }
    return locations.toSorted();
  } catch (error) {
    // An export that has begun is broken off.
    throw isFaultOfTheFile(error) ? internal(error) : error;
  } finally {
    result.close();
  }
}

async function found(actor: Actor): Promise<number> {
  const input = { query: 'everywhere', location: parseFolderLocation(''), labels: [], limit: 100, position: null };
  return (await perform(actor.workspace, actor.caller, searchDocuments, input)).result.hits.length;
}

export interface DamageOptions {
  readonly ways: readonly Damage[];
  /** Every how many pages, and every how many documents of each. */
  readonly every?: number;
  readonly readEvery?: number;
  readonly tell?: (line: string) => void;
}

/**
 * Damages one page after another of a closed workspace's sidecar, opens it, and asks. It leaves out the first page,
 * which every opening reads. Leaves the sidecar whole and closed.
 */
export async function damagePages(
  bench: Workbench,
  { ways, every = 1, readEvery = 1, tell }: DamageOptions,
): Promise<{ readonly wrong: WrongAnswer[]; readonly outcomes: Set<string>; readonly pages: number }> {
  const { sidecar } = bench.paths;
  const whole = await readFile(sidecar);
  const outcomes = new Set<string>();
  const wrong: WrongAnswer[] = [];
  const put = async (bytes: Buffer): Promise<void> => {
    for (const ending of ['-wal', '-shm']) await rm(sidecar + ending, { force: true });
    await writeFile(sidecar, bytes);
  };
  let pages = 0;
  for (const damage of ways) {
    for (let page = 1; page * pageSize < whole.length; page += every) {
      const damaged = Buffer.from(whole);
      damages[damage](damaged.subarray(page * pageSize, (page + 1) * pageSize));
      if (damaged.equals(whole)) continue;
      pages += 1;
      await put(damaged);
      try {
        await bench.open();
      } catch {
        outcomes.add('refused');
        continue;
      }
      const answers = await wrongAnswers(bench.actor, outcomes, readEvery);
      await bench.close().catch(() => undefined);
      if (answers.length === 0) continue;
      await put(damaged);
      const dataFolder = bench.files.dataFolder ?? '';
      const { problems } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'auto' }, () => undefined);
      const one = { damage, page, answers, noticed: [...new Set(problems.map(({ part }) => part))] };
      wrong.push(one);
      tell?.(JSON.stringify(one));
    }
    tell?.(`${damage}: ${pages} pages so far, ${wrong.length} with wrong answers`);
  }
  await put(whole);
  return { wrong, outcomes, pages };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const bench = await makeFilled();
  // Work that waits for another try keeps no process alive.
  const staying = setInterval(() => undefined, 1000);
  try {
    await bench.close();
    const tell = (line: string): void => console.log(line);
    const { wrong, outcomes, pages } = await damagePages(bench, { ways: Object.keys(damages) as Damage[], tell });
    console.log(`${pages} damaged pages, ${wrong.length} with wrong answers; outcomes: ${[...outcomes].join(', ')}`);
  } finally {
    clearInterval(staying);
    await bench.remove();
  }
}
