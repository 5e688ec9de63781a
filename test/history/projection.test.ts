import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { project } from '../../lib/history/project.js';
import { projectScenario, scenario } from './projected-rows.js';

/** Worked out by hand from the meaning of each event. `#` stands for the zeros in front of a SHA, `-` for null. */
const expected = [
  'folder: gone 0',
  'folder: gone/kept 1',
  'folder: in 0',
  'folder: keep 0',
  'folder: keep/me 1',
  'folder: keep/me/g 0',
  'folder: new 0',
  'folder: two 0',
  'document: document 1  top.md 1000 4 - - - -',
  'document: document 2  map.md 2000 3 - - - -',
  'document: document 3 - other.md 3000 2 20000 bob #14 in/deeper/a/other.md',
  'document: document 4 in page.md 4000 4 - - - -',
  'document: document 5 - x.png 4000 2 30000 bob #1e in/x.png',
  'document: document 6 - last.md 15000 1 17000 ada #11 in/last.md',
  'document: document 7 two a.md 22000 2 - - - -',
  'document: document 8 - b.md 23000 1 24000 bob #18 two/b.md',
  'document: document 9 keep/me/g a 28000 2 - - - -',
  'document: document 10 - b 28000 1 29000 ada #1d keep/me/f/b',
  'document: document 11 keep/me a 29000 1 - - - -',
  'document: document 12 new pushed.md 30000 1 - - - -',
  'version: document 1 1 #1 #1 #one #oneone 3 text text/markdown plan.md ada 1000 create First 1',
  'version: document 1 2 #5 #5 #two #twotwo 3 text text/plain plan.md ada 5000 update Second 5',
  'version: document 1 3 #6 #6 #one #oneone 3 text text/markdown plan.md bob 6000 restore - 6',
  'version: document 1 4 #1e #1e #pushed #pushedpushed 6 text text/markdown top.md bob 30000 push From a clone 30',
  'version: document 2 1 #2 #2 #d #dd 1 text text/x a/b/deep.md bob 2000 create - 2',
  'version: document 2 2 #d #d #d #dd 1 text text/x in/deeper/a/b/deep.md ada 13000 undelete - 13',
  'version: document 2 3 #11 #11 #d #dd 1 text text/x in/deeper/a/b/deep.md ada 17000 revert Taken back 17',
  'version: document 3 1 #3 #3 #o #oo 1 text text/markdown a/other.md ada 3000 create - 3',
  'version: document 3 2 #d #d #o #oo 1 text text/markdown in/deeper/a/other.md ada 13000 undelete - 13',
  'version: document 4 1 #fff #4 #p #pp 1 text text/markdown in/page.md bob 4000 import From the share 4',
  'version: document 4 2 #b #b #p #pp 1 text text/markdown in/page.md ada 11000 undelete - 11',
  'version: document 4 3 #e #e #p #pp 1 text text/markdown in/page.md bob 14000 undelete - 14',
  'version: document 4 4 #11 #11 #before #beforebefore 6 text text/markdown in/page.md ada 17000 revert Taken back 17',
  'version: document 5 1 #fff #4 #~png #~png~png 4 binary image/png in/x.png bob 4000 import From the share 4',
  'version: document 5 2 #d #d #~png #~png~png 4 binary image/png in/x.png ada 13000 undelete - 13',
  'version: document 6 1 #f #f #l #ll 1 text text/markdown in/last.md ada 15000 create - 15',
  'version: document 7 1 #16 #16 #a #aa 1 text text/markdown two/a.md bob 22000 create - 22',
  'version: document 7 2 #19 #19 #a #aa 1 text text/markdown two/a.md ada 25000 undelete - 25',
  'version: document 8 1 #17 #17 #b #bb 1 text text/markdown two/b.md ada 23000 create - 23',
  'version: document 9 1 #1c #1c #x #xx 1 text text/x keep/me/a bob 28000 mirror - 28',
  'version: document 9 2 #1d #1d #y #yy 1 text text/x keep/me/g/a ada 29000 mirror - 29',
  'version: document 10 1 #1c #1c #b #bb 1 text text/x keep/me/f/b bob 28000 mirror - 28',
  'version: document 11 1 #1d #1d #z #zz 1 text text/x keep/me/a ada 29000 mirror - 29',
  'version: document 12 1 #1e #1e #n #nn 1 text text/markdown new/pushed.md bob 30000 push From a clone 30',
  'relocation: document 1 #7 rename plan.md map.md ada 7000 7',
  'relocation: - #9 move a in/deeper/a ada 9000 9',
  'relocation: document 2 #1a move in/deeper/a/b/deep.md top.md bob 26000 26',
  'relocation: document 9 #1d move keep/me/a keep/me/g/a ada 29000 29',
  'relocation: document 1 #1e rename map.md top.md bob 30000 30',
  'relocation: document 2 #1e rename top.md map.md bob 30000 30',
  'deletion: document 4 10 #a in/page.md - bob 10000',
  'deletion: document 2 12 #c in/deeper/a/b/deep.md in bob 12000',
  'deletion: document 3 12 #c in/deeper/a/other.md in bob 12000',
  'deletion: document 4 12 #c in/page.md in bob 12000',
  'deletion: document 5 12 #c in/x.png in bob 12000',
  'deletion: document 2 16 #10 in/deeper/a/b/deep.md - bob 16000',
  'deletion: document 6 17 #11 in/last.md - ada 17000',
  'deletion: document 3 20 #14 in/deeper/a/other.md - bob 20000',
  'deletion: document 7 24 #18 two/a.md two bob 24000',
  'deletion: document 8 24 #18 two/b.md two bob 24000',
  'deletion: document 10 29 #1d keep/me/f/b - ada 29000',
  'deletion: document 5 30 #1e in/x.png - bob 30000',
  'folder deletion: 19 #13 in/deeper/a/empty ada 19000',
  'folder deletion: 24 #18 two bob 24000',
  'deleted folder: in/deeper/a/empty/kept 19',
];

