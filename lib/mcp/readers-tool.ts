import { parseFolderLocation } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import type { Reader, ReadingGrant } from '../domain/reader.js';
import { listReaders, positionOfReader } from '../operations/grants/list-readers.js';
import { fitPage } from './answer-room.js';
import { presentWho } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

interface ReadersArguments extends PageArguments {
  readonly location: string;
}

const usualList = 100;

function presentWay({ role, scopeType, location, groups }: ReadingGrant): object {
  return {
    role,
    scope_type: scopeType,
    scope: location,
    groups: groups.map(({ id, displayName }) => ({
      ...(id === null ? {} : { id }),
      ...(displayName === null ? {} : { name: displayName }),
    })),
  };
}

function presentReader({ principal, role, via }: Reader): object {
  return { principal: presentWho(principal), role, via: via.map(presentWay) };
}

function presentReaders(page: Page<Reader>, call: ToolCall<ReadersArguments>): object {
  const { shown, next } = fitPage(page, presentReader, positionOfReader);
  return { location: call.args.location, readers: shown, ...presentNext(next, call) };
}

export const readersEntry: ToolEntry = toolEntry({
  tool: 'who_can_read',
  scope: 'org:read',
  operation: listReaders,
  read: (call: ToolCall<ReadersArguments>) => ({
    location: parseFolderLocation(call.args.location),
    ...readPage(call, usualList),
  }),
  present: presentReaders,
});
