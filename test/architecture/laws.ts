import { extractionReasons } from '../../lib/domain/extraction.js';
import { reasons } from '../../lib/domain/reason.js';
import type { Module } from './read-module.js';
import { findRunaways } from './regular-expressions.js';
import {
  builtinOwners,
  clientRoom,
  floorOf,
  floors,
  lentToPages,
  owners,
  packageOf,
  pageFloors,
  pageOwners,
  pageRoomOf,
  resolveImport,
  roomOf,
} from './rooms.js';

/** One rule of the house. */
export interface Law {
  name: string;
  /** Why the rule exists. */
  why: string;
  /** The remedy. */
  remedy: string;
  /** The breaches of the law in the module, with their lines. */
  judge(module: Module): Finding[];
}

export interface Finding {
  line: number;
  what: string;
}

/** The modules for the import of foreign repositories. */
const importers = /^lib\/(?:operations\/[a-z]+\/find-imported-commit|commands\/import\/import-[a-z-]+)\.ts$/;

/** Rooms whose files and tables have members in snake_case. */
const storingRooms: readonly string[] = ['sidecar', 'audit', 'backup'];

/** Words of the domain in the spelling of an answer's members: reasons, also of files without text, and why a revert leaves a change alone. */
const domainWords: ReadonlySet<string> = new Set([...Object.keys(reasons), ...extractionReasons, 'later_writes']);

/** A member that an answer or a request would have. */
function findFaceName(line: string): string | undefined {
  const names = line.match(/(?<![\w.])[a-z][a-z0-9]*_[a-z0-9_]+\b/g) ?? [];
  return names.find((name) => !domainWords.has(name));
}

const roomNamed = (module: Module): string => roomOf(module.path) ?? '';

const isRelative = (specifier: string): boolean => specifier.startsWith('.');
const isBuiltin = (specifier: string): boolean => specifier.startsWith('node:');

/** One finding for every place in the code (not in comments or strings) where `pattern` stands. */
function findInCode(module: Module, pattern: RegExp, describe: (text: string) => string): Finding[] {
  return module.code.split('\n').flatMap((text, index) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [{ line: index + 1, what: describe(found.trim()) }];
  });
}

/** What is wrong with an import between two rooms of one house. */
function judgeFloors(room: string, target: string, specifier: string, house = floors): string | undefined {
  if (target === room) return undefined;
  const [own, other] = [floorOf(room, house), floorOf(target, house)];
  if (own < 0) return `stands in the room "${room}", which the picture does not know`;
  if (other < 0) return `imports ${specifier} from the room "${target}", which the picture does not know`;
  if (other > own) return `imports ${specifier}: ${target} stands above ${room}`;
  return other === own ? `imports ${specifier}: ${target} stands beside ${room}` : undefined;
}

function judgeImport(module: Module, specifier: string): string | undefined {
  const file = resolveImport(module.path, specifier);
  const [target, targetPage] = [roomOf(file), pageRoomOf(file)];
  const [room, page] = [roomNamed(module), pageRoomOf(module.path)];
  if (page !== undefined && targetPage !== undefined) return judgeFloors(page, targetPage, specifier, pageFloors);
  if (page !== undefined) {
    return lentToPages.includes(target ?? '') ? undefined : `imports ${specifier}, which does not run in a browser`;
  }
  if (targetPage !== undefined) return `imports ${specifier}, which runs in a browser`;
  if (target === undefined) return `imports ${specifier}, which lies outside lib/`;
  if (target === room) return undefined;
  if (room === clientRoom || target === clientRoom) return `imports ${specifier}: nothing is shared with lib/client`;
  return judgeFloors(room, target, specifier);
}

function judgePageOwner(page: string, specifier: string): string | undefined {
  if (isRelative(specifier)) return undefined;
  const name = packageOf(specifier);
  const owner = pageOwners[name];
  if (owner === undefined) return `imports ${name}, which has no owner in test/architecture/rooms.ts`;
  if (owner.rooms.includes(page)) return undefined;
  return `imports ${name}, which belongs to ${owner.rooms.join(', ')}: ${owner.why}`;
}

