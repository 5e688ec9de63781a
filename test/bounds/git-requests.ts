import { gzipSync } from 'node:zlib';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import type { Role } from '../../lib/domain/role.js';
import { git as runGit } from '../support/git/fixture.js';
import { WorkTree } from '../support/git/work-tree.js';
import type { LargeRequest } from './large-request.js';
import { mebibyte } from './world.js';

/** The most files of a push, its most commits, and the most bytes of a request that is no push. */
const most = 1000;
const longestRequest = 10 * mebibyte;

export const gitRoutes: readonly string[] = [
  'GET /git/{workspace}/info/refs',
  'POST /git/{workspace}/git-upload-pack',
  'POST /git/{workspace}/git-receive-pack',
];

const [refs = '', upload = '', receive = ''] = gitRoutes;
const second = { 'git-protocol': 'version=2' };
const uploading: Readonly<Record<string, string>> = {
  ...second,
  'content-type': 'application/x-git-upload-pack-request',
};
const receiving = { 'content-type': 'application/x-git-receive-pack-request' };

const lines = (texts: readonly string[]): Buffer[] => texts.map((text) => encodePacket(`${text}\n`));
const fetching = (texts: readonly string[]): Buffer =>
  Buffer.concat([encodePacket('command=fetch'), Buffer.from('0001'), ...lines(texts), flushPacket]);

/** Clones of a workspace, and pushes of an editor that follow one another. */
export interface LargeGitWork {
  /** What main is for each role. */
  readonly heads: ReadonlyMap<Role, string>;
  /** One file too many: it is refused. */
  readonly tooMany: Buffer;
  /** The most files in one commit. */
  readonly files: Buffer;
  /** The most commits in one push. */
  readonly line: Buffer;
}

/** @param addressOf the address to clone from, with the key of that role */
export async function makeLargeGitWork(folder: string, addressOf: (role: Role) => string): Promise<LargeGitWork> {
  const clones = new Map<Role, WorkTree>();
  for (const role of ['reader', 'editor', 'approver'] as const) {
    clones.set(role, await WorkTree.clone(folder, addressOf(role), role));
  }
  const heads = new Map<Role, string>();
  for (const [role, clone] of clones) heads.set(role, await clone.head());
  const tree = clones.get('editor') ?? WorkTree.at(folder);
  const base = await tree.head();
  const filesOf = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`pushed/${n}-${'x'.repeat(150)}.md`, `${n}\n`]));
  await tree.commit(filesOf(most + 1));
  const tooMany = await tree.makePush(base);
  await tree.git('reset', '-q', '--hard', base);
  const head = await tree.commit(filesOf(most), 'm'.repeat(1000));
  const files = await tree.makePush(base);
  const commits = Array.from({ length: most }, (_, n) =>
    [
      'commit refs/heads/main',
      'committer Ada <ada@example.org> 1700000000 +0000',
      'data 1',
      'm',
      ...(n === 0 ? [`from ${head}`] : []),
      'M 100644 inline line.md',
      `data ${`${n}`.length}`,
      `${n}\n`,
    ].join('\n'),
  );
  runGit(tree.folder, ['fast-import', '--quiet', '--force'], commits.join(''));
  return { heads, tooMany, files, line: await tree.makePush(head) };
}

/** The requests, in this order. */
export function makeLargeGitRequests({ heads, tooMany, files, line }: LargeGitWork): readonly LargeRequest[] {
  const begins = (as: Role, service: string, headers: Readonly<Record<string, string>> = {}): LargeRequest => {
    const target = `/git/acme/info/refs?service=${service}`;
    return { route: refs, kind: `${service} of a ${as}`, as, target, headers, status: 200 };
  };
  const asks = (as: Role, kind: string, body: Buffer, status = 200, headers = uploading): LargeRequest => {
    return {
      route: upload,
      kind: `${kind}, of a ${as}`,
      as,
      target: '/git/acme/git-upload-pack',
      headers,
      body,
      status,
    };
  };
  const pushes = (kind: string, body: Buffer): LargeRequest => {
    return {
      route: receive,
      kind,
      as: 'editor',
      target: '/git/acme/git-receive-pack',
      headers: receiving,
      body,
      status: 200,
    };
  };
  const clone = (role: Role): Buffer => fetching([`want ${heads.get(role) ?? ''}`, 'done']);
  const haves = Array.from({ length: 150_000 }, (_, n) => `have ${n.toString(16).padStart(40, '0')}`);
  const wants = haves.map((line) => line.replace('have', 'want'));
  const wanted = encodePacket(`want ${heads.get('reader') ?? ''} multi_ack_detailed side-band-64k`);
  const oldFetch = Buffer.concat([wanted, flushPacket, ...lines([...haves, 'done'])]);
  const prefixes = Array.from({ length: 10_000 }, (_, n) => `ref-prefix ${'r'.repeat(900)}${n}`);
  const listing = [encodePacket('command=ls-refs'), Buffer.from('0001'), ...lines(prefixes), flushPacket];
  const packed = gzipSync(Buffer.alloc(10 * longestRequest, '0'));
  return [
    begins('reader', 'git-upload-pack'),
    begins('reader', 'git-upload-pack', second),
    begins('editor', 'git-receive-pack'),
    begins('approver', 'git-receive-pack'),
    asks('reader', 'everything', clone('reader')),
    asks('approver', 'everything', clone('approver')),
    asks('reader', 'as many haves as there may be', fetching([`want ${heads.get('reader') ?? ''}`, ...haves, 'done'])),
    asks('reader', 'a long listing', Buffer.concat(listing)),
    asks('reader', 'as many wants as there may be', fetching([...wants, 'done'])),
    asks('reader', 'as many haves before version 2', oldFetch, 200, { ...uploading, 'git-protocol': '' }),
    asks('reader', 'nothing but ends', Buffer.alloc(longestRequest, '0'), 400),
    asks('reader', 'nothing but marks', Buffer.alloc(longestRequest, '0001'), 400),
    asks('reader', 'nothing but empty lines', Buffer.alloc(longestRequest, '0004'), 400),
    asks('reader', 'no packets', Buffer.alloc(longestRequest, 'x'), 400),
    asks('reader', 'one byte too many', Buffer.alloc(longestRequest + 1, '0'), 413),
    asks('reader', 'far too much in little', packed, 413, { ...uploading, 'content-encoding': 'gzip' }),
    pushes('one file too many', tooMany),
    pushes('the most files', files),
    pushes('the most commits', line),
    pushes('nothing', flushPacket),
  ];
}
