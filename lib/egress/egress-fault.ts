import type { SourceFaultClass } from '../domain/connector.js';

/** A connection to the outside, or an answer from there, failed. The message says what to do and holds no secret. */
export class EgressFault extends Error {
  override readonly name: string = 'EgressFault';
  readonly fault: SourceFaultClass;

  constructor(fault: SourceFaultClass, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.fault = fault;
  }
}
