import assert from 'node:assert/strict';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { ServiceAndModel, compareHistories } from '../support/model/service-and-model.js';
import { dumpContent } from '../support/store/history.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openTestService, operator } from '../support/store/service.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';

const histories = countOf('VERIFY_HISTORIES', { usual: 2, campaign: 80 });
const seed = seedOf(20260121);
/** How many histories show every command. */
const enoughHistories = 12;

describe('After any commands in a workspace', () => {
  it('its history alone gives every row again, also where an erase has shortened it', async function () {
    this.timeout(60_000 + histories * 45_000);
    let erased = 0;
    const seen = await compareHistories(
      {
        async open() {
          const told = new ServiceAndModel(await openTestService({ store: 'disk-without-git' }));
          await told.begin();
          return told;
        },
        afterEach: () => Promise.resolve(),
        async atTheEnd(told, context) {
          const { workspace, dataFolder } = told.service;
          const requireSame = async (when: string): Promise<void> => {
            await requireSound(told, `${when}, from the commits that are pending`, context);
            const before = dumpContent(dataFolder ?? '');
            await rebuild(workspace, operator);
            assert.deepEqual(dumpContent(dataFolder ?? ''), before, `${when}\n${context()}`);
            await requireSound(told, `${when}, after a rebuild`, context);
          };
          await requireSame('before the erase');
          const live = told.model.docs.flatMap(({ at }) => at ?? []);
          const gone = told.model.docs.flatMap(({ at, deletedFrom }) => (at === null ? (deletedFrom ?? []) : []));
          // Where several were deleted, the caller must name the one they mean.
          const alone = gone.filter((at) => gone.filter((other) => other === at).length === 1);
          const doomed = [
            ...live.slice(0, 1).map((at) => eraseAt(workspace, at)),
            ...alone.slice(0, 1).map((at) => eraseAt(workspace, at, { isDeleted: true })),
          ];
          for (const { id } of await Promise.all(doomed)) await workspace.eraser.finished(id);
          erased += doomed.length;
          await requireSame('after the erase');
        },
      },
      { histories, seed },
    );
    assert.ok(erased >= histories, `${erased} documents were erased`);
    // An outcome that never happened was not compared; reverts are too seldom among so few.
    const often = ['move', 'rename', 'delete', 'undelete', 'restore', 'delete-folder', 'undelete-folder'];
    const outcomes = often.map((command) => `${command} done`);
    requireSeen(outcomes, seen, { count: histories, enough: enoughHistories });
  });
});

const options = (folder: string) => ({ dataFolder: folder, name: 'acme', git: 'never' }) as const;

async function requireSound({ service }: ServiceAndModel, when: string, context: () => string): Promise<void> {
  const { problems } = await verifyWorkspace(options(service.dataFolder ?? ''), () => undefined);
  assert.deepEqual(problems, [], `${when}\n${context()}`);
}
