import { formatTimeOrNull } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';
import type { Command } from './command.js';

/** follow.status: how far the copy elsewhere is. */
export const followCommands: Readonly<Record<string, Command>> = {
  'follow.status': {
    scope: 'service',
    run({ host }) {
      const status = host.copies?.status;
      if (status === undefined) {
        throw invalidRequest(
          'not_following',
          'No server that keeps a copy elsewhere runs on this data folder. Start one with the setting follow.',
        );
      }
      const { address, state, life, obstacle, supersededSince, shards } = status;
      return Promise.resolve({
        address,
        state,
        life,
        obstacle,
        superseded_since: formatTimeOrNull(supersededSince),
        files: shards.map(({ workspace, behind, group, unstoredPages, pointAt, bytes }) => ({
          workspace,
          behind_s: behind === null ? null : behind / 1000,
          group,
          unstored_pages: unstoredPages,
          point_at: formatTimeOrNull(pointAt),
          bytes,
        })),
      });
    },
  },
};
