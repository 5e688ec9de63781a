import type { Module } from './read-module.js';
import { resolveImport } from './rooms.js';

/**
 * The rooms of test/support, lowest floor first: helpers of several suites. A file imports from its own room, from
 * lower floors, and from lib/. Files directly in test/support form the lowest floor.
 */
export const supportFloors: readonly (readonly string[])[] = [
  [''],
  ['texts', 'processes', 'git', 'browser', 'files'],
  ['store'],
  ['http', 'faults', 'model'],
  ['signin', 'connectors', 'trace'],
  ['oauth'],
];

/** Suites for measurements. They stand beside the others and use the helpers of some. */
const measuring: ReadonlySet<string> = new Set(['bench', 'timing']);

const supportFolder = 'test/support/';

/** The room of a support file: `test/support/http/log.ts` → http, `test/support/until.ts` → ''. */
function roomOf(path: string): string {
  const inside = path.slice(supportFolder.length).split('/');
  return inside.length > 1 ? (inside[0] ?? '') : '';
}

/** The suite of a test: its folder below test/, or its own name where it lies in test/ itself. */
function suiteOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/(?:\.test)?\.ts$/, '');
}

const floorOf = (room: string): number => supportFloors.findIndex((rooms) => rooms.includes(room));

function judgeSupportImport(from: string, target: string): string | undefined {
  if (target.startsWith('lib/') || target.startsWith('bin/')) return undefined;
  if (!target.startsWith(supportFolder)) return `imports ${target}, which belongs to a suite`;
  const [own, other] = [roomOf(from), roomOf(target)];
  if (floorOf(own) < 0) return `stands in the room "${own}", which test/architecture/support.ts does not know`;
  if (own === other || floorOf(other) < floorOf(own)) return undefined;
  return `imports ${target}, which stands above or beside it`;
}

function judgeSuiteImport(from: string, target: string): string | undefined {
  if (!target.startsWith('test/') || target.startsWith(supportFolder)) return undefined;
  if (measuring.has(suiteOf(from)) || suiteOf(target) === suiteOf(from)) return undefined;
  return `imports ${target}, which belongs to another suite: move it to test/support`;
}

/** Each import of a test or helper that goes upwards, or sideways into another suite. */
export function judgeTestImports(modules: readonly Module[]): string[] {
  return modules.flatMap((module) =>
    module.imports.flatMap(({ text, line }) => {
      if (!text.startsWith('.')) return [];
      const judge = module.path.startsWith(supportFolder) ? judgeSupportImport : judgeSuiteImport;
      const what = judge(module.path, resolveImport(module.path, text));
      return what === undefined ? [] : [`${module.path}:${line} ${what}`];
    }),
  );
}
