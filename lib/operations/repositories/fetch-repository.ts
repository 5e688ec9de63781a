import type { Readable } from 'node:stream';
import { sourceOf } from '../../access/work-limits.js';
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
const rebuilt = [
  'Your clone and this repository have no commit in common.',
  'The history is made anew when something in it was erased, or may not be read any more.',
  'To go on, keep what you have not pushed elsewhere, then run: git fetch && git reset --hard origin/main',
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
  const isUnmet = isLast && (unmet.take(source) || (version !== 2 && hasLine(request, have)));
  return serveRepository(
    asked,
    fetchRepository,
    (program, { repository }) => {
      // A derived repository gives the same bytes for the same objects. A clone takes the deltas that are there.
      const seeksDeltas = repository.isOwn && hasLine(request, have);
      const git = startUploadPack(program, { repository: repository.path, version, seeksDeltas });
      git.stdin.end(request);
      return git;
    },
    {
      release,
      follow: ({ repository }) => ({
        tally: new FetchTally(workspace, caller, repository.head),
        answer: new FetchAnswer(isUnmet ? rebuilt : undefined),
        end({ isKnown }) {
          if (!isLast && isKnown !== undefined) unmet.note(source, isKnown);
        },
      }),
    },
  );
}

/** Lines of a request: that it is the client's last, and a commit that the client has. */
const done = ['0009done', '0008done'];
const have = ['0032have ', '0031have '];

function hasLine(request: Buffer, lines: readonly string[]): boolean {
  return lines.some((line) => request.includes(line));
}
