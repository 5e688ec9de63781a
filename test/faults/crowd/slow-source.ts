/**
 * A program for connectors that mirrors a folder slowly: it gives the content of a file at once, and waits before the
 * next one. Its arguments are the folder, and the most milliseconds of a wait.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

interface Message {
  readonly type: string;
  readonly id?: number;
  readonly file?: { readonly path: string; readonly version: string };
}

const [folder = '', most = '0'] = process.argv.slice(2);
const pieceLength = 100_000;

const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const versionOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Answers to `next`, by the id of their request. */
const parts = new Map<number, Iterator<object, object>>();

function* listing(id: number): Generator<object, object> {
  const entries = readdirSync(folder).map((path) => {
    const bytes = readFileSync(join(folder, path));
    return { type: 'file', path, version: versionOf(bytes), size: bytes.length };
  });
  yield { type: 'entries', id, entries };
  return { type: 'listed', id, cursor: null, version: null };
}

function* content(id: number, { path, version }: { path: string; version: string }): Generator<object, object> {
  const unreadable = { type: 'unreadable', id, reason: 'unreadable', detail: 'it has changed' };
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, path));
  } catch {
    return unreadable;
  }
  if (versionOf(bytes) !== version) return unreadable;
  for (let at = 0; at < bytes.length; at += pieceLength)
    yield { type: 'content', id, base64: bytes.subarray(at, at + pieceLength).toString('base64') };
  return { type: 'complete', id, size: bytes.length };
}

async function answer({ type, id = 0, file }: Message): Promise<void> {
  if (type === 'hello') say({ type: 'ready', protocol: 1, name: 'slow', probe: false });
  if (type === 'check') say({ type: 'checked', id, found: 'It is there.' });
  if (type === 'list') {
    say({ type: 'listing', id, mode: 'snapshot' });
    parts.set(id, listing(id));
  }
  if (type === 'read' && file !== undefined) parts.set(id, content(id, file));
  if (type === 'cancel' && parts.delete(id)) say({ type: 'cancelled', id });
  if (type === 'next') {
    const part = parts.get(id)?.next();
    if (part?.done === true) {
      parts.delete(id);
      await delay(Math.random() * Number(most));
    }
    if (part !== undefined) say(part.value);
  }
}

for await (const line of createInterface({ input: process.stdin })) await answer(JSON.parse(line) as Message);
