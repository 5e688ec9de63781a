import { invalidRequest, Refusal } from '../domain/refusal.js';

type Reason = 'unsupported_media_type' | 'body_too_large' | 'bad_json' | 'bad_field';

/** A request that holds no message to be answered, with the status and the code of its answer. */
export class UnfitMessage extends Refusal {
  readonly status: number;
  /** Of JSON-RPC. */
  readonly rpcCode: number;

  constructor(status: number, rpcCode: number, reason: Reason, message: string) {
    super('INVALID_REQUEST', message, { details: invalidRequest(reason, message).details });
    this.status = status;
    this.rpcCode = rpcCode;
  }
}
