import { invalidRequest } from '../domain/refusal.js';
import { MalformedPacket, readPacket, textOf } from '../git/serving/packets.js';
import { advertisementHead } from '../git/serving/upload-pack.js';
import { mediaTypeOf } from '../http/read-body.js';
import { refuseUnread } from '../operations/perform.js';
import { answerFetch, fetchRepository } from '../operations/repositories/fetch-repository.js';
import { advertiseRepository, answerRefs } from '../operations/repositories/list-refs.js';
import { readRequest } from './read-body.js';
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
    const body = await readOrRecord(asked);
    const content = isListing(asked, body) ? answerRefs(asked, body) : answerFetch(asked, body, asked.unmet);
    return { contentType: `application/x-${service}-result`, content: await content };
  },
};

/** @throws Refusal INVALID_REQUEST; RATE_LIMITED, UNAVAILABLE; recorded */
async function readOrRecord(asked: RemoteRequest): Promise<Buffer> {
  try {
    requireType(asked, `application/x-${service}-request`);
    return await readRequest(asked);
  } catch (error) {
    throw await refuseUnread(asked.workspace, asked.caller, fetchRepository.name, {}, error);
  }
}

/** Whether a request of version 2 asks for the branch and nothing else. */
function isListing({ version }: RemoteRequest, body: Buffer): boolean {
  if (version !== 2) return false;
  try {
    const first = readPacket(body, 0);
    return first !== undefined && textOf(first.packet) === 'command=ls-refs';
  } catch (error) {
    if (!(error instanceof MalformedPacket)) throw error;
    return false;
  }
}

/** @throws Refusal INVALID_REQUEST */
export function requireType({ request }: Pick<RemoteRequest, 'request'>, type: string): void {
  if (mediaTypeOf(request.headers['content-type']) === type) return;
  throw invalidRequest('unsupported_media_type', `The body has to be ${type}.`);
}
