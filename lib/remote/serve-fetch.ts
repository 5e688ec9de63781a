import { invalidRequest } from '../domain/refusal.js';
import { advertisementHead } from '../git/serving/upload-pack.js';
import { readUploadRequest, UnfitRequest, type UploadRequest } from '../git/serving/upload-request.js';
import { mediaTypeOf } from '../http/read-body.js';
import { refuseUnread } from '../operations/perform.js';
import { answerFetch, fetchRepository } from '../operations/repositories/fetch-repository.js';
import { advertiseRepository, answerRefs } from '../operations/repositories/advertise-refs.js';
import { requireReached } from '../operations/repositories/prepare-repository.js';
import { readRequest } from './unpack-body.js';
import type { RemoteRequest, RemoteService } from './remote-request.js';

const service = 'git-upload-pack';

/** What clones and fetches ask for. */
export const uploadPack: RemoteService = {
  async advertise(asked) {
    const content = await advertiseRepository(asked);
    const head = advertisementHead(service, asked.version);
    return { contentType: `application/x-${service}-advertisement`, head, content };
  },
  async serve(asked) {
    const request = await readOrRecord(asked);
    const content =
      request.command === 'fetch' ? answerFetch(asked, request, asked.unrelated) : answerRefs(asked, request);
    return { contentType: `application/x-${service}-result`, content: await content };
  },
};

/** @throws Refusal NOT_FOUND before the body is read; INVALID_REQUEST; RATE_LIMITED, UNAVAILABLE; recorded */
async function readOrRecord(asked: RemoteRequest): Promise<UploadRequest> {
  const { workspace, caller, isHere, version } = asked;
  try {
    requireReached(workspace.view(caller), isHere);
    requireType(asked, `application/x-${service}-request`);
    return await readUploadRequest(await readRequest(asked), version);
  } catch (error) {
    const refusal = error instanceof UnfitRequest ? invalidRequest('bad_field', error.message) : error;
    throw await refuseUnread(workspace, caller, fetchRepository.name, { detail: { protocol: version } }, refusal);
  }
}

/** @throws Refusal INVALID_REQUEST */
export function requireType({ request }: Pick<RemoteRequest, 'request'>, type: string): void {
  if (mediaTypeOf(request.headers['content-type']) === type) return;
  throw invalidRequest('unsupported_media_type', `The body has to be ${type}.`);
}
