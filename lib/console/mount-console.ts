import { ApiFace } from '../api/json-face.js';
import type { Entry } from '../api/api-dependencies.js';
import { dropTrailing } from '../domain/drop-trailing.js';
import type { MountedFace } from '../http/port.js';
import { serveOpenly } from '../http/serve-exchange.js';
import type { ConsoleDependencies, ConsoleOptions } from './console-dependencies.js';
import { readConsoleDescription } from './console-description.js';
import { ConsolePages } from './pages.js';
import { PersonReader } from './recognise-person.js';
import { routes } from './console-routes.js';
import { makeSessionRoutes } from './session-routes.js';

const apiPath = '/console/api';
const workspacesPath = `${apiPath}/workspaces/`;

/** The console on the service's port: pages at /console and below, their API at /console/api. */
export function mountConsole(dependencies: ConsoleDependencies, options: ConsoleOptions): MountedFace {
  const base = dropTrailing(new URL(options.url).pathname, '/');
  const showPage = serveOpenly(dependencies, options, new ConsolePages(dependencies.randomness, base));
  const api = makeApi(dependencies, options, base);
  return {
    takes: (path) => path === '/console' || path.startsWith('/console/'),
    handle(request, response) {
      const [path = ''] = (request.url ?? '').split('?', 1);
      if (path === apiPath || path.startsWith(`${apiPath}/`)) api.handle(request, response);
      else showPage(request, response);
    },
  };
}

function makeApi(dependencies: ConsoleDependencies, options: ConsoleOptions, base: string): ApiFace {
  const people = new PersonReader(dependencies, options);
  const { log, later, addressOf, observer, validateResponses } = options;
  return new ApiFace(dependencies, {
    face: 'console',
    routes,
    openRoutes: makeSessionRoutes(dependencies, options, people),
    description: readConsoleDescription(),
    enter: (path) => enter(people, base, path),
    challenge: 'Session',
    // What a person read does not stay in the browser of a shared machine.
    cacheControl: 'private, no-store',
    logPrefix: `${workspacesPath}{workspace}`,
    log,
    later,
    addressOf,
    observer,
    corsOrigins: [],
    validateResponses,
  });
}

/** `/console/api/workspaces/NAME/documents` is the row `/documents` in the workspace. */
function enter(people: PersonReader, base: string, path: string): Entry | undefined {
  if (!path.startsWith(workspacesPath)) return undefined;
  const end = path.indexOf('/', workspacesPath.length);
  if (end < 0) return undefined;
  const name = path.slice(workspacesPath.length, end);
  return {
    path: path.slice(end),
    prefix: base + path.slice(0, end),
    recognise: (arrival) => people.readIn(name, arrival),
  };
}