const inFile =
  (file: string) =>
  (fault: string, text: string, instead: string): Mutant => ({ fault, file, text, instead });
const inProject = inFile('project.js');
const inTree = inFile('project-tree-change.js');
const inRows = inFile('projection.js');

/** The cases of the projection that write rows: each is taken out once. */
const cases = [
  "case 'create':",
  "case 'import':",
  "case 'update':",
  "case 'restore':",
  "case 'undelete':",
  "case 'delete':",
  "case 'delete-folder':",
  "case 'undelete-folder':",
  "case 'revert':",
  "case 'rename':",
  "case 'move':",
  "case 'create-folder':",
  "case 'mirror':",
  "case 'push':",
];
/** The members of the rows: each gets another value once. */
const members = [
  ['id: versionId,', 'id: commit,'],
  ['sequence,\n        blobOid', 'sequence: sequence + 1,\n        blobOid'],
  ['blobOid,\n        sha256,', 'blobOid: sha256,\n        sha256,'],
  ['sha256,\n        size,', 'sha256: blobOid,\n        size,'],
  ['size,\n        kind,', 'size: size + 1,\n        kind,'],
  ['kind,\n        mediaType,', "kind: 'text',\n        mediaType,"],
  ['mediaType,\n        location,', "mediaType: 'text/plain',\n        location,"],
  ['location,\n        author,', "location: 'plan.md',\n        author,"],
  ['at,\n        message,', 'at: 0,\n        message,'],
  ['at,\n        message,', 'at,\n        message: null,'],
  ['author: author.id, commit, operation', "author: 'ada', commit, operation"],
  ['commit, operation, moment });', 'commit: versionId, operation, moment });'],
  ['commit, operation, moment });', "commit, operation: 'update', moment });"],
  ['commit, operation, moment });', 'commit, operation, moment: 1 });'],
  ['return { commit, author: author.id, at, moment };', "return { commit, author: 'ada', at, moment };"],
  ['return { commit, author: author.id, at, moment };', 'return { commit, author: author.id, at: 0, moment };'],
  [
    'return { commit, author: author.id, at, moment };',
    'return { commit, author: author.id, at, moment: moment + 100 };',
  ],
] as const;
/** The same of new documents and of moves. */
const placed = [
  ['nameOf(file.location), recorded.at)', 'nameOf(file.location), 0)'],
  ['operation: type,', "operation: 'move',"],
  ['document: document?.number ?? null,', 'document: null,'],
  ['author: recorded.author.id,', "author: 'bob',"],
  ['at: recorded.at,', 'at: 0,'],
] as const;

