import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Service, type ServiceOptions } from '../../lib/app/service.js';
import { packagePath } from '../../lib/config.js';
import { serveTestService, type TestServer } from '../support/http/server.js';
import { makeTestRandomness, TestClock, TestService } from '../support/store/service.js';
import type { Get, Kept } from './answers.js';

/** A kept folder, unpacked: its data, and what its own program answered. */
export interface Unpacked extends Kept {
  readonly data: string;
}

export function unpack(format: string, into: string): Unpacked {
  execFileSync('tar', ['-xzf', packagePath('test', 'upgrade', 'folders', `${format}.tar.gz`), '-C', into]);
  const kept = JSON.parse(readFileSync(join(into, 'kept.json'), 'utf8')) as Kept;
  return { ...kept, data: join(into, 'data') };
}

/** Serves it as this program does, a minute after it was written. */
export async function serveUnpacked(
  { data, madeAt }: Unpacked,
  options: Pick<ServiceOptions, 'onNews' | 'upgrade' | 'onFault'>,
): Promise<TestServer> {
  const clock = new TestClock();
  clock.milliseconds = madeAt + 60_000;
  const service = await Service.open({
    ...options,
    dataFolder: data,
    git: 'auto',
    clock,
    randomness: makeTestRandomness(`after ${data}`),
  });
  const workspace = service.find('acme');
  if (workspace === undefined) throw new Error('The workspace is not there.');
  return serveTestService(new TestService(service, workspace, clock, null));
}

/** Asks as `readAnswers` does. */
export const getFrom =
  (server: TestServer): Get =>
  (target, key) =>
    server.as(key).get(target);

/** Each file of a folder with the hash of its bytes. */
export function listBytes(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  );
}