function judgeOwner(module: Module, specifier: string): string | undefined {
  const page = pageRoomOf(module.path);
  if (page !== undefined) return judgePageOwner(page, specifier);
  const room = roomNamed(module);
  const isOwnable = !isRelative(specifier) && !isBuiltin(specifier);
  const name = isOwnable ? packageOf(specifier) : specifier;
  const owner = isOwnable ? owners[name] : builtinOwners[name];
  if (owner === undefined) {
    return isOwnable ? `imports ${name}, which has no owner in test/architecture/rooms.ts` : undefined;
  }
  if (owner.rooms.includes(room)) return undefined;
  const rooms = owner.rooms.map((each) => `lib/${each}`).join(', ') || 'no room';
  return `imports ${name}, which belongs to ${rooms}: ${owner.why}`;
}

const judgeImports =
  (judge: (module: Module, specifier: string) => string | undefined) =>
  (module: Module): Finding[] =>
    module.imports.flatMap(({ text, line }) => {
      const what = judge(module, text);
      return what === undefined ? [] : [{ line, what }];
    });

const statement =
  /\b(?:SELECT\s[\s\S]*\sFROM\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|REPLACE\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|(?:CREATE|DROP|ALTER)\s+(?:TABLE|INDEX|TRIGGER|VIEW)\s|PRAGMA\s+\w|BEGIN\s+IMMEDIATE)/;

/** Lines of a file; a test may list a few more cases. */
const maxFileLength = (path: string): number => (path.startsWith('test/') ? 450 : 400);

/** Where objects come in that a stranger chose. */
const foreignPlaces =
  /^lib\/(?:git\/sources\/|git\/derived\/|connectors\/|backup\/|integrity\/read-witnesses\.ts|commands\/import\/)/;

