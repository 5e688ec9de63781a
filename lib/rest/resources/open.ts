import { answerJson, type Answer } from '../answers/answer.js';
import type { Build } from '../dependencies.js';
import type { OpenRoute } from '../route.js';

/**
 * Routes without a key (Authentication 7). Their answers say nothing of workspaces and their content.
 * @param startedAt RFC 3339
 * @param description the served text
 */
export function makeOpenRoutes(build: Build, startedAt: string, description: string): readonly OpenRoute[] {
  const health = { status: 'ok', version: build.version, commit: build.commit, started_at: startedAt };
  const bytes = Buffer.from(description, 'utf8');
  const noBody: Answer = {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: { form: 'none' },
  };
  return [
    { method: 'GET', path: '/v1/health', answerOpenly: () => answerJson(200, health) },
    // Load balancers ask like this.
    { method: 'HEAD', path: '/v1/health', answerOpenly: () => noBody },
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
