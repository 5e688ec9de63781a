import { parseFolderLocation } from '../domain/location.js';
import type { Page } from '../domain/page.js';
import type { Reader } from '../domain/reader.js';
import { listReaders, positionOfReader } from '../operations/grants/list-readers.js';
import { toReaderRecord, type ReaderRecord } from '../records/reader-record.js';
import { fitPage } from './answer-room.js';
import { presentWho } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

interface ReadersArguments extends PageArguments {
  readonly location: string;
}

const usualList = 100;

/** Its record, without what of a group is not told. */
function presentReader(reader: Reader): object {
  const { role, via } = toReaderRecord(reader);
  return { principal: presentWho(reader.principal), role, via: via.map(presentWay) };
}

function presentWay({ role, scope_type, scope_id, groups }: ReaderRecord['via'][number]): object {
  return {
    role,
    scope_type,
    scope: scope_id,
    groups: groups.map(({ id, display_name }) => ({
      ...(id === null ? {} : { id }),
      ...(display_name === null ? {} : { name: display_name }),
    })),
  };
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
