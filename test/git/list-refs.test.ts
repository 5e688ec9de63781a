import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireGit, type GitProgram } from '../../lib/git/program/git-program.js';
import { abilityPackets, encodeListing } from '../../lib/git/serving/list-refs.js';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import type { RunningService } from '../../lib/git/serving/start-service.js';
import { startAdvertisement, startUploadPack } from '../../lib/git/serving/upload-pack.js';
import { readUploadRequest } from '../../lib/git/serving/upload-request.js';
import { git } from '../support/git/fixture.js';

const delimiter = Buffer.from('0001');
const ability = ['agent=git/2.39.5', 'object-format=sha1'];

describe('The list of refs', () => {
  let folder: string;
  let program: GitProgram;
  let head: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-refs-'));
    program = await requireGit('test');
    for (const name of ['full', 'empty']) git(folder, ['init', '-q', '--bare', '-b', 'main', name]);
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme'];
    const full = join(folder, 'full');
    const tree = git(full, ['mktree'], '').toString().trim();
    head = git(full, [...identity, 'commit-tree', tree, '-m', 'first'])
      .toString()
      .trim();
    git(full, ['update-ref', 'refs/heads/main', head]);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is what git says, for each thing that can be asked', async () => {
    const wants = [
      [],
      ['peel', 'symrefs', 'unborn', 'ref-prefix HEAD', 'ref-prefix refs/heads/', 'ref-prefix refs/tags/'],
      ['symrefs'],
      ['unborn'],
      ['symrefs', 'unborn', 'ref-prefix refs/heads/main'],
      ['ref-prefix refs/tags/'],
      ['ref-prefix H'],
    ];
    for (const wanted of wants) {
      for (const name of ['full', 'empty']) {
        const request = ask(ability, wanted);
        const service = startUploadPack(program, at(name));
        service.stdin.end(request);
        const listing = await readUploadRequest(request, 2);
        assert.ok(listing.command === 'ls-refs', wanted.join());
        const said = encodeListing(listing, name === 'full' ? head : null).toString();
        assert.equal(said, (await all(service)).toString(), `${name}: ${wanted.join()}`);
      }
    }
  });

  it('and everything else that is offered is offered by git, too', async () => {
    const lines = (bytes: Buffer): string[] => bytes.toString().split('\n');
    const [ours, theirs] = [lines(abilityPackets), lines(await all(startAdvertisement(program, at('full'))))];
    const isOwn = (line: string): boolean => line.includes('agent=');
    assert.deepEqual(
      ours.filter((line) => !isOwn(line) && !theirs.includes(line)),
      [],
    );
  });

  const all = async (service: RunningService): Promise<Buffer> =>
    Buffer.concat((await service.stdout.toArray()) as Buffer[]);

  const at = (name: string) => ({ repository: join(folder, name), version: 2 as const, seeksDeltas: false });
});

function ask(given: readonly string[], wanted: readonly string[] = []): Buffer {
  const lines = (texts: readonly string[]): Buffer[] => texts.map((text) => encodePacket(`${text}\n`));
  return Buffer.concat([...lines(['command=ls-refs', ...given]), delimiter, ...lines(wanted), flushPacket]);
}
