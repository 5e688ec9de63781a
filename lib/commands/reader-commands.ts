import { listReaders } from '../operations/grants/list-readers.js';
import { toReaderRecord } from '../records/reader-record.js';
import { inWorkspace, type Command } from './command.js';
import { listPages, longPage } from './read-pages.js';

export const readerCommands: Readonly<Record<string, Command>> = {
  readers: inWorkspace(({ perform }, fields) => {
    const location = fields.folder('location');
    return listPages((page) => perform(listReaders, { location, ...page }), toReaderRecord, longPage);
  }),
};
