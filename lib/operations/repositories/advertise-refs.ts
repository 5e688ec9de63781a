import type { Readable } from 'node:stream';
import { abilityPackets, encodeListing } from '../../git/serving/list-refs.js';
import { startAdvertisement } from '../../git/serving/upload-pack.js';
import type { RefListing } from '../../git/serving/upload-request.js';
import type { WriteOperation } from '../operation.js';
import { perform } from '../perform.js';
import {
  makeRepositoryOperation,
  requireReached,
  type OpenRepository,
  type RepositoryInput,
} from './prepare-repository.js';
import { serveRepository, type Asked, type StartGit } from './serve-repository.js';
import { takeRoom } from './take-room.js';

const name = 'repository.list_refs';

/** Names the branch of the caller's repository and its head. Reader somewhere. */
export const listRefs = makeRepositoryOperation(name);

/** Says what can be asked in version 2. It needs no repository, so none is brought up to date. Reader somewhere. */
const listAbilities: WriteOperation<Pick<RepositoryInput, 'isHere' | 'version'>, null, null> = {
  kind: 'write',
  name,
  worksWhenLow: true,
  needs: () => [],
  note: ({ version }) => ({ detail: { protocol: version } }),
  async prepare({ workspace, view }, { isHere }) {
    requireReached(view, isHere);
    await workspace.derived.requireGit();
    return null;
  },
  run: () => null,
};

/** Answers a client that begins: the branch, or in version 2 what can be asked. @throws Refusal, recorded */
export async function advertiseRepository(asked: Asked): Promise<Readable | Buffer> {
  if (asked.version !== 2) return serve(asked);
  await perform(asked.workspace, asked.caller, listAbilities, asked);
  return abilityPackets;
}

/** Answers the command `ls-refs` of version 2. @throws Refusal, recorded */
export async function answerRefs(asked: Asked, listing: RefListing): Promise<Buffer> {
  return encodeListing(listing, await findHead(asked));
}

/** The head of the caller's repository, brought up to date unless the client pushes. @throws Refusal, recorded */
export async function findHead({
  workspace,
  caller,
  ...asked
}: Asked & Pick<RepositoryInput, 'isPush'>): Promise<string | null> {
  const held: OpenRepository[] = [];
  try {
    const { result } = await perform(workspace, caller, listRefs, { ...asked, held });
    return result.head;
  } finally {
    for (const { hold } of held) hold.release();
  }
}

function serve(asked: Asked): Promise<Readable> {
  const start: StartGit = (program, { repository }) =>
    startAdvertisement(program, { repository: repository.path, version: asked.version, seeksDeltas: false });
  return serveRepository(asked, listRefs, start, { takeRoom: () => takeRoom(asked, 'computations', listRefs) });
}
