import { formatTimeOrNull } from '../domain/clock.js';
import type { Command } from './command.js';

/** follow.status: how far the copy elsewhere is; null where no server keeps one. */
export const followCommands: Readonly<Record<string, Command>> = {
  'follow.status': {
    scope: 'service',
    run({ host }) {
      const status = host.copies?.status;
      if (status === undefined) return Promise.resolve(null);
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