/** A git that may take as much as it likes. */
function judgeForeignGit(module: Module): Finding[] {
  if (!module.path.startsWith('lib/') || module.path === 'lib/git/sources/require-foreign-git.ts') return [];
  if (module.path === 'lib/git/serving/quarantine.ts') {
    return findInCode(module, /\b(?:run|start|spawn)Git\((?!boundGit\()/, (text) => `calls ${text} without bounds`);
  }
  const isForeign = foreignPlaces.test(module.path);
  const named = isForeign ? findInCode(module, /\b(?:findGit|requireGit|GitProgram)\b/, (text) => `names ${text}`) : [];
  if (module.path.startsWith('lib/git/')) return named;
  return [...named, ...findInCode(module, /\b(?:run|start|spawn)Git\b/, (text) => `calls ${text} outside of lib/git`)];
}

/** Places where a duration goes only to the log, or measures only our own work: no stored value depends on it. */
const measuringRooms: readonly string[] = ['scheduling', 'http'];

export const laws: readonly Law[] = [
  {
    name: 'rooms import only what stands lower',
    why: 'a store that knows its users, or a face that leans on another face, cannot be read, tested or replaced alone',
    remedy: 'move what both need to a lower room, or hand it in as an argument where lib/app wires the rooms',
    judge: judgeImports((module, specifier) => (isRelative(specifier) ? judgeImport(module, specifier) : undefined)),
  },
  {
    name: 'a package has one owner',
    why: 'a package that leaks through the house cannot be exchanged, and its traps have to be known everywhere',
    remedy: 'ask the owner for what you need, or give a new package its owner in test/architecture/rooms.ts',
    judge: judgeImports(judgeOwner),
  },
  {
    name: 'every import names its target',
    why: 'a computed import() escapes every other rule',
    remedy: 'write the module out, in a table of literal imports if there are several',
    // The loader of the program loads the bundle that the build makes of these very modules, and for its other form the
    // packages that they import at their first use (decision 0213).
    judge: ({ path, unreadableImports }) =>
      unreadableImports
        .slice(path === 'bin/load-program.ts' ? 2 : 0)
        .map((line) => ({ line, what: 'imports a computed target' })),
  },
  {
    name: 'the words are pure',
    why: 'lib/domain is what every other room trusts: no input or output, no platform',
    remedy: 'take bytes, times and digests as arguments; put what computes them one room higher',
    judge: judgeImports((module, specifier) =>
      roomNamed(module) === 'domain' && !isRelative(specifier) ? `imports ${specifier} into lib/domain` : undefined,
    ),
  },
  {
    name: 'only the configuration reads the environment',
    why: 'settings are validated once, frozen, and can be listed; a second reader is a setting that nobody finds',
    remedy: 'add the setting to schema/config.json and pass it on from lib/app',
    judge: (module) =>
      roomNamed(module) === 'config' ? [] : findInCode(module, /\bprocess\s*\.\s*env\b/, () => 'reads process.env'),
  },
  {
    name: 'time and chance come in from outside',
    why: 'tests decide them, so that expiry, ids and order are shown and not hoped for',
    remedy:
      'take a Clock or a Randomness (lib/domain/clock.ts) as an argument; lib/app/real-world.ts has the real ones',
    judge: (module) => {
      const real = ['lib/app/real-world.ts', 'lib/client/pace.ts'];
      if (real.includes(module.path) || roomNamed(module) === 'bin') return [];
      // A browser's tests set the clock of the browser.
      if (pageRoomOf(module.path) !== undefined) return [];
      const describe = (text: string): string => `uses ${text}`;
      const found = findInCode(
        module,
        /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(.]))|\bMath\s*\.\s*random\b|\brandom(?:Bytes|UUID|Int|Fill|FillSync)\b|\bgetRandomValues\b/,
        describe,
      );
      if (measuringRooms.includes(roomNamed(module))) return found;
      return [...found, ...findInCode(module, /\bperformance\s*\.\s*now\b|\bhrtime\b/, describe)];
    },
  },
  {
    name: 'a terminal shows what it gets',
    why: 'names and texts are written by others, and a terminal obeys the escape sequences in them',
    remedy: 'print with a function of bin/print.ts',
    judge: (module) =>
      roomNamed(module) !== 'bin' || module.path === 'bin/print.ts'
        ? []
        : findInCode(
            module,
            /\bconsole\s*\.|\bprocess\s*\.\s*std(?:out|err)\s*\.\s*write\b/,
            (text) => `writes with ${text}`,
          ),
  },
  {
    name: 'one module loads the driver of SQLite',
    why: 'each Node has its own version of it, and the other version would end the process',
    remedy: 'import connect of lib/sidecar/driver.ts; a test imports test/support/store/sqlite.ts',
    judge: (module) =>
      module.path === 'lib/sidecar/driver.ts'
        ? []
        : module.imports
            .filter(({ text }) => text.startsWith('better-sqlite3'))
            .map(({ text, line }) => ({ line, what: `imports ${text}` })),
  },
  {
    name: 'one module starts worker threads',
    why: 'a thread loads one bundled file sooner than all the modules that it imports',
    remedy: 'call startThread of lib/scheduling/start-thread.ts',
    judge: (module) =>
      !module.path.startsWith('lib/') || module.path === 'lib/scheduling/start-thread.ts'
        ? []
        : findInCode(module, /\bnew\s+(?:\w+\s*\.\s*)?Worker\b/, (text) => `starts a thread with ${text}`),
  },
  {
    name: 'git has bounds for foreign objects',
    why: 'some bytes of a pack can stand for gigabytes and for hours, and a foreign configuration names programs',
    remedy:
      'take a ForeignGit of lib/git/sources/require-foreign-git.ts, and run it in a folder that the service wrote (decision 0345)',
    judge: judgeForeignGit,
  },
  {
    name: 'a request has one list of steps',
    why: 'a bound that one face forgets is open for whoever finds that face',
    remedy: 'hand the face to serveCallers or serveOpenly of lib/http/serve-exchange.ts; a new bound is a step there',
    judge: (module) =>
      !module.path.startsWith('lib/') || module.path === 'lib/http/serve-exchange.ts'
        ? []
        : findInCode(
            module,
            /\bnew\s+Exchange\b|(?<!function )\blimitRate\s*\(|\brequests\s*\.\s*take\w*\s*\(/,
            (text) => `has ${text} beside the steps`,
          ),
  },
  {
    name: 'SQL stays in the sidecar',
    why: 'users who outgrow one machine will want another engine below it',
    remedy: 'add a function with a name from the domain to the table file in lib/sidecar',
    judge: (module) =>
      roomNamed(module) === 'sidecar'
        ? []
        : module.strings
            .filter(({ text }) => statement.test(text))
            .map(({ line, text }) => ({ line, what: `holds SQL: ${text.trim().slice(0, 40)}` })),
  },
  {
    name: 'names of faces stay in the faces',
    why: 'a value that is made in the form of one protocol has to be parsed again by the others, and nothing checks it',
    remedy:
      'throw or return values of the domain, in camelCase, and let each face present them; what the audit log keeps stands on a line with its `detail`',
    judge(module) {
      const room = roomNamed(module);
      const isBelow = floorOf(room) >= 0 && floorOf(room) < floorOf('api') && !storingRooms.includes(room);
      // The records are what the faces share.
      if (!isBelow || room === 'records' || module.path === 'lib/domain/audit-record.ts') return [];
      return module.code.split('\n').flatMap((text, index) => {
        const name = /\bdetail\b/.test(text) ? undefined : findFaceName(text);
        return name === undefined ? [] : [{ line: index + 1, what: `names ${name}` }];
      });
    },
  },
  {
    name: 'requests have the types of their description',
    why: 'a field that the description renames would compile here, and be missing at run time',
    remedy: 'take a RequestOf of lib/api/requests/described-request.ts, and read its query or jsonOf as they are',
    judge: (module) =>
      /^lib\/(?:api|console)\/resources\//.test(module.path)
        ? findInCode(
            module,
            /\b(?:jsonOf\(\w+\)|query|body\.value)\)?\s+as\s+(?!const\b)|\bjsonOf<|\bCheckedRequest<[^>]*\{|\breadonly\s+[a-z]+_\w+\??:/,
            (text) => `types a request by hand: ${text}`,
          )
        : [],
  },
  {
    name: 'git objects stay below the operations',
    why: 'what stands above the workspace speaks of versions and their content, so that how git keeps them can change',
    remedy:
      'ask workspace.objects for the content of a version; whoever imports a foreign repository may name its objects',
    judge(module) {
      const isAbove = ['operations', 'api', 'mcp', 'signin', 'commands'].includes(roomNamed(module));
      if (!isAbove || importers.test(module.path)) return [];
      return findInCode(
        module,
        /\bblobOid\b|\b(?:read|stream)(?:Blob|Tree|Commit)\b|\bblobInMemory\b|\bOid\b/,
        (text) => `names ${text}`,
      );
    },
  },
  {
    name: 'no regular expression runs away',
    why: 'one that takes a text in many ways takes seconds over a hostile request, and answers nobody else meanwhile',
    remedy:
      'let no two repeats that stand side by side, or within each other, take the same characters; or read the text by hand, as lib/domain/drop-trailing.ts does',
    judge: (module) =>
      module.regexps.flatMap(({ text, flags, line }) =>
        findRunaways({ source: text, flags }).map((reason) => ({ line, what: `has /${text}/${flags}: ${reason}` })),
      ),
  },
  {
    name: 'every regular expression is written out',
    why: 'one that is put together while the program runs cannot be judged before, and may hold what a caller sent',
    remedy: 'write it as a literal, or look for the text with indexOf',
    // A browser tries what its own person types against the pattern of a setting, which the service checks again.
    judge: (module) =>
      module.path === 'lib/console/web/screens/connectors/settings.ts'
        ? []
        : findInCode(module, /(?<![.\w])RegExp\s*\(/, () => 'makes a regular expression'),
  },
  {
    name: 'no drawers',
    why: 'a file named for nothing collects everything, and nobody finds it again',
    remedy: 'name the file for what it does and put it in the room that owns the word',
    judge: (module) =>
      module.path
        .split('/')
        .filter((name) => /^(?:utils?|helpers?|common|misc|shared|stuff)(?:\.tsx?)?$/.test(name))
        .map((name) => ({ line: 1, what: `is called ${name}` })),
  },
  {
    name: 'files stay short',
    why: 'what does not fit into a head is not reviewed; nine in ten files here are far below the limit',
    remedy: 'split by verb: one file, one thing that it does',
    judge: (module) => {
      const lines = module.text.trimEnd().split('\n').length;
      const most = maxFileLength(module.path);
      return lines > most ? [{ line: most + 1, what: `has ${lines} lines (${most} at most)` }] : [];
    },
  },
];

/** All breaches of a law, one sentence each, with the reason and the remedy. */
export function judgeModules(modules: readonly Module[], judged: readonly Law[] = laws): string[] {
  return judged.flatMap(({ judge, name, why, remedy }) =>
    modules.flatMap((module) =>
      judge(module).map(
        ({ line, what }) => `${module.path}:${line} ${what}\n  law: ${name}\n  because ${why}\n  remedy: ${remedy}`,
      ),
    ),
  );
}
