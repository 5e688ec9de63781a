import { answerJson, type Answer } from '../answers/api-answer.js';
import type { Readiness } from '../../domain/readiness.js';
import type { Build, RestDependencies } from './rest-dependencies.js';
import type { OpenRoute } from '../route.js';

/** Where a client begins that knows the address alone. */
const indexPath = '/v1';

/** What the routes without a key answer from. */
export interface OpenFacts extends Pick<RestDependencies, 'readiness'> {
  readonly build: Build;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The served text. */
  readonly description: string;
  /** The path prefix of a proxy in front; '' for none. */
  readonly base: string;
  /** Takes webhooks of sources. */
  readonly hooks: OpenRoute;
}

/** Routes without a key (Authentication 7). Their answers say nothing of workspaces and their content. */
export function makeOpenRoutes(facts: OpenFacts): readonly OpenRoute[] {
  const { build, startedAt, description, base, readiness, hooks } = facts;
  const index = { name: 'Cartulary', description: `${base}/v1/openapi.yaml`, health: `${base}/v1/health` };
  const link = `<${index.description}>; rel="service-desc"; type="application/yaml"`;
  const health = { status: 'ok', version: build.version, commit: build.commit, started_at: startedAt };
  const bytes = Buffer.from(description, 'utf8');
  const answerIndex = (): Answer => answerJson(200, index, { Link: link });
  return [
    // The index stands at both of its usual addresses.
    { method: 'GET', path: indexPath, answerOpenly: answerIndex },
    { method: 'GET', path: `${indexPath}/`, describedAs: indexPath, answerOpenly: answerIndex },
    { method: 'GET', path: '/v1/health', answerOpenly: () => answerJson(200, health) },
    { method: 'GET', path: '/v1/ready', answerOpenly: async () => presentReadiness(await readiness()) },
    {
      method: 'GET',
      path: '/v1/openapi.yaml',
      answerOpenly: () => ({
        status: 200,
        headers: { 'Content-Type': 'application/yaml; charset=utf-8', Vary: 'Accept-Encoding' },
        body: { form: 'bytes', bytes },
        mayCompress: true,
      }),
    },
    hooks,
  ];
}

/** The same words for everybody: a stranger learns what is wrong, and nothing of any workspace. */
function presentReadiness({ isReady, journal, disk, repository, workspaces, copy }: Readiness): Answer {
  const status = isReady ? 'ready' : 'not_ready';
  return answerJson(isReady ? 200 : 503, { status, journal, disk, repository, workspaces, copy });
}
