import { resolveImport, roomOf, pageRoomOf } from './rooms.js';
import type { Module } from './read-module.js';

/** Lines from which on a file may stand alone, and lines that the file of both would have at most. */
const minLength = 40;
const maxJoined = 400;

/** Files that stand alone however short they are. What a thread or a first use loads needs no entry. */
const standAlone: readonly { readonly files: RegExp; readonly why: string }[] = [
  { files: /^lib\/(?:api|console)\/resources\//, why: 'a resource of the APIs is one file and one line of a table' },
  {
    files: /^lib\/commands\/[a-z-]+-commands\.ts$/,
    why: 'the commands of a subject are one file, as their table says',
  },
  { files: /^lib\/console\/web\/shell\/screens\.ts$/, why: 'the table of screens is where a new screen is added' },
  {
    files: /^lib\/console\/web\/markdown\/sanitize\.ts$/,
    why: 'one short file makes trusted HTML, so that it can be reviewed',
  },
];

const sameFile = /\.tsx?$/;
const withoutEnding = (file: string): string => file.replace(/\.(?:js|tsx?)$/, '');

/** How one module names another: to be run with it, or later, as a thread or at the first use. */
function isNamedForLater({ text }: Module, specifier: string): boolean {
  return [`import('${specifier}')`, `new URL('${specifier}', import.meta.url)`].some((way) => text.includes(way));
}

const roomWithin = (file: string): string | undefined => pageRoomOf(file) ?? roomOf(file);
const linesOf = ({ text }: Module): number => text.split('\n').length - 1;

/**
 * Files below 40 lines which one other file of their room imports, which no test imports, and which have no reason to
 * stand alone: a reader has to open two files to read one. A file that would grow beyond the bound stays as it is.
 * @param modules of the program @param tests that may import them
 */
export function findSplinters(modules: readonly Module[], tests: readonly Module[]): string[] {
  const users = new Map<string, Set<Module>>();
  const later = new Set<string>();
  for (const module of [...modules, ...tests]) {
    const named = module.strings.filter(({ text }) => text.startsWith('.') && /\.(?:js|tsx?)$/.test(text));
    for (const { text } of [...module.imports, ...named]) {
      if (!text.startsWith('.')) continue;
      const file = withoutEnding(resolveImport(module.path, text));
      if (isNamedForLater(module, text)) later.add(file);
      users.set(file, (users.get(file) ?? new Set()).add(module));
    }
  }
  return modules.flatMap((module) => {
    const file = withoutEnding(module.path);
    const [only, ...others] = users.get(file) ?? [];
    const isShort = linesOf(module) < minLength && module.path.startsWith('lib/') && sameFile.test(module.path);
    if (!isShort || only === undefined || others.length > 0 || later.has(file)) return [];
    if (only.path.startsWith('test/') || roomWithin(only.path) !== roomWithin(module.path)) return [];
    if (linesOf(only) + linesOf(module) > maxJoined || standAlone.some(({ files }) => files.test(module.path)))
      return [];
    return [`${module.path} is read by ${only.path} alone: join them, or test it alone`];
  });
}

/** The entries of the list that no file needs any more. */
export function findIdleReasons(modules: readonly Module[]): string[] {
  return standAlone
    .filter(({ files }) => !modules.some((module) => files.test(module.path) && linesOf(module) < minLength))
    .map(({ files }) => String(files));
}
