import type { Page } from '../domain/page.js';
import type { Reader, ReadingGrant } from '../domain/reader.js';
import { listReaders } from '../operations/grants/list-readers.js';
import { inWorkspace, type Command } from './command.js';

const pageSize = 1000;

/** `outer > inner > reader of folder "handbook"` */
function describeWay({ role, scopeType, location, groups }: ReadingGrant): string {
  const names = groups.map(({ displayName, id }) => displayName ?? id ?? '(a group)');
  return [...names, `${role} of ${scopeType} "${location}"`].join(' > ');
}

export const readerCommands: Readonly<Record<string, Command>> = {
  readers: inWorkspace(async ({ perform }, fields) => {
    const location = fields.folder('location');
    const readers: Reader[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Page<Reader> = await perform(listReaders, { location, after, limit: pageSize });
      readers.push(...page.items);
      after = page.next;
    }
    return {
      items: readers.map(({ principal, role, via }) => ({
        id: principal.id,
        name: principal.displayName,
        kind: principal.kind,
        role,
        via: via.map(describeWay).join('; '),
      })),
    };
  }),
};
