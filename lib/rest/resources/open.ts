import { answerJson, type Answer } from '../answers/answer.js';
import { formatTime } from '../../domain/clock.js';
import type { Readiness } from '../../domain/readiness.js';
import type { Build, RestDependencies } from '../dependencies.js';
import type { OpenRoute } from '../route.js';

/**
 * Routes without a key (Authentication 7). Their answers say nothing of workspaces and their content.
 * @param description the served text
 */
export function makeOpenRoutes(
  service: Pick<RestDependencies, 'clock' | 'readiness'>,
  build: Build,
  description: string,
): readonly OpenRoute[] {
  const startedAt = formatTime(service.clock.now());
  const health = { status: 'ok', version: build.version, commit: build.commit, started_at: startedAt };
  const bytes = Buffer.from(description, 'utf8');
  const withoutBody = ({ status }: Answer): Answer => ({
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: { form: 'none' },
  });
  return [
    { method: 'GET', path: '/v1/health', answerOpenly: () => answerJson(200, health) },
    // Load balancers ask like this.
    { method: 'HEAD', path: '/v1/health', answerOpenly: () => withoutBody(answerJson(200, health)) },
    { method: 'GET', path: '/v1/ready', answerOpenly: async () => presentReadiness(await service.readiness()) },
    {
      method: 'HEAD',
      path: '/v1/ready',
      answerOpenly: async () => withoutBody(presentReadiness(await service.readiness())),
    },
    {
      method: 'GET',
      path: '/v1/openapi.yaml',
      answerOpenly: () => ({
        status: 200,
        headers: { 'Content-Type': 'application/yaml; charset=utf-8' },
        body: { form: 'bytes', bytes },
      }),
    },
  ];
}

/** The same words for everybody: a stranger learns what is wrong, and nothing of any workspace. */
function presentReadiness({ isReady, journal, disk, repository, workspaces }: Readiness): Answer {
  const status = isReady ? 'ready' : 'not_ready';
  return answerJson(isReady ? 200 : 503, { status, journal, disk, repository, workspaces });
}
