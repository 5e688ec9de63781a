import type { Readable } from 'node:stream';
import { sourceOf } from '../../limits/work-limits.js';
import { readClientHistory } from '../../git/serving/client-history.js';
import { FetchAnswer } from '../../git/serving/fetch-answer.js';
import { startUploadPack } from '../../git/serving/upload-pack.js';
import type { FetchRequest } from '../../git/serving/upload-request.js';
import { readableExtent } from '../note-extent.js';
import type { WriteOperation } from '../operation.js';
import { perform } from '../perform.js';
import { FetchTally } from './fetch-tally.js';
import { makeRepositoryOperation } from './prepare-repository.js';
import { serveRepository, type Asked } from './serve-repository.js';
import { takeRoom } from './take-room.js';
import type { UnrelatedHistories } from './unrelated-histories.js';

/** Gives out what the caller's repository holds. Reader somewhere. */
export const fetchRepository = makeRepositoryOperation('repository.fetch', true);

/** Records that a fetch gives out everything after all. */
const recordWhole: WriteOperation<Pick<Asked, 'version'>, null> = {
  kind: 'write',
  name: fetchRepository.name,
  worksWhenLow: true,
  needs: () => [],
  note: ({ version }) => ({ detail: { protocol: version } }),
  run: () => null,
  extentOf: ({ reach, transaction: { tables } }) => readableExtent({ reach, tables }),
};

/** For a person whose clone has another history. git shows each line behind `remote:`. */
const begunAnew = [
  'The history of this repository has started over, or your clone is of another one.',
  'It starts over when your access was narrowed, when something was erased or moved away from you, when it was not used',
  'for 30 days or took too much room, and when it was restored or repaired.',
  'To go on, keep what you have not pushed elsewhere, then run: git fetch && git reset --hard origin/main',
  'Do not merge the old history: a push of it is refused.',
  '',
].join('\n');

/**
 * Answers the request of a client that fetches, once there is room for it.
 * @param unrelated remembers the rounds of one fetch
 * @throws Refusal, recorded: RATE_LIMITED, UNAVAILABLE among others
 */
export async function answerFetch(
  asked: Asked,
  request: FetchRequest,
  unrelated: UnrelatedHistories,
): Promise<Readable> {
  const { workspace, caller, version } = asked;
  const release = await takeRoom(asked, 'clones', fetchRepository);
  const source = sourceOf(workspace.name, caller);
  const { wants, haves, isLast } = request;
  let isUnrelated = unrelated.take(source);
  return serveRepository(
    { ...asked, exchange: wants === null ? null : { wants, haves: haves.slice(0, maxHavesNoted) } },
    fetchRepository,
    async (program, { repository, hold }) => {
      // A derived repository gives the same bytes for the same objects. A clone takes the deltas that are there.
      const seeksDeltas = repository.isOwn && haves.length > 0;
      if (haves.length > 0) {
        const { hasOthers, isOfThisLife } = await readClientHistory(program, repository, haves);
        isUnrelated = !isOfThisLife && (hasOthers || isUnrelated);
        hold.signal.throwIfAborted();
      }
      // Each round is a request, and the next one can come as soon as this one is answered.
      if (!isLast) unrelated.note(source, isUnrelated);
      const git = startUploadPack(program, { repository: repository.path, version, seeksDeltas });
      git.stdin.end(request.bytes);
      return git;
    },
    {
      release,
      follow: ({ repository, shared }) => ({
        tally: new FetchTally(workspace, caller, repository.head),
        answer: new FetchAnswer(isUnrelated ? begunAnew : undefined),
        explained: shared?.objects,
        recordWhole: () => perform(workspace, caller, recordWhole, asked),
        end({ hasPack }) {
          if (hasPack) unrelated.note(source, false);
        },
      }),
    },
  );
}

/** Commits of a client that are looked for among the heads that were given out. Clients name their newest ones first. */
const maxHavesNoted = 256;
