import type { Readable } from 'node:stream';
import type { Release } from '../../access/work-limiter.js';
import { sourceOf } from '../../access/work-limits.js';
import type { ProtocolVersion } from '../../git/serving/start-service.js';
import { startUploadPack, type UploadPackRequest } from '../../git/serving/upload-pack.js';
import { recordRefusal } from '../perform.js';
import { FetchTally } from './fetch-tally.js';
import { makeRepositoryOperation, type OpenRepository } from './prepare-repository.js';
import { serveRepository, type Asked } from './serve-repository.js';

/** Gives out what the caller's repository holds. Reader somewhere. */
export const fetchRepository = makeRepositoryOperation('repository.fetch');

/** A derived repository gives the same bytes for the same objects. The workspace's own gives small packs. */
export function describeUploadPack({ repository }: OpenRepository, version: ProtocolVersion): UploadPackRequest {
  return { repository: repository.path, version, seeksDeltas: repository.isOwn };
}

/**
 * Answers the request of a client that fetches, once there is room for it.
 * @throws Refusal, recorded: RATE_LIMITED, UNAVAILABLE among others
 */
export async function answerFetch(asked: Asked, request: Buffer): Promise<Readable> {
  const { workspace, caller, version } = asked;
  let release: Release;
  try {
    release = await workspace.workLimits.clones.take(sourceOf(workspace.name, caller));
  } catch (error) {
    const note = { detail: { protocol: version } };
    throw await recordRefusal(workspace, caller, { name: fetchRepository.name, note: () => note }, undefined, error);
  }
  const makeTally = ({ repository }: OpenRepository): FetchTally => new FetchTally(workspace, caller, repository.head);
  return serveRepository(
    asked,
    fetchRepository,
    (program, open) => {
      const git = startUploadPack(program, describeUploadPack(open, version));
      git.stdin.end(request);
      return git;
    },
    { release, makeTally },
  );
}
