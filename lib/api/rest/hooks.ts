import type { IncomingMessage } from 'node:http';
import { cutAddress } from '../../limits/cut-address.js';
import type { RateLimiter } from '../../limits/token-buckets.js';
import type { WorkLimits } from '../../limits/work-limits.js';
import { overLimit } from '../../audit/record-tallies.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { bodyTooLarge } from '../requests/take-body.js';
import type { Arrival } from '../requests/checked-request.js';
import type { OpenRoute } from '../route.js';
import type { Clock, Randomness } from '../../domain/clock.js';
import { invalidRequest, notFound, rateLimited } from '../../domain/refusal.js';
import { inviteBody, readPieces, statedLength } from '../../http/read-body.js';
import type { DeferredAudit } from '../../journal/deferred-audit.js';
import { openWebhookSecret, SecretLost } from '../../operations/connectors/seal-secret.js';
import { notifyConnector, takesHooks } from '../../operations/connectors/steer-connector.js';
import { perform } from '../../operations/perform.js';
import type { Workspace } from '../../workspace/workspace.js';
import { HookProof } from './hook-proof.js';

export interface HookDependencies {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly limiter: RateLimiter;
  readonly workLimits: WorkLimits;
  find(workspace: string): Workspace | undefined;
  names(): readonly string[];
}

/** GitHub sends no more than this. The bytes are hashed as they come, and neither kept nor parsed. */
const maxBodyBytes = 25 * 1024 * 1024;
/** Requests a minute from an address, whatever they hold. */
const fromAddress = { perMinute: 120, burst: 60 } as const;
/** Requests a minute to a connector, with a good proof. */
const toConnector = { perMinute: 30, burst: 15 } as const;
/** Milliseconds for the body to come. */
const maxTime = 20_000;

/** A connector that a request names, as far as it takes webhooks. */
interface Called {
  readonly workspace: Workspace;
  readonly id: string;
  readonly secret: string;
}

/**
 * The route by which a source says that it has changed, without a key. An unknown workspace, an unknown connector, one
 * that takes no webhooks now, and a bad proof are one answer, after the same work. A good request only sets the time of
 * the next run, so a repeated one does no harm.
 */
export function makeHookRoute(
  host: HookDependencies,
  { later, addressOf }: { readonly later: DeferredAudit; addressOf(this: void, request: IncomingMessage): string },
): OpenRoute {
  const { clock, randomness, limiter, workLimits } = host;
  /** In place of a secret that is not there. */
  const decoy = Buffer.from(randomness.bytes(32)).toString('hex');

  function findCalled(name: string, id: string): Called | undefined {
    const named = host.find(name);
    // Another workspace is asked for nothing, so that an unknown one takes as long.
    const [first = ''] = host.names();
    const asked = named ?? host.find(first);
    const secret = asked === undefined ? null : openOrNull(asked, id);
    const connector = asked?.journal.reader.connectors.byId(id);
    if (named === undefined || secret === null || connector === undefined || !takesHooks(connector)) return undefined;
    return { workspace: named, id, secret };
  }

  function limitAddress(address: string): void {
    const { perMinute, burst } = fromAddress;
    const allowance = limiter.take('hook', address, perMinute, burst);
    if (!allowance.allowed) throw rateLimited(allowance.retryAfter);
  }

  function limitConnector({ workspace, id }: Called, address: string): void {
    const { perMinute, burst } = toConnector;
    const allowance = limiter.take('known hook', `${workspace.name}/${id}`, perMinute, burst);
    if (allowance.allowed) return;
    later.countRefused(workspace, 'connector', overLimit, address);
    throw rateLimited(allowance.retryAfter);
  }

  async function receive({ id: requestId, request, response }: Arrival, ids: readonly string[]): Promise<Answer> {
    const address = cutAddress(addressOf(request));
    limitAddress(address);
    const release = workLimits.hooks.takeNow(address);
    try {
      const [name = '', id = ''] = ids;
      const before = findCalled(name, id);
      const proof = new HookProof(request.headers, before?.secret ?? decoy, Math.floor(clock.now() / 1000));
      if (statedLength(request) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
      inviteBody(request, response);
      await hashBody(request, proof);
      const holds = proof.holds();
      // While the body came, the connector may have been paused, or have got another secret.
      const called = findCalled(name, id);
      if (called === undefined || before?.secret !== called.secret || !holds) {
        const workspace = host.find(name);
        if (workspace !== undefined) later.countRefused(workspace, 'connector', 'wrong_secret', address);
        throw notFound();
      }
      limitConnector(called, address);
      const caller = {
        principalId: id,
        kind: 'connector',
        credentialId: null,
        interface: 'connector',
        requestId,
      } as const;
      await perform(called.workspace, caller, notifyConnector, { connectorId: id });
      return answerJson(202, { accepted: true });
    } finally {
      release();
    }
  }

  return { method: 'POST', path: '/v1/hooks/{workspace}/{id}', takesBody: true, answerOpenly: receive };
}

/** A secret that cannot be opened any more proves nothing. */
function openOrNull(workspace: Workspace, id: string): string | null {
  try {
    return openWebhookSecret(workspace, id);
  } catch (error) {
    if (error instanceof SecretLost) return null;
    throw error;
  }
}

/** @throws Refusal INVALID_REQUEST `body_too_large`; `bad_field` where the body breaks off, or comes too slowly */
async function hashBody(request: IncomingMessage, proof: HookProof): Promise<void> {
  const timer = setTimeout(() => request.destroy(), maxTime);
  let length = 0;
  const brokenOff = (): Error => invalidRequest('bad_field', 'The body broke off.', { field: 'body' });
  try {
    for await (const piece of readPieces(request, brokenOff)) {
      length += piece.length;
      if (length > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
      proof.add(piece);
    }
  } finally {
    clearTimeout(timer);
  }
}