const mutants: readonly Mutant[] = [
  ...cases.map((text) => inProject(`leaves out ${text}`, text, `${text.slice(0, -2)}-not':`)),
  ...placed.map(([text, instead]) => inProject(`writes ${instead.replaceAll(/\s+/g, ' ')}`, text, instead)),
  ...members.map(([text, instead]) => inRows(`writes ${instead.replaceAll(/\s+/g, ' ')}`, text, instead)),
  inProject('brings back no empty folders', 'for (const folder of event.kept)', 'for (const folder of [])'),
  inProject(
    'never forgets the deletion of a folder',
    'for (const each of moments)\n                tables.deletions.dropSettled(each);',
    '',
  ),
  inProject('leaves empty folders behind a move', 'dropEmptyFolders(tables, parentOf(from));', ''),
  inProject('leaves deleted documents of a revert live', 'remove(work, deleted);', ''),
  inRows(
    'gives a restored document the version before',
    'advance(number, sequence + 1);',
    'advance(number, sequence);',
  ),
  inProject('records no deletion', 'tables.deletions.insert(number, location, deletion);', ''),
  inTree('deletes nothing from a mirror', 'tables.deletions.deleteAll(documents, null, deletionOf(work));', ''),
  inTree('leaves empty folders in a mirror', 'dropEmptyFolders(tables, folder);', ''),
  inTree('takes a new document for the one that left its place', 'if (row !== undefined)', 'if (row === undefined)'),
  inTree('records no move in a mirror', 'tables.relocations.insertAll(relocations', 'void (relocations'),
  inTree('calls every move in a mirror a rename', "'rename' : 'move'", "'rename' : 'rename'"),
  {
    fault: 'names a document by its commit alone',
    file: 'document-id.js',
    text: '${versionId}\\0${location}',
    instead: '${versionId}',
  },
  {
    fault: 'keeps the folder of a deletion',
    file: 'folder-rows.js',
    text: 'tables.deletions.dropFolder(number, location, deletion);',
    instead: '',
  },
  {
    fault: 'keeps no folder that was created empty',
    file: 'folder-rows.js',
    text: 'location).row.number, true);',
    instead: 'location).row.number, false);',
  },
  {
    fault: 'gives a folder that was made to stay back twice',
    file: 'folder-rows.js',
    text: 'tables.deletions.noteReturned(location);',
    instead: '',
  },
];

describe('The rows that events are projected into', () => {
  it('include every type of event among the tested ones', () => {
    const types = new Set(scenario.map(({ event }) => event.type));
    assert.equal(types.size, 16);
  });

  it('the projected rows are those of each event', () => {
    assert.deepEqual(projectScenario(project), expected);
  });

  describe('with a fault put into the projection on purpose', () => {
    let folder = '';

    before(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-projection-mutants-'));
      fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    });
    after(() => {
      fs.rmSync(folder, { recursive: true });
    });

    async function openMutant({ file, text, instead }: Mutant, number: number): Promise<typeof project> {
      const built = fileURLToPath(new URL('../../lib', import.meta.url));
      const copy = path.join(folder, String(number));
      fs.mkdirSync(copy);
      // The other rooms are the built ones themselves.
      for (const room of fs.readdirSync(built, { withFileTypes: true })) {
        if (!room.isDirectory()) continue;
        if (room.name === 'history')
          fs.cpSync(path.join(built, room.name), path.join(copy, room.name), { recursive: true });
        else fs.symlinkSync(path.join(built, room.name), path.join(copy, room.name), 'junction');
      }
      const place = path.join(copy, 'history', file);
      const source = fs.readFileSync(place, 'utf8');
      assert.equal(source.split(text).length, 2, `the text to be changed stands once in ${file}: ${text}`);
      fs.writeFileSync(
        place,
        source.replace(text, () => instead),
      );
      const mutated = (await import(pathToFileURL(path.join(copy, 'history', 'project.js')).href)) as {
        project: typeof project;
      };
      return mutated.project;
    }

    mutants.forEach((mutant, number) => {
      it(`differ when the projection ${mutant.fault}`, async () => {
        const mutated = await openMutant(mutant, number);
        let rows: string[] | undefined;
        try {
          rows = projectScenario(mutated);
        } catch {
          // A failing projection is noticed, too.
        }
        assert.notDeepEqual(rows, expected);
      });
    });
  });
});

/** A fault put into a built file of lib/history. */
interface Mutant {
  readonly fault: string;
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}
