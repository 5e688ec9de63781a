import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseLocation, type Location } from '../../lib/domain/location.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { findUnportableNames } from '../../lib/view/find-unportable-names.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { Actor } from '../support/store/actor.js';
import { TestMirror } from '../support/store/test-mirror.js';
import { countOf, seedOf } from '../support/counts.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { WorkTree } from '../support/git/work-tree.js';

/** Names of which many are twins, or cannot be on a disk of Windows. */
const names =
  'a A b.md B.MD ä Ä straße STRASSE Strasse ς σ Σ ﬁ fi FI ı i I q? x:y dot. star* p|q <t> "q" nul Aux.md com1.txt fine Fine ok.md'.split(
    ' ',
  );
const name = fc.constantFrom(...names);
const place = fc.array(name, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));

const ways = [
  'create',
  'create',
  'folder',
  'rename',
  'move',
  'import',
  'delete',
  'undelete',
  'drop',
  'bring',
  'mirror',
];
const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...ways), place, place);

/** The letters above with a case folding of their own in Unicode's CaseFolding.txt. APFS compares folded forms. */
const foldings: Readonly<Record<string, string>> = { ß: 'ss', ﬁ: 'fi', ς: 'σ', Σ: 'σ' };

describe('A clone of a workspace with portable names', function () {
  this.timeout(120_000);
  let server: RemoteTestServer;
  let person: RemotePerson;
  let ada: Actor;
  let mirror: TestMirror;
  let clones = 0;

  beforeEach(async () => {
    server = await openRemoteServer();
    person = await server.cloner('approver');
    ada = new Actor(server.host.workspace, person.id);
    mirror = await TestMirror.open(server.host.workspace, 'mirror');
  });
  afterEach(() => server.close());

  it('is complete on the disks of Windows and macOS, whichever way its documents came', async () => {
    const seed = seedOf(2026);
    const count = countOf('PORTABLE_ROUNDS', { usual: 2, campaign: 60 });
    const rounds = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), { numRuns: count, seed });
    const pushed = fc.sample(fc.array(place, { minLength: 1, maxLength: 2 }), { numRuns: rounds.length * 2, seed });
    let done = 0;
    let refused = 0;
    for (const [round, steps] of rounds.entries()) {
      for (const each of steps) {
        try {
          await take(each);
          done += 1;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refused += 1;
        }
      }
      for (const places of pushed.slice(round * 2, round * 2 + 2)) {
        if (await push(places)) done += 1;
        else refused += 1;
      }
      const tree = await WorkTree.clone(server.folder, person.url, `clone-${round}`);
      const files = (await tree.git('ls-files', '-z')).split('\0').filter((file) => file !== '');
      assert.ok(files.length > 5);
      assert.deepEqual(layOut(files), []);
      assert.deepEqual(runAtOnce(findUnportableNames(() => server.host.workspace.journal.reader, 5)), {
        named: [],
        count: 0,
      });
    }
    assert.ok(done > 20 && refused > 20, `${done} done, ${refused} refused`);
  });

  it('is found incomplete by these rules where the policy allows such names', async () => {
    assert.deepEqual(layOut(['a/x.md', 'A/y.md']), [': a = A']);
    assert.deepEqual(layOut(['straße', 'STRASSE']), [': straße = STRASSE']);
    assert.equal(layOut(['x:y', 'dot.', 'nul.txt', 'fine.md']).length, 3);
  });

  async function take([way, place, other]: Step): Promise<void> {
    const location = (): Location => parseLocation(place);
    const { workspace } = server.host;
    switch (way) {
      case 'create':
        return void (await ada.create(place));
      case 'folder':
        return ada.createFolder(place);
      case 'rename':
        return void (await ada.rename(place, other.split('/').at(-1) ?? ''));
      case 'move':
        return void (await ada.move(place, other));
      case 'import': {
        const files = [place, other, `${place}/${other}`].map((text) => ({
          location: parseLocation(text),
          content: { bytes: Buffer.from(text) },
        }));
        return void (await perform(workspace, ada.caller, importDocuments, {
          into: '' as Location,
          files,
          message: null,
        }));
      }
      case 'delete':
        return ada.delete(place);
      case 'undelete':
        return void (await ada.undelete(place));
      case 'drop':
        return void (await perform(workspace, ada.caller, deleteFolder, { location: location() }));
      case 'bring':
        return void (await perform(workspace, ada.caller, undeleteFolder, { location: location() }));
      default:
        return void (await mirror.sync({ written: { [place]: other } }));
    }
  }

  async function push(places: readonly string[]): Promise<boolean> {
    clones += 1;
    const tree = await WorkTree.clone(server.folder, person.url, `push-${clones}`);
    for (const each of places) await tree.write(each, each).catch(() => undefined);
    await tree.commit({}, 'By git');
    return (await tree.push()).code === 0;
  }
});

/** NTFS compares letter by letter, each as its capital. */
const onWindows = (segment: string): string =>
  segment
    .split('')
    .map((unit) => (unit !== 'ı' && unit.toUpperCase().length === 1 ? unit.toUpperCase() : unit))
    .join('');

const onMac = (segment: string): string =>
  segment.normalize('NFD').replaceAll(/./gsu, (letter) => foldings[letter] ?? letter.toLowerCase());

type Step = readonly [way: string, place: string, other: string];

/** By the rules that Microsoft publishes for names of files. */
function isNameOnWindows(segment: string): boolean {
  if (/[<>:"/\\|?*\u0000-\u001f]/.test(segment) || /[. ]$/.test(segment)) return false;
  const [stem = ''] = segment.split('.', 1);
  return !/^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9¹²³])$/.test(stem.trimEnd().toUpperCase());
}

/** Lays a tree out on both disks. @returns what is missing or hidden there */
function layOut(files: readonly string[]): string[] {
  const faults: string[] = [];
  const folders = new Map<string, Set<string>>();
  for (const file of files) {
    let at = '';
    for (const segment of file.split('/')) {
      const names = folders.get(at) ?? new Set<string>();
      folders.set(at, names.add(segment));
      if (!isNameOnWindows(segment)) faults.push(`${file}: ${segment} is no name on Windows`);
      at += `/${segment}`;
    }
  }
  for (const [folder, names] of folders) {
    const list = [...names];
    for (const [index, one] of list.entries()) {
      for (const other of list.slice(index + 1)) {
        if (onWindows(one) === onWindows(other) || onMac(one) === onMac(other))
          faults.push(`${folder}: ${one} = ${other}`);
      }
    }
  }
  return faults;
}
