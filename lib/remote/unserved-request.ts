import { Refusal } from '../domain/refusal.js';

/** A request that this face does not serve, for any caller. */
export class UnservedRequest extends Refusal {
  /** The method that the path has, where only the method is wrong. */
  readonly allowed: string | undefined;
  /** Whether Git LFS asks. It reads another form, and takes 403 for a lack of rights. */
  readonly isOfLfs: boolean;

  /** @param message git shows it to the person */
  constructor(
    message: string,
    { allowed, isOfLfs = false }: { readonly allowed?: string; readonly isOfLfs?: boolean } = {},
  ) {
    super('INVALID_REQUEST', message, { details: { reason: 'bad_field' } });
    this.allowed = allowed;
    this.isOfLfs = isOfLfs;
  }
}
