import type { Readable } from 'node:stream';
import { startAdvertisement, startUploadPack, type UploadPackRequest } from '../../git/serving/upload-pack.js';
import { makeRepositoryOperation, type OpenRepository } from './prepare-repository.js';
import { serveRepository, type Asked, type StartGit } from './serve-repository.js';
import { takeRoom } from './take-room.js';

/** Names the branch of the caller's repository and its head. Reader somewhere. */
export const listRefs = makeRepositoryOperation('repository.list_refs');

/** Answers a client that begins: the branch, or in version 2 what can be asked. @throws Refusal, recorded */
export function advertiseRepository(asked: Asked): Promise<Readable> {
  return serve(asked, (program, open) => startAdvertisement(program, describe(open, asked)));
}

/** Answers the command `ls-refs` of version 2. @throws Refusal, recorded */
export function answerRefs(asked: Asked, request: Buffer): Promise<Readable> {
  return serve(asked, (program, open) => {
    const git = startUploadPack(program, describe(open, asked));
    git.stdin.end(request);
    return git;
  });
}

function serve(asked: Asked, start: StartGit): Promise<Readable> {
  return serveRepository(asked, listRefs, start, { takeRoom: () => takeRoom(asked, 'computations', listRefs) });
}

function describe({ repository }: OpenRepository, { version }: Asked): UploadPackRequest {
  return { repository: repository.path, version, seeksDeltas: false };
}
