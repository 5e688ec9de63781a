import { EgressFault } from './egress-fault.js';

const expired = 'The certificate of the server has expired, or is not valid yet. Its owner has to renew it.';
const unknown =
  'Nobody known has signed the certificate of the server. Who runs the service can trust its authority with NODE_EXTRA_CA_CERTS.';
const malformed = 'The server answers with something else than HTTP. Check its address.';

/** What Node calls a fault, in words with the remedy. */
const words: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: expired,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the server is for another name. Check the address.',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknown,
  SELF_SIGNED_CERT_IN_CHAIN: unknown,
  UNABLE_TO_GET_ISSUER_CERT: unknown,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknown,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknown,
  HPE_HEADER_OVERFLOW: 'The head of an answer of the server is too large.',
  ECONNRESET: 'The server broke the connection off. It is asked again later.',
  EPIPE: 'The server broke the connection off. It is asked again later.',
  ABORT_ERR: 'The server does not answer in time. It is asked again later.',
};

/** A fault of the network in words. A fault that has its words stays what it is. */
export function describeNetworkFault(error: unknown, origin: string): EgressFault {
  if (error instanceof EgressFault) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const isMalformed = code.startsWith('HPE_') || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO';
  const message =
    words[code] ?? (isMalformed ? malformed : `The connection to ${origin} failed. It is tried again later.`);
  return new EgressFault('network', message, { cause: error });
}
