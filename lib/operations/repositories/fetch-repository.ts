import type { Readable } from 'node:stream';
import { sourceOf } from '../../access/work-limits.js';
import { listHaves, listWants, readClientHistory } from '../../git/serving/client-history.js';
import { FetchAnswer } from '../../git/serving/fetch-answer.js';
import { startUploadPack } from '../../git/serving/upload-pack.js';
import { FetchTally } from './fetch-tally.js';
import { makeRepositoryOperation } from './prepare-repository.js';
import { serveRepository, type Asked } from './serve-repository.js';
import { takeRoom } from './take-room.js';
import type { UnmetClients } from './unmet-clients.js';

/** Gives out what the caller's repository holds. Reader somewhere. */
export const fetchRepository = makeRepositoryOperation('repository.fetch', true);

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
 * @param unmet remembers the rounds of one fetch
 * @throws Refusal, recorded: RATE_LIMITED, UNAVAILABLE among others
 */
export async function answerFetch(asked: Asked, request: Buffer, unmet: UnmetClients): Promise<Readable> {
  const { workspace, caller, version } = asked;
  const release = await takeRoom(asked, 'clones', fetchRepository);
  const source = sourceOf(workspace.name, caller);
  const isLast = hasLine(request, done);
  const haves = listHaves(request);
  let isUnmet = unmet.take(source);
  const wants = listWants(request);
  return serveRepository(
    { ...asked, exchange: wants === null ? null : { wants, haves: haves.slice(0, maxHavesNoted) } },
    fetchRepository,
    async (program, { repository, hold }) => {
      // A derived repository gives the same bytes for the same objects. A clone takes the deltas that are there.
      const seeksDeltas = repository.isOwn && haves.length > 0;
      if (haves.length > 0) {
        const { hasOthers, isOfThisLife } = await readClientHistory(program, repository, haves);
        isUnmet = !isOfThisLife && (hasOthers || isUnmet);
        hold.signal.throwIfAborted();
      }
      // Each round is a request, and the next one can come as soon as this one is answered.
      if (!isLast) unmet.note(source, isUnmet);
      const git = startUploadPack(program, { repository: repository.path, version, seeksDeltas });
      git.stdin.end(request);
      return git;
    },
    {
      release,
      follow: ({ repository }) => ({
        tally: new FetchTally(workspace, caller, repository.head),
        answer: new FetchAnswer(isUnmet ? begunAnew : undefined),
        end({ hasPack }) {
          if (hasPack) unmet.note(source, false);
        },
      }),
    },
  );
}

/** Commits of a client that are looked for among the heads that were given out. Clients name their newest ones first. */
const maxHavesNoted = 256;

/** Lines of a request that say that it is the client's last. */
const done = ['0009done', '0008done'];

function hasLine(request: Buffer, lines: readonly string[]): boolean {
  return lines.some((line) => request.includes(line));
}
