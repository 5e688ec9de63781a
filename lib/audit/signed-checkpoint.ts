import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { formatTime, type Randomness } from '../domain/clock.js';
import type { AuditCheckpointTable, CheckpointRow } from '../sidecar/tables/audit-checkpoint-table.js';
import type { ChainHead } from './chain.js';

/** A head of the chain with the signature of the workspace's key over it, as exported. */
export interface SignedCheckpoint {
  readonly workspace: string;
  readonly seq: number;
  /** Hash of that record, hex. */
  readonly hash: string;
  /** When it was signed: RFC 3339 UTC with milliseconds. */
  readonly at: string;
  /** Made at the end of an export, to say that this was the chain's end then. */
  readonly closing: boolean;
  /** Ed25519 (RFC 8032) over the RFC 8785 form of the other members, base64. */
  readonly signature: string;
}

/** Signs a workspace's chain. */
export interface ChainSigner {
  readonly workspace: string;
  /** The key for checks of the signatures: SubjectPublicKeyInfo in PEM. */
  readonly publicKey: string;
  /** @param at milliseconds since 1970 */
  sign(head: ChainHead, at: number, closing: boolean): SignedCheckpoint;
}

/** A head is signed each time the chain has grown by this many records. */
export const signedEvery = 1000;

/** PKCS #8 of an Ed25519 key up to its 32 bytes (RFC 8410 §7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
/** SubjectPublicKeyInfo of an Ed25519 key up to its 32 bytes (RFC 8410 §4). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** A new private key, as PKCS #8. */
export function makeAuditKey(randomness: Randomness): Uint8Array {
  return Buffer.concat([pkcs8Prefix, randomness.bytes(32)]);
}

/** @param pkcs8 as `makeAuditKey` made it */
export function makeSigner(workspace: string, pkcs8: Uint8Array): ChainSigner {
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString();
  return {
    workspace,
    publicKey,
    sign(head, at, closing) {
      const members = { workspace, seq: head.seq, hash: head.hash, at: formatTime(at), closing };
      return { ...members, signature: sign(null, canonicalForm(members), key).toString('base64') };
    },
  };
}

/**
 * Reads a public key: PEM, or its 32 bytes in hex or base64.
 * @throws Error when it is none
 */
export function readPublicKey(text: string): KeyObject {
  const trimmed = text.trim();
  let key: KeyObject | undefined;
  try {
    if (trimmed.startsWith('-----BEGIN PUBLIC KEY-----')) key = createPublicKey(trimmed);
    else {
      const raw = Buffer.from(trimmed, /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : 'base64');
      if (raw.length === 32) {
        key = createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' });
      }
    }
  } catch {
    // Reported below, with all other unusable keys.
  }
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new Error('This is no Ed25519 public key. `cartulary audit key` prints the right one.');
  }
  return key;
}

/** Whether this key's owner signed it. */
export function isSignedBy(checkpoint: SignedCheckpoint, publicKey: KeyObject): boolean {
  return verify(null, canonicalForm(checkpoint), publicKey, Buffer.from(checkpoint.signature, 'base64'));
}

/** The signed RFC 8785 form: strings, an integer and a boolean, keys in order. */
function canonicalForm({ at, closing, hash, seq, workspace }: Omit<SignedCheckpoint, 'signature'>): Buffer {
  return Buffer.from(JSON.stringify({ at, closing, hash, seq, workspace }));
}

/** Whether the chain has grown enough from one head to another for a signature. */
export function isSignatureDue(before: ChainHead, after: ChainHead): boolean {
  return Math.floor(after.seq / signedEvery) > Math.floor(before.seq / signedEvery);
}

/** Signs the head, inside the caller's transaction; a head signed before stays as it is. */
export function signHead(table: AuditCheckpointTable, signer: ChainSigner, head: ChainHead, now: number): void {
  if (head.seq === 0 || table.last()?.seq === head.seq) return;
  const { signature } = signer.sign(head, now, false);
  table.insert({
    seq: head.seq,
    at: now,
    hash: Buffer.from(head.hash, 'hex'),
    signature: Buffer.from(signature, 'base64'),
  });
}

/** A stored signature in its exported form. */
export function toCheckpoint(row: CheckpointRow, workspace: string): SignedCheckpoint {
  return {
    workspace,
    seq: row.seq,
    hash: row.hash.toString('hex'),
    at: formatTime(row.at),
    closing: false,
    signature: row.signature.toString('base64'),
  };
}
