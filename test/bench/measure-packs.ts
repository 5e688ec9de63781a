import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './report.js';
import { seed, writeVersions } from './seed.js';

const documents = 1000;
/** Milliseconds between two looks at the folder. */
const between = 100;

/** How many packs there are at most while so many versions are written, and whether git finds the repository whole. */
export async function measurePacks(report: Report, versions: number): Promise<void> {
  const seeded = await seed(documents);
  const repository = join(seeded.dataFolder, 'acme', 'content.git');
  const countPacks = (): number =>
    readdirSync(join(repository, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;
  let most = 0;
  const looking = setInterval(() => {
    most = Math.max(most, countPacks());
  }, between);
  await writeVersions(seeded, versions, (number) => (number * 7919) % documents);
  clearInterval(looking);
  const said = execFileSync('git', ['-C', repository, 'fsck', '--strict', '--full', '--no-progress'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (said.trim() !== '') throw new Error(`git fsck says: ${said}`);
  const commits = execFileSync('git', ['-C', repository, 'rev-list', '--count', 'main'], { encoding: 'utf8' }).trim();
  report.add({
    what: `packs at most while ${versions.toLocaleString('en')} versions are written`,
    value: most,
    unit: 'packs',
    goal: '≤ 50',
    note: `${countPacks()} at the end, ${Number(commits).toLocaleString('en')} commits on main, git fsck --strict finds nothing`,
  });
  await seeded.remove();
}
