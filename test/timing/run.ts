import { rm } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { startCartulary } from '../bench/start-server.js';
import { Actor } from '../support/store/actor.js';
import { Client } from '../support/store/client.js';
import { makeTestRandomness, openTestService, type TestService } from '../support/store/service.js';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { operatorId } from '../../lib/domain/principal.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { cases, hidden, many } from './cases.js';
import { measure, Stopwatch } from './measure.js';

/**
 * Does the time of an answer reveal hidden documents? Run this on a quiet machine: `npm run timing -- [pairs] [part of
 * a case's name]`; README.md here keeps the figures.
 */
const pairs = Number(process.argv[2] ?? 10_000);
const only = process.argv[3] ?? '';

/** A data folder with many documents out of a caller's reach, and that caller's key. */
async function prepare(): Promise<{ readonly dataFolder: string; readonly key: string }> {
  const test = await openTestService({ store: 'disk', requestsPerMinute: 1e9 });
  const { workspace } = test;
  const actor = new Actor(workspace, operatorId);
  const files = [...hidden.documents, ...hidden.folders, ...hidden.deleted, 'open/inside.md', 'open/granted.md'].map(
    (location) => {
      const word = location.startsWith('open/') ? 'horse' : 'quagzip';
      return { location: parseLocation(location), content: { bytes: Buffer.from(`${word} text of ${location}`) } };
    },
  );
  await perform(workspace, actor.caller, importDocuments, { into: rootLocation, files, message: null });
  await perform(workspace, actor.caller, createDocument, {
    location: parseLocation('shut/labelled.md'),
    content: { bytes: Buffer.from('text') },
    labels: ['hidden'],
    message: null,
  });
  for (const location of hidden.deleted) await actor.delete(location);
  const client = new Client(workspace, operatorId);
  for (const location of hidden.documents) hidden.threads.push((await client.comment(location, 'hidden')).threadId);
  // People and groups with grants, none of them shared with the caller.
  for (let n = 0; n < many; n += 1) {
    const principal = await test.principal(`Hidden ${n}`);
    const group = await test.group(`Hidden ${n}`, { type: 'principal', id: principal });
    await test.grant('reader', { type: 'group', id: group }, `shut/${n}`);
    hidden.principals.push(principal);
    hidden.groups.push(group);
  }
  const { id } = await test.person('approver', 'open');
  const key = await test.key(id, ['rest', 'mcp', 'git']);
  // Another workspace with a repository, which the key does not open.
  await test.service.addWorkspace('other');
  // A grant on a document makes the longer way through the rows necessary.
  await test.grant('reader', { type: 'principal', id }, 'open/granted.md', 'document');
  hidden.cookie = await signIn(test, id);
  await test.service.close();
  return { dataFolder: test.dataFolder ?? '', key };
}

/** @returns the cookie of a session that begins now: the service will have the real clock */
async function signIn({ service, workspace, clock }: TestService, principalId: string): Promise<string> {
  clock.milliseconds = Date.now();
  const { caller } = new Actor(workspace, operatorId);
  const { result } = await perform(workspace, caller, issueLink, { principalId, signInName: 'timing' });
  const { people } = service;
  const identityId = people.links.look(result.secret)?.id ?? '';
  const session = { identityId, method: 'password', browser: 'Timing', address: '127.0.0.1' } as const;
  return `cartulary=${people.sessions.begin(session).secret}`;
}

const coins = makeTestRandomness('timing');
const coin = (): boolean => (coins.bytes(1)[0] ?? 0) % 2 === 0;
const { dataFolder, key } = await prepare();
const server = await startCartulary(dataFolder);
const watch = new Stopwatch(server.url, key);
try {
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(`${pairs} pairs each; ${cpus().length} × ${cpus()[0]?.model ?? ''}; load ${load.join(', ')}\n`);
  console.log('| request | AUC | hidden, median µs | absent, median µs |\n| --- | --- | --- | --- |');
  for (const each of cases.filter(({ name }) => name.includes(only))) {
    const { auc, hidden: there, absent } = await measure(watch, each, pairs, coin);
    const mark = auc < 0.48 || auc > 0.52 ? ' (!)' : '';
    console.log(`| ${each.name} | ${auc.toFixed(3)}${mark} | ${there.toFixed(0)} | ${absent.toFixed(0)} |`);
  }
} finally {
  watch.close();
  await server.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
