import type { Managing } from './managing.js';

const revert = {
  '--principal <id>': 'whose changes',
  '--since <time>': 'since when: RFC 3339, or a duration ago such as 2h',
};

/** Commands about documents and folders and their histories. */
export const contentTable: readonly Managing[] = [
  {
    words: 'document history',
    arguments: ['location'],
    description: 'List what happened to a document: versions, renames, moves, deletions that were undone.',
    example: 'cartulary document history handbook/travel.md',
  },
  {
    words: 'document diff',
    arguments: ['location'],
    description: 'Show what changed between two versions of a document; by default what the last one changed.',
    example: 'cartulary document diff handbook/travel.md --from 799cd2b9a0370827d85ad8bda28c3fb1b3fc6427',
    optional: { '--from <version>': 'default: the one before', '--to <version>': 'default: the current one' },
  },
  {
    words: 'document restore',
    arguments: ['location'],
    description: "Add an older version's content as the newest version. Nothing is lost by it.",
    example: 'cartulary document restore handbook/travel.md --version 799cd2b9a0370827d85ad8bda28c3fb1b3fc6427',
    required: { '--version <version>': 'the one whose content is wanted again' },
    optional: { '--message <text>': 'a note on the new version' },
  },
  {
    words: 'folder delete',
    arguments: ['location'],
    description: 'Delete a folder with everything in it, as one. It can be brought back.',
    example: 'cartulary folder delete handbook/drafts',
  },
  {
    words: 'folder undelete',
    arguments: ['location'],
    description: 'Bring back the last folder that was deleted there, as one.',
    example: 'cartulary folder undelete handbook/drafts',
  },
  {
    words: 'folder revert',
    arguments: ['location'],
    description: 'Preview what undoing all that one principal wrote in a folder would do; with --apply, do it.',
    example: 'cartulary folder revert handbook --principal prn_13jrac9t4texfcfd685f --since 2h',
    required: revert,
    optional: {
      '--apply <digest>': 'do what the preview with this digest showed',
      '--message <text>': 'a note on the new versions',
    },
  },
];
