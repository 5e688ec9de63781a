import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../domain/refusal.js';
import type { Exchange } from '../http/exchange.js';
import type { MountedFace } from '../http/port.js';
import { unkept } from '../http/protections.js';
import { sendReply, type Reply, say } from '../http/send-reply.js';
import { serveCallers, type Admitted, type Asking, type CallerFace, type CallerNotes } from '../http/serve-exchange.js';
import { UnrelatedHistories } from '../operations/repositories/unrelated-histories.js';
import type { RemoteDependencies } from './remote-dependencies.js';
import { recognise } from './recognise-git-key.js';
import { readVersion, type RemoteAnswer, type RemoteRequest } from './remote-request.js';
import { findLoggedRoute, findRoute, isRemotePath } from './git-routes.js';
import { statusOf } from '../http/status-of.js';
import { retryMessage } from './retry-message.js';
import { UnservedRequest } from './unserved-request.js';

/** Errors of Git LFS (its API documentation, "Response Errors"). */
const lfsType = 'application/vnd.git-lfs+json';

/** Makes git ask the person, or its credential helper. */
const challenge = 'Basic realm="Cartulary", charset="UTF-8"';

const keyRequired = 'A valid key for git is required. Give it as the password, with any user name.';

const statusOfReason: Readonly<Record<string, number>> = {
  body_too_large: 413,
  unsupported_media_type: 415,
  git_missing: 501,
};

/** Git over HTTP on the service's port, at /git. */
export function mountRemote(dependencies: RemoteDependencies, notes: CallerNotes): MountedFace {
  return {
    takes: isRemotePath,
    handle: serveCallers(dependencies, notes, new RemoteFace(dependencies, notes)),
  };
}

class RemoteFace implements CallerFace<IncomingMessage, Asking, Reply> {
  readonly name = 'git';
  readonly headers = { ...unkept, 'Cache-Control': 'private, no-store' };
  readonly #dependencies: RemoteDependencies;
  readonly #notes: CallerNotes;
  readonly #unrelated: UnrelatedHistories;

  constructor(dependencies: RemoteDependencies, notes: CallerNotes) {
    this.#dependencies = dependencies;
    this.#notes = notes;
    this.#unrelated = new UnrelatedHistories(dependencies.clock);
  }

  admit(exchange: Exchange): Admitted<IncomingMessage, Reply> {
    const { request } = exchange;
    exchange.route = findLoggedRoute(request.url ?? '');
    return { found: request };
  }

  recognise(exchange: Exchange): Asking {
    return recognise(this.#dependencies, this.#notes, exchange);
  }

  async read(
    exchange: Exchange,
    { method = '', url = '', headers }: IncomingMessage,
    { workspace, caller }: Asking,
  ): Promise<() => Promise<Reply>> {
    const { request, response } = exchange;
    const route = findRoute(method, url);
    const asked: RemoteRequest = {
      workspace,
      caller,
      isHere: route.workspace === workspace.name,
      version: readVersion(headers['git-protocol']),
      unrelated: this.#unrelated,
      request,
      response,
      signal: exchange.departure(),
      hold: (release) => exchange.hold(release),
    };
    return async () => asReply(await route.answer(asked));
  }

  present(_exchange: Exchange, refusal: Refusal): Reply {
    return presentProblem(refusal);
  }

  send = sendReply;
}

function asReply({ contentType, head, content }: RemoteAnswer): Reply {
  const headers = { 'Content-Type': contentType };
  if (Buffer.isBuffer(content)) {
    return { status: 200, headers, body: head === undefined ? content : Buffer.concat([head, content]) };
  }
  return { status: 200, headers, body: { head, open: () => content, leave: () => content.destroy() } };
}

/** A refusal as git shows it: git prints the lines of a plain text behind `remote:`. */
function presentProblem(refusal: Refusal): Reply {
  if (refusal instanceof UnservedRequest) {
    const { message, allowed, isOfLfs } = refusal;
    if (isOfLfs) {
      return { status: 404, headers: { 'Content-Type': lfsType }, body: `${JSON.stringify({ message })}\n` };
    }
    return allowed === undefined ? say(403, message) : say(405, message, { Allow: allowed });
  }
  const { code, details, retryAfter } = refusal;
  if (code === 'UNAUTHENTICATED') return say(statusOf(refusal), keyRequired, { 'WWW-Authenticate': challenge });
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  const status = statusOfReason[details?.reason ?? ''] ?? statusOf(refusal);
  return say(status, retryMessage(refusal), headers);
}
