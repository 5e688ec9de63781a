import type { Brief } from '../domain/brief.js';
import { formatTime } from '../domain/clock.js';
import { readBrief } from '../operations/history/read-brief.js';
import { inWorkspace, type Command } from './command.js';
import { parsePastTime } from './fields.js';

const pageSize = 200;
const maxChanges = 1000;

/** The changes in the whole workspace: the operator's brief. */
export const briefCommands: Readonly<Record<string, Command>> = {
  brief: inWorkspace(async ({ perform, host }, fields) => {
    const since = fields.optionalText('since');
    const input = {
      since: since === undefined ? undefined : parsePastTime('since', since, host.clock.now()),
      location: fields.folderOrRoot('location'),
      keepsMark: fields.flag('keep'),
      limit: pageSize,
    };
    const changes: Brief['changes'][number][] = [];
    for (let after: string | null = ''; after !== null && changes.length < maxChanges;) {
      const page: Brief = await perform(readBrief, { ...input, after });
      changes.push(...page.changes);
      after = page.next;
    }
    return {
      items: changes.map(({ at, action, of, location, from, versions, documents, by }) => ({
        at: formatTime(at),
        what:
          documents !== undefined ? `${action} ${documents} documents` : of === 'folder' ? `${action} folder` : action,
        where: from === null || action !== 'moved' ? location : `${from} > ${location}`,
        versions,
        by: by.map(({ displayName }) => displayName).join(', '),
      })),
    };
  }),
};
