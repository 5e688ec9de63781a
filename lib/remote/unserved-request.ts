/** A request that this face does not serve, for any caller. */
export class UnservedRequest extends Error {
  override readonly name = 'UnservedRequest';
  /** The method that the path has, where only the method is wrong. */
  readonly allowed: string | undefined;
  /** Whether Git LFS asks. It reads another form, and takes 403 for a lack of rights. */
  readonly isOfLfs: boolean;

  /** @param message git shows it to the person */
  constructor(
    message: string,
    { allowed, isOfLfs = false }: { readonly allowed?: string; readonly isOfLfs?: boolean } = {},
  ) {
    super(message);
    this.allowed = allowed;
    this.isOfLfs = isOfLfs;
  }
}
