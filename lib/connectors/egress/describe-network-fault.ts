import { SourceFault } from '../source.js';

const expired = 'The certificate of the source has expired, or is not valid yet. Its owner has to renew it.';
const unknown =
  'Nobody known has signed the certificate of the source. Who runs the service can trust its authority with NODE_EXTRA_CA_CERTS.';
const malformed = 'The source answers with something else than HTTP. Check its address.';

/** What Node calls a fault, in words with the remedy. */
const words: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: expired,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the source is for another name. Check the address.',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknown,
  SELF_SIGNED_CERT_IN_CHAIN: unknown,
  UNABLE_TO_GET_ISSUER_CERT: unknown,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknown,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknown,
  HPE_HEADER_OVERFLOW: 'The head of an answer of the source is too large.',
  ECONNRESET: 'The source broke the connection off. It is asked again later.',
  EPIPE: 'The source broke the connection off. It is asked again later.',
  ABORT_ERR: 'The source does not answer in time. It is asked again later.',
};

/** A fault of the network as the fault of a source. A fault of a source stays what it is. */
export function describeNetworkFault(error: unknown, origin: string): SourceFault {
  if (error instanceof SourceFault) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const isMalformed = code.startsWith('HPE_') || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO';
  const message =
    words[code] ?? (isMalformed ? malformed : `The connection to ${origin} failed. It is tried again later.`);
  return new SourceFault('network', message, { cause: error });
}
