import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../config.js';
import type { Build } from '../api/rest/rest-dependencies.js';

/** The running program: its release, from package.json, and its commit if it runs from a checkout. */
export function readBuild(): Build {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  return { version, commit: readCommit() };
}

/** Follows .git/HEAD by hand, so that no git program is needed. */
function readCommit(): string | null {
  const read = (name: string): string => {
    const file = packagePath('.git', name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  };
  const head = read('HEAD');
  const ref = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  const oid = ref === undefined ? head : read(ref) || packedRef(read('packed-refs'), ref);
  return /^[0-9a-f]{40}$/.test(oid) ? oid : null;
}

function packedRef(packed: string, ref: string): string {
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return line?.slice(0, 40) ?? '';
}
