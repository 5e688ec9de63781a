import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** What the suite says of one check. */
type Status = 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';

/** The checks of one run of the suite, as `scenario:check`. */
export interface SuiteChecks {
  readonly passed: ReadonlySet<string>;
  /** Checks of scored scenarios on which the suite gives no verdict. Its exit status does not depend on them. */
  readonly withoutVerdict: readonly string[];
  /** Scenarios that the revision does not score, and that were not passed whole. */
  readonly unscored: readonly string[];
}

const suite = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js')));

/** @returns the scenarios that a revision scores */
function readScored(revision: string): ReadonlySet<string> {
  const file = resolve(suite, '..', 'requirements', `${revision}.yaml`);
  return new Set((parse(readFileSync(file, 'utf8')) as { readonly server: readonly string[] }).server);
}

/** Reads what the suite wrote with `--output-dir`: a folder for each scenario, with a time at its end. */
export function readChecks(results: string, revision: string): SuiteChecks {
  const scored = readScored(revision);
  const passed = new Set<string>();
  const withoutVerdict = new Set<string>();
  const unscored = new Set<string>();
  for (const folder of readdirSync(results)) {
    const scenario = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1] ?? folder;
    const text = readFileSync(join(results, folder, 'checks.json'), 'utf8');
    for (const { id, status } of JSON.parse(text) as readonly { readonly id: string; readonly status: Status }[]) {
      const name = `${scenario}:${id}`;
      if (status === 'SUCCESS') passed.add(name);
      else if (!scored.has(scenario)) unscored.add(scenario);
      else if (status !== 'FAILURE') withoutVerdict.add(name);
    }
  }
  return { passed, withoutVerdict: [...withoutVerdict].sort(), unscored: [...unscored].sort() };
}
