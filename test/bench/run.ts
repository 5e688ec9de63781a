/**
 * Measures the service beside its baselines and prints a table.
 * Usage: npm run bench [-- --quick] [--commits=N] [--pace=N] [--elsewhere=N] [--records=N] [--documents=N] [NAME…]
 */
import { measureLists, measureReads, measureWrites, type Effort } from './measure-core.js';
import { measureAgents } from './measure-agents.js';
import { measureAudit } from './measure-audit.js';
import { measureCopies } from './measure-copies.js';
import { measureCurves } from './measure-curves.js';
import { measureErase } from './measure-erase.js';
import { measureExport, measureGrowth, measureLostUpdates, measureReach } from './measure-growth.js';
import { measureFeed } from './measure-feed.js';
import { measureGit } from './measure-git.js';
import { measureHolds } from './measure-holds.js';
import { measureImports } from './measure-imports.js';
import { measureMirrors } from './measure-mirrors.js';
import { measurePacks } from './measure-packs.js';
import { measureProcessor } from './measure-processor.js';
import { measureTexts } from './measure-texts.js';
import { measureTokens } from './measure-tokens.js';
import { measureVersions } from './measure-versions.js';
import { Report } from './report.js';
import { measureSearch } from './search.js';

const measurements: Readonly<Record<string, (report: Report, effort: Effort) => Promise<void>>> = {
  agents: measureAgents,
  audit: (report, effort) =>
    measureAudit(report, effort, numberOf('records') ?? (effort.times === 1 ? 100_000 : 1_000_000)),
  processor: measureProcessor,
  reads: measureReads,
  writes: measureWrites,
  lists: (report, effort) => measureLists(report, effort, numberOf('elsewhere') ?? 100_000),
  'lost-updates': measureLostUpdates,
  reach: measureReach,
  export: measureExport,
  growth: measureGrowth,
  curves: (report, effort) => measureCurves(report, effort, numberOf('documents')),
  versions: measureVersions,
  feed: measureFeed,
  git: (report, effort) => measureGit(report, effort, numberOf('commits')),
  packs: (report, { times }) => measurePacks(report, times === 1 ? 10_000 : 100_000),
  holds: measureHolds,
  imports: (report, { times }) => measureImports(report, times === 1 ? [5000, 20_000] : [20_000, 100_000]),
  mirrors: (report, { times }) => measureMirrors(report, times === 1 ? 5000 : 50_000),
  texts: measureTexts,
  copies: measureCopies,
  tokens: measureTokens,
  erase: (report, { times }) =>
    measureErase(report, numberOf('commits') ?? (times === 1 ? 10_000 : 100_000), numberOf('pace')),
  search: (report, { times }) => measureSearch(report, times === 1 ? { times, documents: 10_000 } : { times }),
};

/** The value of `--name=N`. */
function numberOf(name: string): number | undefined {
  const given = args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  return given === undefined ? undefined : Number(given);
}

const args = process.argv.slice(2);
const effort: Effort = args.includes('--quick') ? { seconds: 2, times: 1 } : { seconds: 5, times: 5 };
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = names.filter((name) => measurements[name] === undefined);
if (unknown.length > 0 || args.includes('--help')) {
  process.stdout.write(
    `Usage: npm run bench [-- --quick] [--commits=N] [--pace=N] [--elsewhere=N] [--records=N] [--documents=N] [NAME…]\nNames: ${Object.keys(measurements).join(', ')}\n`,
  );
  process.exit(unknown.length > 0 ? 2 : 0);
}
const report = new Report();
for (const [name, measure] of Object.entries(measurements)) {
  if (names.length === 0 || names.includes(name)) await measure(report, effort);
}
report.print();
