import { toHistoryRows } from './history-rows.js';
import type { Managing } from './managing.js';

const revert = {
  '--principal <principal>': 'whose changes: id, name, or e-mail address',
  '--since <time>': 'since when: RFC 3339, or a duration ago such as 2h',
};

/** Commands about documents and folders and their histories. */
export const contentTable: readonly Managing[] = [
  {
    words: 'document history',
    arguments: ['location'],
    description: 'List the events of a document: versions, renames, moves, undone deletions.',
    example: 'cartulary document history handbook/travel.md',
    toRows: toHistoryRows,
  },
  {
    words: 'document diff',
    arguments: ['location'],
    description: 'Show the changes between two versions of a document (default: the last change).',
    example: 'cartulary document diff handbook/travel.md --from 799cd2b9a0370827d85ad8bda28c3fb1b3fc6427',
    optional: { '--from <version>': 'default: the one before', '--to <version>': 'default: the current one' },
  },
  {
    words: 'document restore',
    arguments: ['location'],
    description: 'Make the content of an older version the newest version. The versions between stay.',
    example: 'cartulary document restore handbook/travel.md --version 799cd2b9a0370827d85ad8bda28c3fb1b3fc6427',
    required: { '--version <version>': 'the older version' },
    optional: { '--message <text>': 'a note on the new version' },
  },
  {
    words: 'document undelete',
    arguments: ['location'],
    description: 'Bring the last deleted document of a location back, with its history.',
    example: 'cartulary document undelete handbook/travel.md',
  },
  {
    words: 'document retry-text',
    arguments: ['location'],
    description:
      'Have the text of a file made again that could not be read. The record of `cartulary cat --json` says how far it is.',
    example: 'cartulary document retry-text handbook/travel.pdf',
  },
  {
    words: 'folder delete',
    arguments: ['location'],
    description: 'Delete a folder with everything in it. It can be undeleted.',
    example: 'cartulary folder delete handbook/drafts',
  },
  {
    words: 'folder undelete',
    arguments: ['location'],
    description: 'Restore the last deleted folder of a location, with its documents.',
    example: 'cartulary folder undelete handbook/drafts',
  },
  {
    words: 'folder revert',
    arguments: ['location'],
    description: 'Undo the changes of one principal in a folder. Without --apply it shows a preview only.',
    example: 'cartulary folder revert handbook --principal "Travel desk" --since 2h',
    required: revert,
    optional: {
      '--apply <digest>': 'apply the preview that has this digest',
      '--message <text>': 'a note on the new versions',
    },
  },
];
