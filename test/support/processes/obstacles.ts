import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from 'mocha';
import { skipBecause } from '../skip.js';
import type { RunOptions } from './run-program.js';

/** An account without any right to what tests make. */
const nobody = 65_534;

export const isRoot = process.geteuid?.() === 0;

const run = (...[program = '', ...parameters]: readonly string[]): boolean =>
  spawnSync(program, parameters).status === 0;

/** Options that run the program as another account. Skips the test where this account cannot do that. */
export function asAnother(test: Context): RunOptions & { readonly name: string } {
  if (!isRoot) skipBecause(test, 'only root can run a program as another account');
  const program = process.argv[1] ?? '';
  const isOpen = spawnSync(process.execPath, ['-e', `require('fs').accessSync(${JSON.stringify(program)})`], {
    uid: nobody,
    gid: nobody,
    cwd: '/',
  });
  if (isOpen.status !== 0) skipBecause(test, 'another account cannot read this checkout');
  return { uid: nobody, cwd: '/', name: 'nobody' };
}

/** Lets other accounts come as far as a folder, as below /var/lib. */
export function openWay(folder: string): void {
  for (let each = folder; (statSync(each).mode & 0o001) === 0; each = dirname(each)) chmodSync(each, 0o711);
}

const mounted: string[] = [];

/** Mounts a folder read-only at another, as a snapshot is. Skips the test where the machine does not let it. */
export function mountReadOnly(test: Context, folder: string, at: string): void {
  mkdirSync(at);
  if (!run('mount', '--bind', folder, at)) skipBecause(test, 'this account cannot mount');
  mounted.push(at);
  if (!run('mount', '-o', 'remount,ro,bind', at)) skipBecause(test, 'this account cannot mount read-only');
}

/** Mounts a small disk at a new folder. Skips the test where the machine does not let it. */
export function mountDisk(test: Context, at: string, megabytes: number): void {
  mkdirSync(at, { mode: 0o700 });
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', at)) {
    skipBecause(test, 'this account cannot mount');
  }
  mounted.push(at);
}

/** Ends all such mounts. */
export function unmountAll(): void {
  for (const at of mounted.splice(0)) if (!run('umount', at)) run('umount', '-l', at);
}
