import { createHash, createHmac, timingSafeEqual, type Hmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Seconds by which the time of a Standard Webhooks request may differ from ours. */
const tolerance = 300;
/** Signatures of one request that are looked at: a sender that changes its secret sends two. */
const maxSignatures = 4;
/** Characters of a header that are looked at. */
const maxLength = 1024;

const hexDigest = /^[0-9a-f]{64}$/i;
const encodedDigest = /^v1,([A-Za-z0-9+/]{43}=)$/;
const plainSeconds = /^\d{1,12}$/;
/** What a request offers as its proof. The body is signed with the secret, or the secret is sent along. */
interface Offered {
  /** Bytes that are signed in front of the body. */
  readonly before: string;
  /** How the secret's text becomes the key of the signature. Standard Webhooks reads it as base64. */
  readonly keyIs: 'utf8' | 'base64';
  /** 32 bytes each. */
  readonly digests: readonly Buffer[];
  readonly token: string | undefined;
}

const nothing: Offered = { before: '', keyIs: 'utf8', digests: [], token: undefined };

/**
 * The proof that a request comes from the source: a signature of its bytes, or the shared secret. Every request costs
 * the same work, whatever its headers say.
 */
export class HookProof {
  readonly #offered: Offered;
  readonly #secret: string;
  readonly #hmac: Hmac;

  /** @param now seconds since 1970 */
  constructor(headers: IncomingHttpHeaders, secret: string, now: number) {
    this.#offered = readOffered(headers, now);
    this.#secret = secret;
    this.#hmac = createHmac('sha256', Buffer.from(secret, this.#offered.keyIs)).update(this.#offered.before);
  }

  /** Takes the next bytes of the body. */
  add(piece: Uint8Array): void {
    this.#hmac.update(piece);
  }

  /** Whether the proof holds. Called once, after the whole body. */
  holds(): boolean {
    const digest = this.#hmac.digest();
    const { digests, token } = this.#offered;
    const isSigned = digests.filter((each) => timingSafeEqual(each, digest)).length > 0;
    // Hashes have one length, so the comparison says nothing of the secret's.
    const isSame = timingSafeEqual(hash(token ?? ''), hash(this.#secret));
    return isSigned || (token !== undefined && isSame);
  }
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The first form that the headers have. A bad proof in it is not mended by a good one in another. */
function readOffered(headers: IncomingHttpHeaders, now: number): Offered {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' && value.length <= maxLength ? value : undefined;
  };
  // GitHub; Gitea and Forgejo send it too.
  const ofGitHub = header('x-hub-signature-256');
  if (ofGitHub !== undefined) return signedWith(ofGitHub.startsWith('sha256=') ? ofGitHub.slice(7) : '');
  const ofGitea = header('x-gitea-signature');
  if (ofGitea !== undefined) return signedWith(ofGitea);
  const standard = header('webhook-signature');
  if (standard !== undefined) return readStandard(standard, header('webhook-id'), header('webhook-timestamp'), now);
  return { ...nothing, token: header('x-gitlab-token') };
}

function signedWith(hex: string): Offered {
  return hexDigest.test(hex) ? { ...nothing, digests: [Buffer.from(hex, 'hex')] } : nothing;
}

/** Standard Webhooks, which GitLab's signing tokens follow. */
function readStandard(signatures: string, id: string | undefined, timestamp: string | undefined, now: number): Offered {
  if (id === undefined || timestamp === undefined || !plainSeconds.test(timestamp)) return nothing;
  if (Math.abs(Number(timestamp) - now) > tolerance) return nothing;
  const digests = signatures.split(' ').slice(0, maxSignatures).flatMap(decodeSignature);
  return { before: `${id}.${timestamp}.`, keyIs: 'base64', digests, token: undefined };
}

function decodeSignature(signature: string): Buffer[] {
  const encoded = encodedDigest.exec(signature)?.[1];
  return encoded === undefined ? [] : [Buffer.from(encoded, 'base64')];
}
